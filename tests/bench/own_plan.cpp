#include "own_plan.h"

#include "scantune/error.hpp"
#include "scantune/scantune.h"

namespace scantune::bench {
namespace {

scantune_type spelled(ValueType type) { return static_cast<scantune_type>(static_cast<int>(type) + 1); }

void check(scantune_status status) {
  if (status != SCANTUNE_OK) throw DeviceError(scantune_error_message());
}

// What the requests of both algorithms have.
template <class Asked, class Typed>
Asked asked_for(Asked asked, const Typed& request, int captured_launches) {
  asked.head.n = request.n;
  asked.head.latency = static_cast<scantune_latency>(request.latency);
  asked.head.captured_launches = captured_launches;
  asked.input_type = spelled(request.input_type);
  asked.accumulator_type = spelled(request.accumulator_type);
  asked.output_type = spelled(request.output_type);
  asked.op = static_cast<scantune_operator>(request.op);
  return asked;
}

}  // namespace

OwnPlan::OwnPlan(const ScanRequest& request, const void* init, int captured_launches) {
  auto asked = asked_for(scantune_scan_request(SCANTUNE_SCAN_REQUEST_INIT), request, captured_launches);
  asked.kind = static_cast<scantune_kind>(request.kind);
  asked.init = init;
  check(scantune_plan_create(&asked.head, &plan_));
}

OwnPlan::OwnPlan(const ReduceRequest& request, int captured_launches) : has_index_(request.has_position()) {
  auto asked = asked_for(scantune_reduce_request(SCANTUNE_REDUCE_REQUEST_INIT), request, captured_launches);
  asked.position = static_cast<scantune_position>(request.position);
  check(scantune_plan_create(&asked.head, &plan_));
}

OwnPlan::~OwnPlan() { scantune_plan_destroy(plan_); }

void OwnPlan::run(const void* input, void* output, u64* index, cudaStream_t stream) const {
  const scantune_arrays arrays = {has_index_ ? 3u : 2u, {input, output, index}};
  check(scantune_plan_run(plan_, &arrays, nullptr, stream));
}

std::string OwnPlan::description() const { return scantune_plan_description(plan_); }

}  // namespace scantune::bench
