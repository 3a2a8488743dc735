#include "measure/prepared_config.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "instantiation/instantiation.h"
#include "launch/loading.h"
#include "measure/inputs.h"
#include "measure/stand_in.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr u64 kMore = std::numeric_limits<u64>::max();  // clamped to what is launched

bool has_operand(const Request& request, OperandRole role) {
  const Operands operands(request);
  return std::ranges::find(operands.list(), role, &RequestOperand::role) != operands.list().end();
}
// Initial values in memory: one, or one per row or column; unused by algorithms that combine nothing.
u64 inits_in_memory(const Request& request) {
  return has_operand(request, OperandRole::init) ? Operands(request).of(OperandRole::init).items : 0;
}
u64 bytes_of(OperandRole role, const Request& request) {
  return has_operand(request, role) ? Operands(request).of(role).bytes() : 0;
}

}  // namespace

Instantiation instantiate_measured(const Request& request, const Config& config, Variant variant,
                                   const CustomOperator* custom) {
  if (!request.has_custom_operator()) return instantiate(request, config, variant);
  if (custom != nullptr && !custom->source.empty()) return instantiate(request, config, variant, custom);
  const CustomOperator substitute = stand_in_for(request);
  return instantiate(request, config, variant, &substitute);
}

PreparedConfig::PreparedConfig(Device& device, const Request& request, const Config& config, Variant variant,
                               const CustomOperator* custom)
    : device_(device),
      request_(request),
      config_(config),
      variant_(variant),
      operands_(CheckedRequest(request)),
      init_memory_(device, bytes_of(OperandRole::init, request)),
      n_memory_(device, has_operand(request, OperandRole::n) ? sizeof(u64) : 0),
      count_memory_(device, has_operand(request, OperandRole::segment_count) ? sizeof(u64) : 0),
      k_memory_(device, bytes_of(OperandRole::k, request)) {
  if (const char* reason = reject_reason(config, request, device.identity().sm))
    throw RequestError(to_string(config) + " cannot do " + to_string(request) + " on " + device.identity().arch + ": " +
                       reason);
  fill_init(request, arguments_.init);
  if (const u64 inits = inits_in_memory(request); inits > 0) {
    const auto bytes = static_cast<std::size_t>(request.accumulator_bytes());
    std::vector<unsigned char> all(inits * bytes);
    for (std::size_t place = 0; place < all.size(); place += bytes) std::memcpy(&all[place], arguments_.init, bytes);
    device.upload(init_memory_.data(), all.data(), all.size());
    arguments_.set_operand(OperandRole::init, init_memory_.data());
  }
  if (has_operand(request, OperandRole::n)) {
    arguments_.set_operand(OperandRole::n, n_memory_.data());
    put_n(kMore);
  }
  if (has_operand(request, OperandRole::segment_count)) {
    arguments_.set_operand(OperandRole::segment_count, count_memory_.data());
    device.upload(count_memory_.data(), &kMore, sizeof kMore);
  }
  if (has_operand(request, OperandRole::k)) {
    arguments_.set_operand(place_of(OperandRole::k), k_memory_.data());
    put_k(kMore);
  }
  const Instantiation instantiation = instantiate_measured(request, config, variant, custom);
  const Binary binary = device.compiler().compile(instantiation, device.identity().arch);
  module_ = device.load(binary, instantiation.kernels, max_shared_bytes(config, request, variant));
  check_fit(device, *module_, config.family().launches(config, request, variant));
}

void PreparedConfig::put_n(u64 n) const {
  if (reads_n()) device_.upload(n_memory_.data(), &n, sizeof n);
}

void PreparedConfig::put_k(u64 k) const {
  if (reads_k()) device_.upload(k_memory_.data(), &k, bytes_of(OperandRole::k, request_));  // in little-endian order
}

Request PreparedConfig::with(u64 n) const {
  Request request = request_;
  request.n = n;
  return request;
}

u64 PreparedConfig::workspace_bytes(u64 n) const { return config_.family().workspace(config_, with(n)).bytes; }

void PreparedConfig::enqueue(const Pointers& pointers, u64 n, void* workspace, Stream stream) const {
  KernelArguments arguments = arguments_;
  operands_.fill_arrays(arguments, pointers);
  arguments.workspace = workspace;
  const LaunchList list = config_.family().launches(config_, with(n), variant_);
  for (int index = 0; index < list.count; ++index) device_.launch(*module_, list.launches[index], arguments, stream);
}

}  // namespace scantune
