// Load balances: which segment each item is in, where segments have any lengths. Included by runtime.hpp.
//
//   runtime::load_balance(d_offsets, segments, d_segment_of, n);                        // the segment of every item
//   runtime::load_balance(d_offsets, segments, d_segment_of, n, {.rank_of = d_rank});   // and its place there
//   runtime::expand(d_offsets, segments, d_values, d_out, n);                           // the value of its segment
//
// There are segments + 1 offsets, which ascend from 0 to n: segment s has the items from offsets[s] on and before
// offsets[s + 1], and may be empty. All pointers lead to memory of the device; outputs lie apart from all else. The
// host does not look at the offsets. Wrong ones give wrong results, and touch no memory but these arrays. Each function
// returns as soon as the work is in the stream, and throws before anything is launched if an argument is wrong: but for
// a check of offsets, which is launched and waited for.
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
  Index* rank_of = nullptr;  // where the place of each item in its segment goes; null: nowhere
  // Whether the offsets are checked first. The check waits for the stream and throws RequestError that names the first
  // wrong offset; it is refused while the stream is being captured.
  bool check = false;
  Stream stream = nullptr;
  Latency latency = Latency::back_to_back;
  Device device = Device::current_gpu;
  std::string config = {};  // as of scans
};

// The options of expand(), and of plans, which check the offsets at every call.
struct ExpandOptions {
  bool check = false;  // as of load_balance()
  Stream stream = nullptr;
  Latency latency = Latency::back_to_back;
  Device device = Device::current_gpu;
  std::string config = {};
};

// Plans of load_balance(), for segments, for ranks, or for both, and of expand(). They need no workspace, but for what
// a check of offsets takes of the library's.
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

// Writes the segment of item i to segment_of[i], for i in [0, n), and its place there to options.rank_of[i], if that is
// not null. A segment_of that is null beside ranks is not written. Index must be able to number the segments, and count
// the items of one.
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

// Writes the value of its segment to output[i], for every item i in [0, n). T is any trivially copyable type of 1 to 32
// bytes.
template <class Offset, class T>
void expand(const Offset* offsets, std::uint64_t segments, const std::type_identity_t<T>* values, T* output,
            std::uint64_t n, const ExpandOptions& options = {}) {
  detail::balance_of_values<Offset, T>(segments, n, options).run(offsets, values, output);
}
SCANTUNE_EXPLAIN_MISTAKES(expand)

// Plans of exactly so many segments and items. Each throws RequestError when no kernel solves the problem, and another
// scantune::Error when one cannot be had.
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
