// Reductions: one value of many items, and where the least or the greatest of them stands. Included by runtime.hpp.
//
//   runtime::reduce(d_in, d_sum, n);                                 // the sum
//   runtime::reduce(d_in, d_least, n, {.op = runtime::Op::min});
//   runtime::argmax(d_in, d_greatest, d_index, n);
//
// Equal inputs give equal bits on every run of one device and config, but for those of a NaN.
#pragma once

#include "scantune/runtime.hpp"

namespace scantune::runtime {

// Acc: the type that items are combined in.
template <class Acc>
struct ReduceOptions {
  Op op = Op::sum;
  // Combined before the first item, at most one of the two; of no items it is the result. device_init lies in memory of
  // the device, outside the output, and is read when the reduction runs, in the stream's order. Without either op's
  // identity takes its place, if it has one: a sum starts from 0, a minimum from the greatest value.
  InitialValue<Acc> init = {};
  const Acc* device_init = nullptr;
  Stream stream = nullptr;  // of reduce(); a plan takes its stream per call
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;  // as of scans
  std::string config = {};    // as of scans
  // Segments::rows(count, length), or columns(): each row or column, of all planes, has a result of its own.
  Segments segments = {};
  Map load = {};   // as of scans
  Map store = {};  // as of scans
};

struct ArgOptions {
  Stream stream = nullptr;
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;
  std::string config = {};
  Segments segments = {};  // each row or column has a result of its own, whose index counts from its start
};

namespace detail {

// Each points into the options, which must outlive it.
template <class In, class Out, class Acc>
scantune_problem problem_of(std::uint64_t n, const ReduceOptions<Acc>& options) {
  scantune_problem problem =
      problem_of<In, Out, Acc>(n, ScanOptions<Acc>{.latency = options.latency,
                                                   .captured_launches = options.captured_launches,
                                                   .segments = options.segments,
                                                   .load = options.load,
                                                   .store = options.store});
  problem.op = options.op.value();
  problem.init = options.init.get();
  problem.device_init = options.device_init;
  problem.custom = options.op.custom_operator();
  problem.config = checked_config(options.config);
  if (problem.custom != nullptr) check_identity<Acc>(*problem.custom);
  return problem;
}

template <class T>
scantune_problem problem_of(std::uint64_t n, const Op& op, const ArgOptions& options) {
  using Acc = default_accumulator_t<T, T>;
  scantune_problem problem = problem_of<T, T, Acc>(
      n, ScanOptions<Acc>{
             .latency = options.latency, .captured_launches = options.captured_launches, .segments = options.segments});
  problem.op = op.value();
  problem.custom = op.custom_operator();  // which has no extremes, as the library says
  problem.config = checked_config(options.config);
  return problem;
}

}  // namespace detail

// Throws RequestError when no kernel solves the problem, and another scantune::Error when one cannot be had.
template <class In, class Out = In, class Acc = default_accumulator_t<In, Out>>
Plan<In, Out, Acc> reduce_plan(std::uint64_t n, const ReduceOptions<std::type_identity_t<Acc>>& options = {}) {
  const scantune_problem problem = detail::problem_of<In, Out, Acc>(n, options);
  scantune_plan* state = nullptr;
  detail::check(scantune_reduce_plan_create(&problem, &state));
  return Plan<In, Out, Acc>(state);
}
template <class In, class Out = In, class Acc = default_accumulator_t<In, Out>>
Plan<In, Out, Acc> reduce_plan(std::uint64_t n, const Op& op) {
  detail::check_unmapped<In, Acc, Out>();
  return reduce_plan<In, Out, Acc>(n, ReduceOptions<Acc>{.op = op});
}

// Reduces input[0, n) to output[0], or each row or column to an output of its own, both in memory of the device, which
// must not overlap. Returns as soon as the work is in the stream. Throws before anything is launched if an argument is
// wrong, and where n is 0 and nothing says what the result is then.
template <class In, class Out, class Acc = default_accumulator_t<In, Out>>
void reduce(const In* input, Out* output, std::uint64_t n,
            const ReduceOptions<std::type_identity_t<Acc>>& options = {}) {
  const scantune_problem problem = detail::problem_of<In, Out, Acc>(n, options);
  detail::check(scantune_reduce(&problem, input, output, options.stream));
}
template <class In, class Out, class Acc = default_accumulator_t<In, Out>>
void reduce(const In* input, Out* output, std::uint64_t n, const Op& op) {
  detail::check_unmapped<In, Acc, Out>();
  reduce<In, Out, Acc>(input, output, n, ReduceOptions<Acc>{.op = op});
}

// Says which config reduce() runs for n items, from which record, and why. Nothing runs.
template <class In, class Out = In, class Acc = default_accumulator_t<In, Out>>
std::string describe_reduce(std::uint64_t n, const ReduceOptions<std::type_identity_t<Acc>>& options = {}) {
  auto captured_nowhere = options;
  captured_nowhere.captured_launches = 0;  // nothing runs: no workspace is needed
  return reduce_plan<In, Out, Acc>(n, captured_nowhere).describe();
}

// Writes the least item to value[0] and where it first stands to index[0], both in memory of the device. Of equal items
// the first counts; -0 is less than +0; the first NaN is the result of any input that has one. Throws RequestError
// before anything is launched if an argument is wrong or n is 0.
template <class T>
void argmin(const T* input, T* value, std::uint64_t* index, std::uint64_t n, const ArgOptions& options = {}) {
  const scantune_problem problem = detail::problem_of<T>(n, Op::min, options);
  detail::check(scantune_arg_reduce(&problem, input, value, index, options.stream));
}
// The same of the greatest item.
template <class T>
void argmax(const T* input, T* value, std::uint64_t* index, std::uint64_t n, const ArgOptions& options = {}) {
  const scantune_problem problem = detail::problem_of<T>(n, Op::max, options);
  detail::check(scantune_arg_reduce(&problem, input, value, index, options.stream));
}

// A plan of argmin() or argmax(), with what a Plan promises.
template <class T>
class ArgPlan {
 public:
  void operator()(const T* input, T* value, std::uint64_t* index, Stream stream = nullptr) const {
    detail::check(scantune_plan_run_arg(state_.get(), input, value, index, stream));
  }
  // The same in a workspace of the caller's, by the rules of Plan.
  void operator()(const T* input, T* value, std::uint64_t* index, const Workspace& workspace,
                  Stream stream = nullptr) const {
    detail::check(
        scantune_plan_run_arg_in(state_.get(), input, value, index, workspace.memory, workspace.bytes, stream));
  }

  // Bytes of the workspace that one run needs; 0: it needs none, and takes any.
  std::uint64_t workspace_bytes() const { return scantune_plan_workspace_bytes(state_.get()); }

  std::string describe() const { return scantune_plan_description(state_.get()); }

 private:
  explicit ArgPlan(scantune_plan* state) : state_(state, &scantune_plan_destroy) {}
  template <class U>
  friend ArgPlan<U> arg_plan(std::uint64_t n, const Op& op, const ArgOptions& options);

  std::shared_ptr<scantune_plan> state_;
};

// op: Op::min or Op::max. Throws as reduce_plan().
template <class T>
ArgPlan<T> arg_plan(std::uint64_t n, const Op& op, const ArgOptions& options = {}) {
  const scantune_problem problem = detail::problem_of<T>(n, op, options);
  scantune_plan* state = nullptr;
  detail::check(scantune_arg_reduce_plan_create(&problem, &state));
  return ArgPlan<T>(state);
}

}  // namespace scantune::runtime
