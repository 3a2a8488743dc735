#include "measure/measure.h"

#include <algorithm>

#include "measure/ceiling.h"
#include "measure/rotation.h"
#include "measure/upload_input.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr u64 kBoundaryBytes = 256;  // the alignment of buffers, as of allocations

}  // namespace

Measurements Measurer::measure(std::span<const PreparedConfig* const> configs, const MeasurePolicy& policy,
                               u64 offset) {
  if (configs.empty()) return {};
  const Request& request = configs.front()->request();
  Batch batch = batch_of(request, policy);
  const Buffers& buffers = buffers_for(request, batch.buffers, offset);
  if (buffers.are_consumed())
    batch.neighbour = [&](Stream stream, int buffer) { buffers.give(device_, stream, buffer); };

  std::vector<DeviceBuffer> workspaces;
  std::vector<Contender> contenders;
  const auto add = [&](const PreparedConfig& config, bool is_ceiling) {
    const u64 bytes = config.workspace_bytes(request.n), stride = round_up(bytes, kBoundaryBytes);
    std::byte* const workspace = workspaces.emplace_back(device_, stride * static_cast<u64>(batch.buffers)).data();
    if (bytes != 0) device_.zero(workspace, stride * static_cast<u64>(batch.buffers));
    contenders.push_back({to_string(config.config()),
                          [=, &buffers, &config](Stream stream, int buffer) {
                            config.enqueue(buffers.pointers(buffer), config.request().n,
                                           workspace + static_cast<u64>(buffer) * stride, stream);
                          },
                          is_ceiling});
  };
  for (const PreparedConfig* config : configs) add(*config, false);
  if (policy.ceiling)
    for (const PreparedConfig& copy : copies_beside(request)) add(copy, true);

  Measurements result{race(device_, contenders, batch, policy), std::nullopt};
  for (std::size_t index = configs.size(); index < result.configs.size(); ++index) {
    const auto* copy = std::get_if<Measurement>(&result.configs[index]);
    if (copy != nullptr && !copy->probe_only) result.ceiling_us = copy->median_us;
  }
  result.configs.resize(configs.size());
  return result;
}

Batch Measurer::batch_of(const Request& request, const MeasurePolicy& policy) {
  Batch batch;
  // The host device runs each launch to its end: nothing is gained by queueing several, and each is isolated.
  if (device_.identity().sm == kHostSm) return batch;
  if (request.value<Latency>() == Latency::isolated)
    batch.neighbour = [&kernel = neighbour()](Stream stream, int) { kernel.enqueue(stream); };
  const Rotation rotation = rotation_of(request.n, moved_bytes(request), device_.l2_bytes());
  batch.launches = policy.rotate ? rotation.launches : launches_per_graph(request.n);
  batch.buffers = policy.rotate ? rotation.buffers : 1;
  return batch;
}

const Measurer::Buffers& Measurer::buffers_for(const Request& request, int count, u64 offset) {
  if (buffers_ != nullptr && buffers_->count == count && buffers_->offset == offset && buffers_->request == request)
    return *buffers_;
  buffers_.reset();
  const u64 places = static_cast<u64>(count);
  auto buffers = std::make_unique<Buffers>(Buffers{request, count, offset, {}});
  const Operands operands(request);
  for (const RequestOperand& operand : operands.list()) {
    const u64 behind = is_argument(operand.role) ? 0 : offset * static_cast<u64>(operand.item_bytes);
    const u64 stride = is_argument(operand.role) ? 0 : round_up(behind + operand.bytes(), kBoundaryBytes);
    const u64 given = operand.is_consumed ? operand.bytes() : 0;
    const Buffers::Array& array = buffers->arrays.emplace_back(
        Buffers::Array{behind, stride, DeviceBuffer(device_, places * stride), given, DeviceBuffer(device_, given)});
    const auto upload = [&](std::byte* first, int copies) {
      if (operand.role == OperandRole::input) upload_input(staging_, InputSpec{request}, first, copies, stride);
      upload_beside(staging_, InputSpec{request}, operand, first, copies, stride);
    };
    upload(array.memory.data() + behind, count);
    if (given > 0) upload(array.given.data(), 1);
  }
  buffers_ = std::move(buffers);
  return *buffers_;
}

std::byte* Measurer::Buffers::Array::at(int index) const {
  return memory.data() + offset_bytes + static_cast<u64>(index) * stride_bytes;
}

Pointers Measurer::Buffers::pointers(int index) const {
  Pointers pointers{};
  for (std::size_t operand = 0; operand < arrays.size(); ++operand) pointers[operand] = arrays[operand].at(index);
  return pointers;
}

bool Measurer::Buffers::are_consumed() const {
  return std::ranges::any_of(arrays, [](const Array& array) { return array.given_bytes > 0; });
}

void Measurer::Buffers::give(Device& device, Stream stream, int index) const {
  for (const Array& array : arrays)
    if (array.given_bytes > 0) device.enqueue_copy(array.at(index), array.given.data(), array.given_bytes, stream);
}

std::span<const PreparedConfig> Measurer::copies_beside(const Request& request) {
  const auto copy = copy_beside(request);
  if (!copy) return {};
  if (!copies_.empty() && copies_.front().request() == *copy) return copies_;
  std::vector<PreparedConfig> copies;
  for (const Config& config : ceiling_configs(*copy, device_.identity())) try {
      copies.emplace_back(device_, *copy, config);
    } catch (const Error&) {  // a record may name what does not run here
      if (!is_alive(device_)) throw;
    }
  copies_ = std::move(copies);
  return copies_;
}

const OrdinaryKernel& Measurer::neighbour() {
  try {
    if (neighbour_ == nullptr) neighbour_ = std::make_unique<OrdinaryKernel>(device_);
  } catch (const Error& error) {
    if (!is_alive(device_)) throw;
    throw NoInstrument(std::string("nothing isolated can be timed: ") + error.what());
  }
  return *neighbour_;
}

}  // namespace scantune
