#include "measure/prepared_scan.h"

#include "launch/loading.h"
#include "measure/inputs.h"
#include "measure/stand_in.h"
#include "scantune/error.hpp"

namespace scantune {

Instantiation instantiate_measured(const ScanRequest& request, const Config& config, const CustomOperator* custom) {
  if (!is_custom(request.op)) return instantiate(request, config);
  if (custom != nullptr && !custom->source.empty()) return instantiate(request, config, custom);
  const CustomOperator substitute = stand_in_for(request);
  return instantiate(request, config, &substitute);
}

PreparedScan::PreparedScan(Device& device, const ScanRequest& request, const Config& config,
                           const CustomOperator* custom)
    : device_(device),
      request_(request),
      config_(config),
      init_memory_(device, request.init == Init::memory ? kMaxValueBytes : 0) {
  if (const char* reason = reject_reason(config, request, device.identity().sm))
    throw RequestError(to_string(config) + " cannot do " + to_string(request) + " on " + device.identity().arch + ": " +
                       reason);
  if (request.has_init()) fill_init(request, arguments_.init);
  if (request.init == Init::memory) {
    device.upload(init_memory_.data(), arguments_.init, kMaxValueBytes);
    arguments_.init_memory = init_memory_.data();
  }
  const Instantiation instantiation = instantiate_measured(request, config, custom);
  const Binary binary = device.compiler().compile(instantiation, device.identity().arch);
  module_ = device.load(binary, instantiation.kernels, max_shared_bytes(config, request));
  check_fit(device, *module_, config.family().launches(config, request));
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
  for (int index = 0; index < list.count; ++index) device_.launch(*module_, list.launches[index], arguments, stream);
}

}  // namespace scantune
