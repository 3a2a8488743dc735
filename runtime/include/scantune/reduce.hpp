// Reductions: one value from many items, and the index of the least or greatest. Included by runtime.hpp.
//
//   runtime::reduce(d_in, d_sum, n);                                 // the sum
//   runtime::reduce(d_in, d_least, n, {.op = runtime::Op::min});
//   runtime::argmax(d_in, d_greatest, d_index, n);
//   runtime::arg_minmax(d_in, d_least, d_least_index, d_greatest, d_greatest_index, n);
//   runtime::segmented_reduce(d_in, d_offsets, d_sums, n, segments);           // a sum for each segment
//   runtime::segmented_reduce(d_in, d_begins, d_ends, d_sums, n, segments);    // of any, that may overlap
//
// Equal inputs give equal bits on every run of one device and config, except the bits of a NaN.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <cstdint>
#include <string>
#include <type_traits>

#include "scantune/less.hpp"
#include "scantune/scan.hpp"

namespace scantune::runtime {

// Acc: the type that items are combined in.
template <class Acc>
struct ReduceOptions {
  Op op = Op::sum;
  // Segments::rows(count, length), or columns(): each row or column of each plane has its own result.
  Segments segments = {};
  UserFunction load = {};   // as in ScanOptions
  UserFunction store = {};  // as in ScanOptions
  // The initial value, combined before the first item; set at most one of the two. If n is 0, it is the result.
  // device_init is in device memory, outside the output, and is read when the reduction runs, in stream order. Without
  // either, op's identity is used, if it has one: a sum starts from 0, a minimum from the greatest value.
  InitialValue<Acc> init = {};
  const Acc* device_init = nullptr;
  Stream stream = nullptr;  // as in ScanOptions
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;  // as in ScanOptions
  Device device = Device::current_gpu;
  std::string config = {};  // as in ScanOptions
};

// Acc: the type that items are combined in.
template <class Acc>
struct SegmentedReduceOptions {
  Op op = Op::sum;
  UserFunction load = {};   // as in ScanOptions
  UserFunction store = {};  // as in ScanOptions
  // The initial value, combined before the first item of each segment; set at most one of the three. It is the result
  // of an empty segment. device_inits has one value per segment. Without any, op's identity is used; an operator
  // without one needs an initial value.
  InitialValue<Acc> init = {};
  const Acc* device_init = nullptr;
  const Acc* device_inits = nullptr;
  // The number of segments, in device memory: a pointer to an integer of 4 or 8 bytes; null: segment_count. It is read
  // when the reduction runs. Of more than segment_count, or a negative number, segment_count segments are reduced.
  detail::Read device_segment_count = nullptr;
  // Check the offsets first. The check waits for the stream and throws a RequestError that names the first offset
  // outside [0, n], or end before its begin. It is refused while the stream is being captured.
  bool check = false;
  Stream stream = nullptr;  // as in ScanOptions
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;  // as in ScanOptions
  Device device = Device::current_gpu;
  std::string config = {};  // as in ScanOptions
};

// The item that argmin() and argmax() take among equal ones, or among NaNs: the first or the last.
enum class Position { first = SCANTUNE_FIRST_POSITION, last = SCANTUNE_LAST_POSITION };

struct ArgOptions {
  Position position = Position::first;
  UserFunction less = {};  // by Less; without one numbers are ordered by value, and structs need one
  Segments segments = {};  // each row or column has its own result, with an index from its start
  UserFunction load = {};  // as in ScanOptions
  // As in ScanOptions, with the position after the value: Result store(Value value, unsigned long long position). The
  // functions that take no pointer to an index have one.
  UserFunction store = {};
  Stream stream = nullptr;
  Latency latency = Latency::back_to_back;
  int captured_launches = 4;
  Device device = Device::current_gpu;
  std::string config = {};
};

// A plan of reduce().
template <class In, class Out = In>
using ReducePlan = Plan<Input<In>, Output<Out>>;
// Plans of segmented_reduce(), by bounds and by begins and ends.
template <class In, class Offset, class Out = In>
using SegmentedReducePlan = Plan<Input<In>, Begins<Offset>, Output<Out>>;
template <class In, class Offset, class Out = In>
using SegmentedReduceRangesPlan = Plan<Input<In>, Begins<Offset>, Ends<Offset>, Output<Out>>;
// A plan of argmin() or argmax(), and one with a store.
template <class In, class IndexType = std::uint64_t, class Out = In>
using ArgPlan = Plan<Input<In>, Output<Out>, Indices<IndexType>>;
template <class In, class Out>
using StoredArgPlan = Plan<Input<In>, Output<Out>>;
// Those of arg_minmax().
template <class In, class IndexType = std::uint64_t, class Out = In>
using ArgMinMaxPlan = Plan<Input<In>, Output<Out>, Indices<IndexType>, Second<Out>, SecondIndices<IndexType>>;
template <class In, class Out>
using StoredArgMinMaxPlan = Plan<Input<In>, Output<Out>, Second<Out>>;

namespace detail {

// Each points into the options, which must outlive it.
template <class In, class Out, class Acc>
auto reduction_of(std::uint64_t n, const ReduceOptions<Acc>& options) {
  Call<scantune_reduce_request, ReducePlan<In, Out>> call = {SCANTUNE_REDUCE_REQUEST_INIT, options.stream};
  take_combining<In, Out, Acc>(call.request, n, options);
  check_no_output_strides(options.segments.placed());
  return call;
}

template <class PlanType, class In, class Offset, class Out, class Acc>
auto segmented_reduction_of(std::uint64_t n, std::uint64_t segment_count, scantune_offset_form form,
                            const SegmentedReduceOptions<Acc>& options) {
  Call<scantune_reduce_request, PlanType> call = {SCANTUNE_REDUCE_REQUEST_INIT, options.stream};
  take_combining<In, Out, Acc>(call.request, n, options);
  take_offsets<Offset>(call.request, segment_count, form, options);
  return call;
}
template <class In, class Offset, class Out, class Acc>
auto reduction_by_bounds(std::uint64_t n, std::uint64_t segment_count, const SegmentedReduceOptions<Acc>& options) {
  return segmented_reduction_of<SegmentedReducePlan<In, Offset, Out>, In, Offset, Out, Acc>(n, segment_count,
                                                                                            SCANTUNE_BOUNDS, options);
}
template <class In, class Offset, class Out, class Acc>
auto reduction_of_ranges(std::uint64_t n, std::uint64_t segment_count, const SegmentedReduceOptions<Acc>& options) {
  return segmented_reduction_of<SegmentedReduceRangesPlan<In, Offset, Out>, In, Offset, Out, Acc>(
      n, segment_count, SCANTUNE_BEGINS_AND_ENDS, options);
}

inline const ArgOptions& with_store(const ArgOptions& options) {
  if (options.store.get() == nullptr)
    throw RequestError("store is left out, and so is the pointer to an index: pass one of the two");
  return options;
}

template <class PlanType, class In, class Acc, class Out>
auto extreme_of(std::uint64_t n, const Op& op, const ArgOptions& options) {
  Call<scantune_reduce_request, PlanType> call = {SCANTUNE_REDUCE_REQUEST_INIT, options.stream};
  scantune_reduce_request& request = call.request;
  take_mapped<In, Acc, Out>(request, n, options);
  check_role<SCANTUNE_FUNCTION_LESS>("less", options.less.get());
  check_no_output_strides(options.segments.placed());
  request.op = op.value();
  request.combine = op.function();  // the library refuses a custom operator here
  request.position = static_cast<scantune_position>(options.position);
  request.less = options.less.get();
  return call;
}

template <class In, class Acc, class Out, class IndexType>
auto indexed_extreme_of(std::uint64_t n, const Op& op, const ArgOptions& options) {
  auto call = extreme_of<ArgPlan<In, IndexType, Out>, In, Acc, Out>(n, op, options);
  call.request.index_type = count_type<IndexType>();
  return call;
}

template <class PlanType, class In, class Acc, class Out>
auto extremes_of(std::uint64_t n, const ArgOptions& options) {
  auto call = extreme_of<PlanType, In, Acc, Out>(n, Op::min, options);
  call.request.extremes = SCANTUNE_BOTH_EXTREMES;
  return call;
}

template <class In, class Acc, class Out, class IndexType>
auto indexed_extremes_of(std::uint64_t n, const ArgOptions& options) {
  auto call = extremes_of<ArgMinMaxPlan<In, IndexType, Out>, In, Acc, Out>(n, options);
  call.request.index_type = count_type<IndexType>();
  return call;
}

}  // namespace detail

// Throws RequestError if no kernel solves the problem, and another scantune::Error if the kernel cannot be compiled or
// loaded.
template <class In, class Out = In, class Acc = default_accumulator_t<In, Out>>
ReducePlan<In, Out> reduce_plan(std::uint64_t n, const ReduceOptions<std::type_identity_t<Acc>>& options = {}) {
  return detail::reduction_of<In, Out, Acc>(n, options).plan();
}
template <class In, class Out = In, class Acc = default_accumulator_t<In, Out>>
ReducePlan<In, Out> reduce_plan(std::uint64_t n, const Op& op) {
  detail::check_unmapped<In, Acc, Out>();
  return reduce_plan<In, Out, Acc>(n, ReduceOptions<Acc>{.op = op});
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(reduce_plan)

// Reduces input[0, n) to output[0], or each row or column to its own output. Both are in device memory and must not
// overlap. Returns as soon as the work is in the stream. Throws, and launches nothing, if an argument is wrong, or if n
// is 0 and there is neither initial value nor identity.
template <class In, class Out, class Acc = default_accumulator_t<In, Out>>
void reduce(const In* input, Out* output, std::uint64_t n,
            const ReduceOptions<std::type_identity_t<Acc>>& options = {}) {
  detail::reduction_of<In, Out, Acc>(n, options).run(input, output);
}
template <class In, class Out, class Acc = default_accumulator_t<In, Out>>
void reduce(const In* input, Out* output, std::uint64_t n, const Op& op) {
  detail::check_unmapped<In, Acc, Out>();
  reduce<In, Out, Acc>(input, output, n, ReduceOptions<Acc>{.op = op});
}
SCANTUNE_EXPLAIN_MISTAKES(reduce)

// Reduces each of the segments to its own output: segment s is input[offsets[s], offsets[s + 1]), of segment_count + 1
// offsets; or with begins and ends input[begins[s], ends[s]). Segments may be empty, overlap, leave gaps and be in any
// order; items in gaps are not read. All arrays are in device memory, and the output overlaps no other. The host does
// not read the offsets. One below 0 counts as 0, one above n as n, and a segment that ends before it begins is empty.
// Else as reduce().
template <class In, class Offset, class Out, class Acc = default_accumulator_t<In, std::remove_const_t<Out>>>
void segmented_reduce(const In* input, const Offset* offsets, Out* output, std::uint64_t n, std::uint64_t segment_count,
                      const SegmentedReduceOptions<std::type_identity_t<Acc>>& options = {}) {
  detail::reduction_by_bounds<In, Offset, Out, Acc>(n, segment_count, options).run(input, offsets, output);
}
template <class In, class Offset, class Out, class Acc = default_accumulator_t<In, Out>>
void segmented_reduce(const In* input, const Offset* begins, const Offset* ends, Out* output, std::uint64_t n,
                      std::uint64_t segment_count,
                      const SegmentedReduceOptions<std::type_identity_t<Acc>>& options = {}) {
  detail::reduction_of_ranges<In, Offset, Out, Acc>(n, segment_count, options).run(input, begins, ends, output);
}
SCANTUNE_EXPLAIN_MISTAKES(segmented_reduce)

// Create plans for exactly n items and segment_count segments. Throw what reduce_plan() throws.
template <class In, class Offset, class Out = In, class Acc = default_accumulator_t<In, Out>>
SegmentedReducePlan<In, Offset, Out> segmented_reduce_plan(
    std::uint64_t n, std::uint64_t segment_count,
    const SegmentedReduceOptions<std::type_identity_t<Acc>>& options = {}) {
  return detail::reduction_by_bounds<In, Offset, Out, Acc>(n, segment_count, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_reduce_plan)
template <class In, class Offset, class Out = In, class Acc = default_accumulator_t<In, Out>>
SegmentedReduceRangesPlan<In, Offset, Out> segmented_reduce_ranges_plan(
    std::uint64_t n, std::uint64_t segment_count,
    const SegmentedReduceOptions<std::type_identity_t<Acc>>& options = {}) {
  return detail::reduction_of_ranges<In, Offset, Out, Acc>(n, segment_count, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_reduce_ranges_plan)

// Writes the least item to value[0] and its index to index[0], an integer of 4 or 8 bytes, both in device memory. Of
// equal items the first is the result, or with Position::last the last. -0 is less than +0. If the input has a NaN, the
// first one, or the last, is the result. If n is 0, the value is what Op::min starts from, the greatest, or with `less`
// is not written, and the index has all bits set, as -1 has. Throws RequestError, and launches nothing, if an argument
// is wrong. Acc is the type of the items that are compared, after a load.
template <class In, class Out, class IndexType, class Acc = default_accumulator_t<Out, Out>>
void argmin(const In* input, Out* value, IndexType* index, std::uint64_t n, const ArgOptions& options = {}) {
  detail::indexed_extreme_of<In, Acc, Out, IndexType>(n, Op::min, options).run(input, value, index);
}
// The same with a store, which takes value and index. It is not called where nothing is written.
template <class In, class Out, class Acc = default_accumulator_t<In, In>>
void argmin(const In* input, Out* output, std::uint64_t n, const ArgOptions& options) {
  detail::extreme_of<StoredArgPlan<In, Out>, In, Acc, Out>(n, Op::min, detail::with_store(options)).run(input, output);
}
SCANTUNE_EXPLAIN_MISTAKES(argmin)
// The same for the greatest item.
template <class In, class Out, class IndexType, class Acc = default_accumulator_t<Out, Out>>
void argmax(const In* input, Out* value, IndexType* index, std::uint64_t n, const ArgOptions& options = {}) {
  detail::indexed_extreme_of<In, Acc, Out, IndexType>(n, Op::max, options).run(input, value, index);
}
template <class In, class Out, class Acc = default_accumulator_t<In, In>>
void argmax(const In* input, Out* output, std::uint64_t n, const ArgOptions& options) {
  detail::extreme_of<StoredArgPlan<In, Out>, In, Acc, Out>(n, Op::max, detail::with_store(options)).run(input, output);
}
SCANTUNE_EXPLAIN_MISTAKES(argmax)

// op: Op::min or Op::max. Throws what reduce_plan() throws.
template <class In, class IndexType = std::uint64_t, class Out = In, class Acc = default_accumulator_t<Out, Out>>
ArgPlan<In, IndexType, Out> arg_plan(std::uint64_t n, const Op& op, const ArgOptions& options = {}) {
  return detail::indexed_extreme_of<In, Acc, Out, IndexType>(n, op, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(arg_plan)
template <class In, class Out, class Acc = default_accumulator_t<In, In>>
StoredArgPlan<In, Out> stored_arg_plan(std::uint64_t n, const Op& op, const ArgOptions& options) {
  return detail::extreme_of<StoredArgPlan<In, Out>, In, Acc, Out>(n, op, detail::with_store(options)).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(stored_arg_plan)

// Does argmin() and argmax() at once, with the same options: the input is read once.
template <class In, class Out, class IndexType, class Acc = default_accumulator_t<Out, Out>>
void arg_minmax(const In* input, Out* least, IndexType* least_index, Out* greatest, IndexType* greatest_index,
                std::uint64_t n, const ArgOptions& options = {}) {
  detail::indexed_extremes_of<In, Acc, Out, IndexType>(n, options)
      .run(input, least, least_index, greatest, greatest_index);
}
template <class In, class Out, class Acc = default_accumulator_t<In, In>>
void arg_minmax(const In* input, Out* least, Out* greatest, std::uint64_t n, const ArgOptions& options) {
  detail::extremes_of<StoredArgMinMaxPlan<In, Out>, In, Acc, Out>(n, detail::with_store(options))
      .run(input, least, greatest);
}
SCANTUNE_EXPLAIN_MISTAKES(arg_minmax)
template <class In, class IndexType = std::uint64_t, class Out = In, class Acc = default_accumulator_t<Out, Out>>
ArgMinMaxPlan<In, IndexType, Out> arg_minmax_plan(std::uint64_t n, const ArgOptions& options = {}) {
  return detail::indexed_extremes_of<In, Acc, Out, IndexType>(n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(arg_minmax_plan)
template <class In, class Out, class Acc = default_accumulator_t<In, In>>
StoredArgMinMaxPlan<In, Out> stored_arg_minmax_plan(std::uint64_t n, const ArgOptions& options) {
  return detail::extremes_of<StoredArgMinMaxPlan<In, Out>, In, Acc, Out>(n, detail::with_store(options)).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(stored_arg_minmax_plan)

}  // namespace scantune::runtime

#endif
