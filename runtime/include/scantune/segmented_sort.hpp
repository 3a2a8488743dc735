// Sorts of segments of any lengths, each by itself. Included by runtime.hpp.
//
//   runtime::segmented_sort(d_keys, d_offsets, d_out, n, segments);              // of [offsets[s], offsets[s + 1])
//   runtime::segmented_sort(d_keys, d_begins, d_ends, d_out, n, segments);       // with gaps, in any order
//   runtime::segmented_sort(d_keys, d_offsets, d_out, n, segments, {.values = {d_values, d_values_out}});
//   runtime::segmented_argsort(d_keys, d_offsets, d_indices, n, segments);       // indices within each segment
//   runtime::segmented_sort(runtime::Consumed(d_keys), d_offsets, d_out, n, segments);
//
// Results are where their items are. Segments may be empty, leave gaps and be in any order; items in gaps are neither
// read nor written. If segments have items in common, all results are unspecified. The host does not read the offsets.
// One below 0 counts as 0, one above n as n, and a segment that ends before it begins is empty. Else all is as in
// sort() and argsort(). A segment of very many keys is sorted by one CTA, which is slow: sort() is for these.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <cstdint>
#include <string>

#include "scantune/scan.hpp"
#include "scantune/sort.hpp"

namespace scantune::runtime {

// Of segmented_argsort() and of plans. Members that ArgsortOptions has, too, mean the same.
struct SegmentedArgsortOptions {
  Order order = Order::ascending;
  KeyBits bits = {};
  // The number of segments, in device memory: a pointer to an integer of 4 or 8 bytes; null: segment_count. It is read
  // when the sort runs. Of more than segment_count, or a negative number, segment_count segments are sorted.
  detail::Read device_segment_count = nullptr;
  // Check the offsets first. The check waits for the stream and throws a RequestError that names the first offset
  // outside [0, n], or end before its begin, and else the first segment that has items of another. It is refused while
  // the stream is being captured.
  bool check = false;
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 1;
  Device device = Device::current_gpu;
  std::string config = {};
};

struct SegmentedSortOptions {
  Order order = Order::ascending;
  KeyBits bits = {};
  detail::Read device_segment_count = nullptr;
  SortValues values = {};    // as in SortOptions
  SortIndices indices = {};  // likewise
  bool check = false;
  Stream stream = nullptr;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int captured_launches = 1;
  Device device = Device::current_gpu;
  std::string config = {};
};

// Plans by bounds, and by begins and ends. Key may be a Consumed one.
template <class Key, class Offset>
using SegmentedSortPlan = Plan<detail::KeysOf<Key>, Begins<Offset>, Output<detail::SortedKey<Key>>>;
template <class Key, class Offset>
using SegmentedSortRangesPlan = Plan<detail::KeysOf<Key>, Begins<Offset>, Ends<Offset>, Output<detail::SortedKey<Key>>>;
template <class Key, class Value, class Offset>
using SegmentedSortPairsPlan = Plan<detail::KeysOf<Key>, typename detail::Sorted<Key>::template ValuesOf<Value>,
                                    Begins<Offset>, Output<detail::SortedKey<Key>>, ValuesOutput<Value>>;
template <class Key, class Value, class Offset>
using SegmentedSortPairsRangesPlan =
    Plan<detail::KeysOf<Key>, typename detail::Sorted<Key>::template ValuesOf<Value>, Begins<Offset>, Ends<Offset>,
         Output<detail::SortedKey<Key>>, ValuesOutput<Value>>;
template <class Key, class Index, class Offset>
using SegmentedSortIndicesPlan =
    Plan<detail::KeysOf<Key>, Begins<Offset>, Output<detail::SortedKey<Key>>, Indices<Index>>;
template <class Key, class Index, class Offset>
using SegmentedSortIndicesRangesPlan =
    Plan<detail::KeysOf<Key>, Begins<Offset>, Ends<Offset>, Output<detail::SortedKey<Key>>, Indices<Index>>;
template <class Key, class Index, class Offset>
using SegmentedArgsortPlan = Plan<detail::KeysOf<Key>, Begins<Offset>, Output<Index>>;
template <class Key, class Index, class Offset>
using SegmentedArgsortRangesPlan = Plan<detail::KeysOf<Key>, Begins<Offset>, Ends<Offset>, Output<Index>>;

namespace detail {

template <class Key, class Offset>
void segmented_sort(typename KeysOf<Key>::Pointer input, const Offset* offsets, SortedKey<Key>* output, std::uint64_t n,
                    std::uint64_t segment_count, const SegmentedSortOptions& options) {
  sort<Key, Begins<Offset>>(input, offsets, output, n, options, [&](scantune_sort_request& request) {
    take_offsets<Offset>(request, segment_count, SCANTUNE_BOUNDS, options);
  });
}
template <class Key, class Offset>
void segmented_sort(typename KeysOf<Key>::Pointer input, const Offset* begins, const Offset* ends,
                    SortedKey<Key>* output, std::uint64_t n, std::uint64_t segment_count,
                    const SegmentedSortOptions& options) {
  sort<Key, Begins<Offset>, Ends<Offset>>(input, begins, ends, output, n, options, [&](scantune_sort_request& request) {
    take_offsets<Offset>(request, segment_count, SCANTUNE_BEGINS_AND_ENDS, options);
  });
}

template <class Key, class Index, class Offset>
auto segmented_argsort_of(std::uint64_t n, std::uint64_t segment_count, const SegmentedArgsortOptions& options) {
  return by_offsets<Offset>(
      sort_of_indices<SegmentedArgsortPlan<Key, Index, Offset>, Key, Index>(n, SCANTUNE_SORTED_INDICES, options),
      segment_count, SCANTUNE_BOUNDS, options);
}
template <class Key, class Index, class Offset>
auto segmented_argsort_of_ranges(std::uint64_t n, std::uint64_t segment_count, const SegmentedArgsortOptions& options) {
  return by_offsets<Offset>(
      sort_of_indices<SegmentedArgsortRangesPlan<Key, Index, Offset>, Key, Index>(n, SCANTUNE_SORTED_INDICES, options),
      segment_count, SCANTUNE_BEGINS_AND_ENDS, options);
}

}  // namespace detail

// Sorts the keys of each segment: segment s is input[offsets[s], offsets[s + 1]), of segment_count + 1 offsets; or with
// begins and ends input[begins[s], ends[s]). All arrays are in device memory.
template <class Key, class Offset>
void segmented_sort(const Key* input, const Offset* offsets, Key* output, std::uint64_t n, std::uint64_t segment_count,
                    const SegmentedSortOptions& options = {}) {
  detail::segmented_sort<Key>(input, offsets, output, n, segment_count, options);
}
template <class Key, class Offset>
void segmented_sort(const Key* input, const Offset* begins, const Offset* ends, Key* output, std::uint64_t n,
                    std::uint64_t segment_count, const SegmentedSortOptions& options = {}) {
  detail::segmented_sort<Key>(input, begins, ends, output, n, segment_count, options);
}
template <class Key, class Offset>
void segmented_sort(Consumed<Key> input, const Offset* offsets, Key* output, std::uint64_t n,
                    std::uint64_t segment_count, const SegmentedSortOptions& options = {}) {
  detail::segmented_sort<Consumed<Key>>(input.get(), offsets, output, n, segment_count, options);
}
template <class Key, class Offset>
void segmented_sort(Consumed<Key> input, const Offset* begins, const Offset* ends, Key* output, std::uint64_t n,
                    std::uint64_t segment_count, const SegmentedSortOptions& options = {}) {
  detail::segmented_sort<Consumed<Key>>(input.get(), begins, ends, output, n, segment_count, options);
}
SCANTUNE_EXPLAIN_MISTAKES(segmented_sort)

// Writes the indices of the sorted keys of each segment, which count from the start of the segment.
template <class Key, class Offset, class Index>
void segmented_argsort(const Key* input, const Offset* offsets, Index* indices, std::uint64_t n,
                       std::uint64_t segment_count, const SegmentedArgsortOptions& options = {}) {
  detail::segmented_argsort_of<Key, Index, Offset>(n, segment_count, options).run(input, offsets, indices);
}
template <class Key, class Offset, class Index>
void segmented_argsort(const Key* input, const Offset* begins, const Offset* ends, Index* indices, std::uint64_t n,
                       std::uint64_t segment_count, const SegmentedArgsortOptions& options = {}) {
  detail::segmented_argsort_of_ranges<Key, Index, Offset>(n, segment_count, options).run(input, begins, ends, indices);
}
SCANTUNE_EXPLAIN_MISTAKES(segmented_argsort)

// Create plans for exactly n keys and segment_count segments. Throw what sort_plan() throws. Those of ranges take
// begins and ends.
template <class Key, class Offset>
SegmentedSortPlan<Key, Offset> segmented_sort_plan(std::uint64_t n, std::uint64_t segment_count,
                                                   const SegmentedArgsortOptions& options = {}) {
  return detail::by_offsets<Offset>(
             detail::sort_of<SegmentedSortPlan<Key, Offset>, Key>(n, SCANTUNE_SORTED_KEYS, options), segment_count,
             SCANTUNE_BOUNDS, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_sort_plan)
template <class Key, class Offset>
SegmentedSortRangesPlan<Key, Offset> segmented_sort_ranges_plan(std::uint64_t n, std::uint64_t segment_count,
                                                                const SegmentedArgsortOptions& options = {}) {
  return detail::by_offsets<Offset>(
             detail::sort_of<SegmentedSortRangesPlan<Key, Offset>, Key>(n, SCANTUNE_SORTED_KEYS, options),
             segment_count, SCANTUNE_BEGINS_AND_ENDS, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_sort_ranges_plan)
template <class Key, class Value, class Offset>
SegmentedSortPairsPlan<Key, Value, Offset> segmented_sort_pairs_plan(std::uint64_t n, std::uint64_t segment_count,
                                                                     const SegmentedArgsortOptions& options = {}) {
  return detail::by_offsets<Offset>(
             detail::sort_of_pairs<SegmentedSortPairsPlan<Key, Value, Offset>, Key, Value>(n, options), segment_count,
             SCANTUNE_BOUNDS, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_sort_pairs_plan)
template <class Key, class Value, class Offset>
SegmentedSortPairsRangesPlan<Key, Value, Offset> segmented_sort_pairs_ranges_plan(
    std::uint64_t n, std::uint64_t segment_count, const SegmentedArgsortOptions& options = {}) {
  return detail::by_offsets<Offset>(
             detail::sort_of_pairs<SegmentedSortPairsRangesPlan<Key, Value, Offset>, Key, Value>(n, options),
             segment_count, SCANTUNE_BEGINS_AND_ENDS, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_sort_pairs_ranges_plan)
template <class Key, class Index, class Offset>
SegmentedSortIndicesPlan<Key, Index, Offset> segmented_sort_indices_plan(std::uint64_t n, std::uint64_t segment_count,
                                                                         const SegmentedArgsortOptions& options = {}) {
  return detail::by_offsets<Offset>(detail::sort_of_indices<SegmentedSortIndicesPlan<Key, Index, Offset>, Key, Index>(
                                        n, SCANTUNE_SORTED_KEYS_AND_INDICES, options),
                                    segment_count, SCANTUNE_BOUNDS, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_sort_indices_plan)
template <class Key, class Index, class Offset>
SegmentedSortIndicesRangesPlan<Key, Index, Offset> segmented_sort_indices_ranges_plan(
    std::uint64_t n, std::uint64_t segment_count, const SegmentedArgsortOptions& options = {}) {
  return detail::by_offsets<Offset>(
             detail::sort_of_indices<SegmentedSortIndicesRangesPlan<Key, Index, Offset>, Key, Index>(
                 n, SCANTUNE_SORTED_KEYS_AND_INDICES, options),
             segment_count, SCANTUNE_BEGINS_AND_ENDS, options)
      .plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_sort_indices_ranges_plan)
template <class Key, class Index, class Offset>
SegmentedArgsortPlan<Key, Index, Offset> segmented_argsort_plan(std::uint64_t n, std::uint64_t segment_count,
                                                                const SegmentedArgsortOptions& options = {}) {
  return detail::segmented_argsort_of<Key, Index, Offset>(n, segment_count, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_argsort_plan)
template <class Key, class Index, class Offset>
SegmentedArgsortRangesPlan<Key, Index, Offset> segmented_argsort_ranges_plan(
    std::uint64_t n, std::uint64_t segment_count, const SegmentedArgsortOptions& options = {}) {
  return detail::segmented_argsort_of_ranges<Key, Index, Offset>(n, segment_count, options).plan();
}
SCANTUNE_EXPLAIN_MISTAKES_OF_PLAN(segmented_argsort_ranges_plan)

}  // namespace scantune::runtime

#endif
