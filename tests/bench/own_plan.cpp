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
template <class Typed>
scantune_problem problem_of(const Typed& request, int captured_launches) {
  scantune_problem problem = SCANTUNE_PROBLEM_INIT;
  problem.n = request.n;
  problem.input_type = spelled(request.input_type);
  problem.accumulator_type = spelled(request.accumulator_type);
  problem.output_type = spelled(request.output_type);
  problem.op = static_cast<scantune_operator>(request.op);
  problem.latency = static_cast<scantune_latency>(request.latency);
  problem.captured_launches = captured_launches;
  return problem;
}

}  // namespace

OwnPlan::OwnPlan(const ScanRequest& request, const void* init, int captured_launches) {
  scantune_problem problem = problem_of(request, captured_launches);
  problem.kind = static_cast<scantune_kind>(request.kind);
  problem.init = init;
  check(scantune_plan_create(&problem, &plan_));
}

OwnPlan::OwnPlan(const ReduceRequest& request, int captured_launches) : has_index_(request.has_position()) {
  const scantune_problem problem = problem_of(request, captured_launches);
  check(has_index_ ? scantune_arg_reduce_plan_create(&problem, &plan_) : scantune_reduce_plan_create(&problem, &plan_));
}

OwnPlan::~OwnPlan() { scantune_plan_destroy(plan_); }

void OwnPlan::run(const void* input, void* output, u64* index, cudaStream_t stream) const {
  check(has_index_ ? scantune_plan_run_arg(plan_, input, output, reinterpret_cast<std::uint64_t*>(index), stream)
                   : scantune_plan_run(plan_, input, output, stream));
}

std::string OwnPlan::description() const { return scantune_plan_description(plan_); }

}  // namespace scantune::bench
