// Sorting networks in the registers of a warp (Batcher, "Sorting networks and their applications", 1968). A lane holds
// consecutive elements, so most comparisons are between its own registers. Every comparison puts the lesser element
// first, so elements without a key stay at the end.
#pragma once

#include "sort/parts/sort_element.h"

namespace scantune {

// Groups of neighbouring lanes, a power of two each, sort side by side: the lanes of all call with the same largest
// group. Element: a SortElement.
template <class Element, int kItems>
struct WarpNetwork {
  using Type = typename Element::Type;
  static_assert(kItems >= 2 && (kItems & (kItems - 1)) == 0);

  Type items[kItems];

  SCANTUNE_DEVICE static u32 lane() { return thread_rank() % kWarpThreads; }

  // The lesser or the greater one.
  SCANTUNE_DEVICE static Type chosen(const Type& own, const Type& other, bool is_lesser) {
    return (other < own) == is_lesser ? other : own;
  }

  SCANTUNE_DEVICE void sort(u32 group_lanes, u32 most_lanes) {
    sort_in_lanes();
#pragma unroll 1
    for (u32 lanes = 2; lanes <= most_lanes; lanes *= 2) merge(lanes, group_lanes);
  }

  // Sorts a bitonic sequence of the whole warp, which an exchange with another warp leaves.
  SCANTUNE_DEVICE void merge_bitonic() {
#pragma unroll 1
    for (u32 distance = kWarpThreads / 2; distance > 0; distance /= 2) exchange_across(distance, true);
    merge_in_lanes();
  }

 private:
  SCANTUNE_DEVICE void exchange_in_lane(int first, int second) {
    const Type one = items[first], other = items[second];
    const bool swaps = other < one;
    items[first] = swaps ? other : one;
    items[second] = swaps ? one : other;
  }

  // By odd-even merges.
  SCANTUNE_DEVICE void sort_in_lanes() {
#pragma unroll
    for (int run = 1; run < kItems; run *= 2)
#pragma unroll
      for (int distance = run; distance > 0; distance /= 2)
#pragma unroll
        for (int first = 0; first < kItems; ++first) {
          const int skipped = distance % run;
          if (first >= skipped && (first - skipped) / distance % 2 == 0 && first + distance < kItems &&
              first / (2 * run) == (first + distance) / (2 * run))
            exchange_in_lane(first, first + distance);
        }
  }

  SCANTUNE_DEVICE void merge_in_lanes() {
#pragma unroll
    for (int distance = kItems / 2; distance > 0; distance /= 2)
#pragma unroll
      for (int pair = 0; pair < kItems / 2; ++pair) {
        const int first = pair / distance * 2 * distance + pair % distance;
        exchange_in_lane(first, first + distance);
      }
  }

  // Merges the two sorted halves of so many lanes. In a smaller group each lane is its own partner, and keeps its
  // elements.
  SCANTUNE_DEVICE void merge(u32 lanes, u32 group_lanes) {
    const bool joins = lanes <= group_lanes, is_lower = (lane() & lanes / 2) == 0;
    const u32 partner = joins ? lane() ^ (lanes - 1) : lane();
    const bool first_is_lesser = !joins || is_lower, last_is_lesser = joins && is_lower;
#pragma unroll
    for (int first = 0; first < kItems / 2; ++first) {
      const int last = kItems - 1 - first;
      const Type to_first = Element::of_lane(items[last], partner), to_last = Element::of_lane(items[first], partner);
      items[first] = chosen(items[first], to_first, first_is_lesser);
      items[last] = chosen(items[last], to_last, last_is_lesser);
    }
#pragma unroll 1
    for (u32 distance = lanes / 4; distance > 0; distance /= 2) exchange_across(distance, joins);
    merge_in_lanes();
  }

  SCANTUNE_DEVICE void exchange_across(u32 distance, bool joins) {
    const u32 partner = joins ? lane() ^ distance : lane();
    const bool is_lesser = (lane() & distance) == 0;
#pragma unroll
    for (int item = 0; item < kItems; ++item)
      items[item] = chosen(items[item], Element::of_lane(items[item], partner), is_lesser);
  }
};

}  // namespace scantune
