#include "measure/measure.h"

#include <algorithm>

#include "measure/rotation.h"
#include "measure/upload_input.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr u64 kBoundaryBytes = 256;  // to which buffers are aligned, as allocations are

u64 moved_bytes(const ScanRequest& request) {
  return request.n * static_cast<u64>(request.input_bytes() + request.output_bytes());
}

}  // namespace

Measurements Measurer::measure(std::span<const PreparedScan* const> scans, const MeasurePolicy& policy) {
  if (scans.empty()) return {};
  const ScanRequest& request = scans.front()->request();
  const Batch batch = batch_of(request, policy);
  const Buffers& buffers = buffers_for(request, batch.buffers);

  std::vector<DeviceBuffer> workspaces;
  std::vector<Contender> contenders;
  for (const PreparedScan* scan : scans) {
    const u64 bytes = scan->workspace_bytes(request.n);
    void* workspace = workspaces.emplace_back(device_, bytes).data();
    if (bytes != 0) device_.zero(workspace, bytes);
    contenders.push_back({to_string(scan->config()), [=, &buffers](Stream stream, int buffer) {
                            scan->enqueue(buffers.input(buffer), buffers.output(buffer), scan->request().n, workspace,
                                          stream);
                          }});
  }
  if (policy.ceiling)
    for (const CopyKernel& copy : copies(request))
      contenders.push_back({"copy",
                            [&](Stream stream, int buffer) {
                              copy.enqueue(buffers.input(buffer), buffers.output(buffer), request.n, stream);
                            },
                            true});

  Measurements result{race(device_, contenders, batch, policy), std::nullopt};
  for (std::size_t index = scans.size(); index < result.scans.size(); ++index) {
    const auto* copy = std::get_if<Measurement>(&result.scans[index]);
    if (copy != nullptr && !copy->probe_only) result.ceiling_us = copy->median_us;
  }
  result.scans.resize(scans.size());
  return result;
}

Batch Measurer::batch_of(const ScanRequest& request, const MeasurePolicy& policy) {
  Batch batch;
  // The host device runs each launch to its end: nothing is gained by queueing several, and each is isolated.
  if (device_.identity().sm == kHostSm) return batch;
  if (request.latency == Latency::isolated)
    batch.neighbour = [&kernel = neighbour()](Stream stream) { kernel.enqueue(stream); };
  batch.launches = launches_per_graph(request.n);
  if (!policy.rotate) return batch;
  const u64 pairs = std::max<u64>(kRotationBytes, 2 * device_.l2_bytes()) / moved_bytes(request);
  batch.buffers = static_cast<int>(std::clamp<u64>(pairs, 1, static_cast<u64>(batch.launches)));
  return batch;
}

const Measurer::Buffers& Measurer::buffers_for(const ScanRequest& request, int count) {
  if (buffers_ != nullptr && buffers_->count == count && buffers_->request == request) return *buffers_;
  buffers_.reset();
  const u64 places = static_cast<u64>(count);
  const u64 input_stride = round_up(request.n * static_cast<u64>(request.input_bytes()), kBoundaryBytes);
  const u64 output_stride = round_up(request.n * static_cast<u64>(request.output_bytes()), kBoundaryBytes);
  auto buffers = std::make_unique<Buffers>(Buffers{request,
                                                   count,
                                                   input_stride,
                                                   output_stride,
                                                   {device_, places * input_stride},
                                                   {device_, places * output_stride}});
  upload_input(staging_, InputSpec{request}, buffers->inputs.data(), count, input_stride);
  buffers_ = std::move(buffers);
  return *buffers_;
}

std::span<const CopyKernel> Measurer::copies(const ScanRequest& request) {
  auto& kernels = copies_[{request.input_bytes(), request.output_bytes()}];
  if (kernels.empty()) kernels = CopyKernel::all(device_, request.input_bytes(), request.output_bytes());
  return kernels;
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
