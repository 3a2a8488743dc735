#include "measure/prepared_scan.h"

#include <algorithm>
#include <vector>

#include "measure/inputs.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

// A recursive family launches some of its kernels for many items only; the module serves every n.
constexpr u64 kManyItems = u64{1} << 34;

std::vector<int> max_shared_bytes(const Config& config, ScanRequest request) {
  std::vector<int> bytes(config.family().kernels().size(), 0);
  for (const u64 n : {request.n, kManyItems}) {
    request.n = n;
    const LaunchList list = config.family().launches(config, request);
    for (int index = 0; index < list.count; ++index) {
      const Launch& launch = list.launches[index];
      int& largest = bytes[static_cast<std::size_t>(launch.kernel)];
      largest = std::max(largest, launch.shared_bytes);
    }
  }
  return bytes;
}

}  // namespace

PreparedScan::PreparedScan(Device& device, const ScanRequest& request, const Config& config)
    : device_(device), request_(request), config_(config) {
  if (const char* reason = reject_reason(config, request, device.identity().sm))
    throw RequestError(to_string(config) + " cannot do " + to_string(request) + " on " + device.identity().arch + ": " +
                       reason);
  fill_init({.type = request.accumulator_type, .op = request.op}, arguments_.init);
  const Instantiation instantiation = instantiate(request, config);
  const Binary binary = device.compiler().compile(instantiation, device.identity().arch);
  module_ = device.load(binary, instantiation.kernels, max_shared_bytes(config, request));
}

ScanRequest PreparedScan::with(u64 n) const {
  ScanRequest request = request_;
  request.n = n;
  return request;
}

u64 PreparedScan::workspace_bytes(u64 n) const { return config_.family().workspace(config_, with(n)).bytes; }

void PreparedScan::enqueue(const void* input, void* output, u64 n, void* workspace, Stream stream) const {
  KernelArguments arguments = arguments_;
  arguments.input = input;
  arguments.output = output;
  arguments.workspace = workspace;
  const LaunchList list = config_.family().launches(config_, with(n));
  for (int index = 0; index < list.count; ++index) {
    const Launch& launch = list.launches[index];
    arguments.n = launch.n;
    arguments.source_offset = launch.source_offset;
    arguments.destination_offset = launch.destination_offset;
    device_.launch(*module_, launch, arguments, stream);
  }
}

ScanRequest element_aligned(ScanRequest request) {
  request.alignment_bytes = std::max(size_of(request.input_type), size_of(request.output_type));
  return request;
}

}  // namespace scantune
