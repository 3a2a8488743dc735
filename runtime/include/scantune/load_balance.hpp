// Load balances: the segment of each item, for segments of any lengths. Included by runtime.hpp.
//
//   runtime::load_balance(d_offsets, segments, d_segment_of, n);                        // the segment of every item
//   runtime::load_balance(d_offsets, segments, d_segment_of, n, {.rank_of = d_rank});   // and its position in it
//   runtime::expand(d_offsets, segments, d_values, d_out, n);                           // the value of its segment
//
// There are segments + 1 offsets, which ascend from 0 to n: segment s has the items offsets[s] to offsets[s + 1] - 1,
// and may be empty. All pointers are to device memory, and an output overlaps no other array. The host does not read
// the offsets. Invalid offsets give wrong results, but nothing outside these arrays is touched. Each function returns
// as soon as the work is in the stream. If an argument is wrong, it throws and launches nothing, except a check of
// offsets, which it waits for.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <cstdint>
#include <string>
#include <type_traits>

#include "scantune/options.hpp"

namespace scantune::runtime {

template <class Index>
struct LoadBalanceOptions {
  Index* rank_of = nullptr;  // receives the position of each item in its segment; null: not written
  // Check the offsets first. The check waits for the stream and throws a RequestError that names the first invalid
  // offset. It is refused while the stream is being captured.
  bool check = false;
  Stream stream = nullptr;
  Latency latency = Latency::back_to_back;
  Device device = Device::current_gpu;
  std::string config = {};  // as in ScanOptions
};

// The options of expand() and of plans. A plan checks the offsets at every call.
struct ExpandOptions {
  bool check = false;  // as in LoadBalanceOptions
  Stream stream = nullptr;
  Latency latency = Latency::back_to_back;
  Device device = Device::current_gpu;
  std::string config = {};
};

// Plans of load_balance() for segments, ranks, or both, and of expand(). They need no workspace; a check of offsets
// uses one of the library's.
template <class Offset, class Index>
using LoadBalancePlan = Plan<Input<Offset>, Output<Index>>;
template <class Offset, class Index>
using SegmentsAndRanksPlan = Plan<Input<Offset>, Output<Index>, Indices<Index>>;
template <class Offset, class T>
using ExpandPlan = Plan<Input<Offset>, Values<T>, Output<T>>;

namespace detail {

// The request points into the options, which must outlive it.
template <class PlanType, class Offset, class Options>
Call<scantune_load_balance_request, PlanType> balance_with(std::uint64_t segments, std::uint64_t n,
                                                           scantune_assigned assigned, const Options& options) {
  static_assert(kIsIndex<Offset>, "offsets must be integers of 4 or 8 bytes");
  scantune_load_balance_request request = SCANTUNE_LOAD_BALANCE_REQUEST_INIT;
  take_options(request.head, n, options);
  request.segment_count = segments;
  request.input_type = type_of<Offset>();
  request.assigned = assigned;
  request.check = options.check ? 1 : 0;
  return {request, options.stream};
}

template <class Offset, class Index, class PlanType = LoadBalancePlan<Offset, Index>, class Options>
auto balance_of(std::uint64_t segments, std::uint64_t n, scantune_assigned assigned, const Options& options) {
  static_assert(!std::is_const_v<Index>, "the output is const: segments and ranks are written there");
  static_assert(kIsIndex<Index>, "segments and ranks must be integers of 4 or 8 bytes");
  auto call = balance_with<PlanType, Offset>(segments, n, assigned, options);
  call.request.output_type = type_of<Index>();
  return call;
}

template <class Offset, class Index, class Options>
auto balance_of_both(std::uint64_t segments, std::uint64_t n, const Options& options) {
  return balance_of<Offset, Index, SegmentsAndRanksPlan<Offset, Index>>(segments, n, SCANTUNE_SEGMENT_AND_RANK,
                                                                        options);
}

template <class Offset, class T>
auto balance_of_values(std::uint64_t segments, std::uint64_t n, const ExpandOptions& options) {
  static_assert(!std::is_const_v<T>, "the output is const: values are written there");
  auto call = balance_with<ExpandPlan<Offset, T>, Offset>(segments, n, SCANTUNE_VALUE_OF, options);
  call.request.output_type = moved_type<T>();
  if constexpr (moved_type<T>() == SCANTUNE_CUSTOM_TYPE) take_struct<T>(call.request);
  return call;
}

}  // namespace detail

// Writes the segment of each item i in [0, n) to segment_of[i], and its position in the segment to options.rank_of[i]
// if that is not null. With rank_of, segment_of may be null and is then not written. Index must be able to number the
// segments, and to count the items of one.
template <class Offset, class Index>
void load_balance(const Offset* offsets, std::uint64_t segments, Index* segment_of, std::uint64_t n,
                  const LoadBalanceOptions<std::type_identity_t<Index>>& options = {}) {
  const auto one_of = [&](scantune_assigned assigned) {
    return detail::balance_of<Offset, Index>(segments, n, assigned, options);
  };
  if (options.rank_of == nullptr)
    one_of(SCANTUNE_SEGMENT_OF).run(offsets, segment_of);
  else if (segment_of == nullptr)
    one_of(SCANTUNE_RANK_OF).run(offsets, options.rank_of);
  else
    detail::balance_of_both<Offset, Index>(segments, n, options).run(offsets, segment_of, options.rank_of);
}
SCANTUNE_EXPLAIN_MISTAKES(load_balance)

// Writes the value of its segment to output[i], for each item i in [0, n). T is any trivially copyable type of 1 to 32
// bytes.
template <class Offset, class T>
void expand(const Offset* offsets, std::uint64_t segments, const std::type_identity_t<T>* values, T* output,
            std::uint64_t n, const ExpandOptions& options = {}) {
  detail::balance_of_values<Offset, T>(segments, n, options).run(offsets, values, output);
}
SCANTUNE_EXPLAIN_MISTAKES(expand)

// Create plans for exactly these numbers of segments and items. Throw RequestError if no kernel solves the problem, and
// another scantune::Error if the kernel cannot be compiled or loaded.
template <class Offset, class Index = std::uint64_t>
LoadBalancePlan<Offset, Index> load_balance_plan(std::uint64_t segments, std::uint64_t n,
                                                 const ExpandOptions& options = {}) {
  return detail::balance_of<Offset, Index>(segments, n, SCANTUNE_SEGMENT_OF, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(load_balance_plan)
template <class Offset, class Index = std::uint64_t>
LoadBalancePlan<Offset, Index> ranks_plan(std::uint64_t segments, std::uint64_t n, const ExpandOptions& options = {}) {
  return detail::balance_of<Offset, Index>(segments, n, SCANTUNE_RANK_OF, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(ranks_plan)
template <class Offset, class Index = std::uint64_t>
SegmentsAndRanksPlan<Offset, Index> segments_and_ranks_plan(std::uint64_t segments, std::uint64_t n,
                                                            const ExpandOptions& options = {}) {
  return detail::balance_of_both<Offset, Index>(segments, n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segments_and_ranks_plan)
template <class Offset, class T>
ExpandPlan<Offset, T> expand_plan(std::uint64_t segments, std::uint64_t n, const ExpandOptions& options = {}) {
  return detail::balance_of_values<Offset, T>(segments, n, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(expand_plan)

}  // namespace scantune::runtime

#endif
