// The keys that come first of each segment of any length. Included by runtime.hpp.
//
//   runtime::segmented_top_k(d_keys, d_offsets, d_out, n, segments, k);          // of [offsets[s], offsets[s + 1])
//   runtime::segmented_top_k(d_keys, d_begins, d_ends, d_out, n, segments, k);   // with gaps, in any order
//   runtime::segmented_top_k(d_keys, d_offsets, d_out, n, segments, k, {.indices = d_indices});
//   runtime::segmented_argtop_k(d_keys, d_offsets, d_indices, n, segments, k);   // indices within each segment
//
// The results of segment s begin at k * s. A segment of fewer than k keys has as many results as keys, and the places
// after these are not written. Segments may be empty, leave gaps, have items in common and be in any order. The host
// does not read the offsets. One below 0 counts as 0, one above n as n, and a segment that ends before it begins is
// empty. Else all is as in top_k() and argtop_k(). One CTA takes a segment, so very long ones are slow: top_k() is for
// these.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <cstdint>
#include <string>

#include "scantune/scan.hpp"
#include "scantune/top_k.hpp"

namespace scantune::runtime {

// The options of segmented_argtop_k() and of plans. Members that ArgtopKOptions has, too, mean the same.
struct SegmentedArgtopKOptions {
  Order order = Order::descending;
  ResultOrder result_order = ResultOrder::by_key;
  NanOrder nan_order = NanOrder::total_order;
  // The number of segments, in device memory, as in SegmentedArgsortOptions. Segments beyond it have no results.
  detail::Read device_segment_count = nullptr;
  detail::Read device_k = {};  // as in TopKOptions, of each segment
  // Check the offsets first. The check waits for the stream and throws a RequestError that names the first offset
  // outside [0, n], or end before its begin. It is refused while the stream is being captured.
  bool check = false;
  Stream stream = nullptr;
  Latency latency = Latency::back_to_back;
  int captured_launches = 1;
  Device device = Device::current_gpu;
  std::string config = {};
};

struct SegmentedTopKOptions {
  Order order = Order::descending;
  ResultOrder result_order = ResultOrder::by_key;
  NanOrder nan_order = NanOrder::total_order;
  detail::Read device_segment_count = nullptr;
  detail::Read device_k = {};  // as in TopKOptions, of each segment
  SortValues values = {};      // as in TopKOptions
  SortIndices indices = {};    // as in TopKOptions
  bool check = false;
  Stream stream = nullptr;
  Latency latency = Latency::back_to_back;
  int captured_launches = 1;
  Device device = Device::current_gpu;
  std::string config = {};
};

// Plans by bounds, and by begins and ends.
template <class Key, class Offset>
using SegmentedTopKPlan = Plan<Input<Key>, Begins<Offset>, Output<Key>>;
template <class Key, class Offset>
using SegmentedTopKRangesPlan = Plan<Input<Key>, Begins<Offset>, Ends<Offset>, Output<Key>>;
template <class Key, class Value, class Offset>
using SegmentedTopKPairsPlan = Plan<Input<Key>, Values<Value>, Begins<Offset>, Output<Key>, ValuesOutput<Value>>;
template <class Key, class Value, class Offset>
using SegmentedTopKPairsRangesPlan =
    Plan<Input<Key>, Values<Value>, Begins<Offset>, Ends<Offset>, Output<Key>, ValuesOutput<Value>>;
template <class Key, class Index, class Offset>
using SegmentedTopKIndicesPlan = Plan<Input<Key>, Begins<Offset>, Output<Key>, Indices<Index>>;
template <class Key, class Index, class Offset>
using SegmentedTopKIndicesRangesPlan = Plan<Input<Key>, Begins<Offset>, Ends<Offset>, Output<Key>, Indices<Index>>;
template <class Key, class Index, class Offset>
using SegmentedArgtopKPlan = Plan<Input<Key>, Begins<Offset>, Output<Index>>;
template <class Key, class Index, class Offset>
using SegmentedArgtopKRangesPlan = Plan<Input<Key>, Begins<Offset>, Ends<Offset>, Output<Index>>;

// Writes the k keys of each segment that come first: segment s is input[offsets[s], offsets[s + 1]), of segment_count +
// 1 offsets; or with begins and ends input[begins[s], ends[s]). Its results begin at output[k * s]. All arrays are in
// device memory.
template <class Key, class Offset>
void segmented_top_k(const Key* input, const Offset* offsets, Key* output, std::uint64_t n, std::uint64_t segment_count,
                     std::uint64_t k, const SegmentedTopKOptions& options = {}) {
  detail::by_offsets<Offset>(detail::top_k_with<Key, Begins<Offset>>(n, k, options), segment_count, SCANTUNE_BOUNDS,
                             options)
      .run(input, offsets, output, options.indices.output(), options.values.input(), options.values.output());
}
template <class Key, class Offset>
void segmented_top_k(const Key* input, const Offset* begins, const Offset* ends, Key* output, std::uint64_t n,
                     std::uint64_t segment_count, std::uint64_t k, const SegmentedTopKOptions& options = {}) {
  detail::by_offsets<Offset>(detail::top_k_with<Key, Begins<Offset>, Ends<Offset>>(n, k, options), segment_count,
                             SCANTUNE_BEGINS_AND_ENDS, options)
      .run(input, begins, ends, output, options.indices.output(), options.values.input(), options.values.output());
}
SCANTUNE_EXPLAIN_MISTAKES(segmented_top_k)

// Writes the indices of the results of each segment, which count from the start of the segment.
template <class Key, class Offset, class Index>
void segmented_argtop_k(const Key* input, const Offset* offsets, Index* indices, std::uint64_t n,
                        std::uint64_t segment_count, std::uint64_t k, const SegmentedArgtopKOptions& options = {}) {
  detail::by_offsets<Offset>(detail::top_k_of_indices<SegmentedArgtopKPlan<Key, Index, Offset>, Key, Index>(
                                 n, k, SCANTUNE_SORTED_INDICES, options),
                             segment_count, SCANTUNE_BOUNDS, options)
      .run(input, offsets, indices);
}
template <class Key, class Offset, class Index>
void segmented_argtop_k(const Key* input, const Offset* begins, const Offset* ends, Index* indices, std::uint64_t n,
                        std::uint64_t segment_count, std::uint64_t k, const SegmentedArgtopKOptions& options = {}) {
  detail::by_offsets<Offset>(detail::top_k_of_indices<SegmentedArgtopKRangesPlan<Key, Index, Offset>, Key, Index>(
                                 n, k, SCANTUNE_SORTED_INDICES, options),
                             segment_count, SCANTUNE_BEGINS_AND_ENDS, options)
      .run(input, begins, ends, indices);
}
SCANTUNE_EXPLAIN_MISTAKES(segmented_argtop_k)

// Create plans for exactly n keys, segment_count segments and k results of each. Throw what top_k_plan() throws. Those
// of ranges take begins and ends.
template <class Key, class Offset>
SegmentedTopKPlan<Key, Offset> segmented_top_k_plan(std::uint64_t n, std::uint64_t segment_count, std::uint64_t k,
                                                    const SegmentedArgtopKOptions& options = {}) {
  return detail::by_offsets<Offset>(
             detail::top_k_of<SegmentedTopKPlan<Key, Offset>, Key>(n, k, SCANTUNE_SORTED_KEYS, options), segment_count,
             SCANTUNE_BOUNDS, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_top_k_plan)
template <class Key, class Offset>
SegmentedTopKRangesPlan<Key, Offset> segmented_top_k_ranges_plan(std::uint64_t n, std::uint64_t segment_count,
                                                                 std::uint64_t k,
                                                                 const SegmentedArgtopKOptions& options = {}) {
  return detail::by_offsets<Offset>(
             detail::top_k_of<SegmentedTopKRangesPlan<Key, Offset>, Key>(n, k, SCANTUNE_SORTED_KEYS, options),
             segment_count, SCANTUNE_BEGINS_AND_ENDS, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_top_k_ranges_plan)
template <class Key, class Value, class Offset>
SegmentedTopKPairsPlan<Key, Value, Offset> segmented_top_k_pairs_plan(std::uint64_t n, std::uint64_t segment_count,
                                                                      std::uint64_t k,
                                                                      const SegmentedArgtopKOptions& options = {}) {
  return detail::by_offsets<Offset>(
             detail::top_k_of_pairs<SegmentedTopKPairsPlan<Key, Value, Offset>, Key, Value>(n, k, options),
             segment_count, SCANTUNE_BOUNDS, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_top_k_pairs_plan)
template <class Key, class Value, class Offset>
SegmentedTopKPairsRangesPlan<Key, Value, Offset> segmented_top_k_pairs_ranges_plan(
    std::uint64_t n, std::uint64_t segment_count, std::uint64_t k, const SegmentedArgtopKOptions& options = {}) {
  return detail::by_offsets<Offset>(
             detail::top_k_of_pairs<SegmentedTopKPairsRangesPlan<Key, Value, Offset>, Key, Value>(n, k, options),
             segment_count, SCANTUNE_BEGINS_AND_ENDS, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_top_k_pairs_ranges_plan)
template <class Key, class Index, class Offset>
SegmentedTopKIndicesPlan<Key, Index, Offset> segmented_top_k_indices_plan(std::uint64_t n, std::uint64_t segment_count,
                                                                          std::uint64_t k,
                                                                          const SegmentedArgtopKOptions& options = {}) {
  return detail::by_offsets<Offset>(detail::top_k_of_indices<SegmentedTopKIndicesPlan<Key, Index, Offset>, Key, Index>(
                                        n, k, SCANTUNE_SORTED_KEYS_AND_INDICES, options),
                                    segment_count, SCANTUNE_BOUNDS, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_top_k_indices_plan)
template <class Key, class Index, class Offset>
SegmentedTopKIndicesRangesPlan<Key, Index, Offset> segmented_top_k_indices_ranges_plan(
    std::uint64_t n, std::uint64_t segment_count, std::uint64_t k, const SegmentedArgtopKOptions& options = {}) {
  return detail::by_offsets<Offset>(
             detail::top_k_of_indices<SegmentedTopKIndicesRangesPlan<Key, Index, Offset>, Key, Index>(
                 n, k, SCANTUNE_SORTED_KEYS_AND_INDICES, options),
             segment_count, SCANTUNE_BEGINS_AND_ENDS, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_top_k_indices_ranges_plan)
template <class Key, class Index, class Offset>
SegmentedArgtopKPlan<Key, Index, Offset> segmented_argtop_k_plan(std::uint64_t n, std::uint64_t segment_count,
                                                                 std::uint64_t k,
                                                                 const SegmentedArgtopKOptions& options = {}) {
  return detail::by_offsets<Offset>(detail::top_k_of_indices<SegmentedArgtopKPlan<Key, Index, Offset>, Key, Index>(
                                        n, k, SCANTUNE_SORTED_INDICES, options),
                                    segment_count, SCANTUNE_BOUNDS, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_argtop_k_plan)
template <class Key, class Index, class Offset>
SegmentedArgtopKRangesPlan<Key, Index, Offset> segmented_argtop_k_ranges_plan(
    std::uint64_t n, std::uint64_t segment_count, std::uint64_t k, const SegmentedArgtopKOptions& options = {}) {
  return detail::by_offsets<Offset>(
             detail::top_k_of_indices<SegmentedArgtopKRangesPlan<Key, Index, Offset>, Key, Index>(
                 n, k, SCANTUNE_SORTED_INDICES, options),
             segment_count, SCANTUNE_BEGINS_AND_ENDS, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_argtop_k_ranges_plan)

}  // namespace scantune::runtime

#endif
