#include "measure/measure.h"

#include <algorithm>

#include "measure/inputs.h"
#include "measure/parallel.h"
#include "measure/rotation.h"

namespace scantune {
namespace {

constexpr u64 kFillBytes = u64{1} << 20;
constexpr u64 kTransferBytes = u64{64} << 20;

u64 bytes_of(const ScanRequest& request) { return request.n * static_cast<u64>(request.input_bytes()); }

// The same random items to `count` places, stride_bytes apart.
void upload_random(Device& device, const ScanRequest& request, std::byte* to, int count, u64 stride_bytes) {
  const u64 bytes = bytes_of(request), item_bytes = static_cast<u64>(request.input_bytes());
  const InputSpec spec{.type = request.input_type, .op = request.op, .n = request.n, .seed = 1};
  std::vector<std::byte> staging;
  for (u64 done = 0; done < bytes; done += kTransferBytes) {
    const u64 transfer = std::min(kTransferBytes, bytes - done);
    staging.resize(transfer);
    parallel_for(ceil_div(transfer, kFillBytes), [&](u64 part) {
      const u64 begin = part * kFillBytes;
      fill_input(spec, (done + begin) / item_bytes,
                 std::span(staging).subspan(begin, std::min(kFillBytes, transfer - begin)));
    });
    for (int place = 0; place < count; ++place)
      device.upload(to + done + static_cast<u64>(place) * stride_bytes, staging.data(), transfer);
  }
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
  // The host device runs each launch to its end: nothing is gained by queueing several.
  if (device_.identity().sm == kHostSm) return {};
  const int launches = launches_per_graph(request.n);
  if (!policy.rotate) return {launches, 1};
  const u64 pairs = std::max<u64>(kRotationBytes, 2 * device_.l2_bytes()) / (2 * bytes_of(request));
  return {launches, static_cast<int>(std::clamp<u64>(pairs, 1, static_cast<u64>(launches)))};
}

const Measurer::Buffers& Measurer::buffers_for(const ScanRequest& request, int count) {
  const u64 stride = round_up(bytes_of(request), 256);
  if (buffers_ != nullptr && buffers_->count == count && buffers_->request == request) return *buffers_;
  buffers_.reset();
  const u64 bytes = static_cast<u64>(count) * stride;
  auto buffers = std::make_unique<Buffers>(
      Buffers{request, count, stride, DeviceBuffer(device_, bytes), DeviceBuffer(device_, bytes)});
  upload_random(device_, request, buffers->inputs.data(), count, stride);
  buffers_ = std::move(buffers);
  return *buffers_;
}

std::span<const CopyKernel> Measurer::copies(const ScanRequest& request) {
  auto& kernels = copies_[{request.input_bytes(), request.output_bytes()}];
  if (kernels.empty()) kernels = CopyKernel::all(device_, request.input_bytes(), request.output_bytes());
  return kernels;
}

}  // namespace scantune
