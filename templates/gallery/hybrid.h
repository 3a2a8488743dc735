// hybrid: the trees of Brent and Kung with the network of Kogge and Stone at the top. When the tree has as few groups
// as a warp has lanes, few operations are left to save, and the network halves the steps of the middle.
#pragma once

#include "gallery/brent_kung.h"

namespace scantune {

struct Hybrid {
  static constexpr u64 kTopGroups = kWarpThreads;

  static constexpr int shared_values(int capacity) { return capacity; }

  // Items of a group when no more than kTopGroups are left.
  static constexpr u64 group_items(u64 items) {
    u64 group = 1;
    while (items / group > kTopGroups) group *= 2;
    return group;
  }

  static constexpr u64 operations(u64 items, int) {
    const u64 group = group_items(items), groups = items / group;
    u64 count = 0;
    for (u64 distance = 1; distance < group; distance *= 2)
      count += items / (2 * distance) + (items - distance) / (2 * distance);
    return count + HillisSteeleCost::operations(groups);
  }

  static constexpr u64 steps(u64 items, int) { return steps_of_first(items, items); }

  // The same until so many of the results are there. A result takes the steps of the whole groups before it, and an
  // operation for each bit of its place within its own group.
  static constexpr u64 steps_of_first(u64 results, u64 items) {
    const u64 group = group_items(items), groups = results / group, left = results % group;
    const u64 bits = floor_log2(group);
    const auto behind = [&](u64 whole_groups, u64 places) {
      if (whole_groups == 0) return steps_of_groups(places);
      return bits + ceil_log2(whole_groups) + most_bits(places);
    };
    return groups == 0 ? behind(0, left) : larger(behind(groups - 1, group - 1), behind(groups, left));
  }

  // The most bits that are set in any number up to this one.
  static constexpr u64 most_bits(u64 number) {
    u64 most = bit_count(number);
    for (u64 bit = 1; bit <= number; bit *= 2)
      if ((number & bit) != 0) most = larger(most, bit_count((number & ~(2 * bit - 1)) | (bit - 1)));
    return most;
  }

#ifdef SCANTUNE_KERNELS
  // Scans items[0] to items[count - 1] of shared memory, no more than twice as many as there are threads. Returns the
  // address of the results.
  template <class Op, int kCapacity, class T, class Count>
  SCANTUNE_DEVICE static T* scan(T* items, Count count) {
    // Up, until no more groups are left than a warp has lanes.
    u32 distance = 1;
#pragma unroll
    for (; count / distance > kTopGroups; distance *= 2) {
      const u32 last = (thread_rank() + 1) * 2 * distance - 1;
      if (last < count) items[last] = Op::combine(items[last - distance], items[last]);
      sync_block();
    }
    // Scan the sums of the groups, a lane for each.
    const u32 group = thread_rank(), groups = count / distance, last = (group + 1) * distance - 1;
#pragma unroll
    for (u32 apart = 1; apart < groups; apart *= 2) {
      const bool reaches = group >= apart && group < groups;
      T sum;
      if (reaches) sum = Op::combine(items[last - apart * distance], items[last]);
      sync_block();
      if (reaches) items[last] = sum;
      sync_block();
    }
    // Down, from the size of a group.
#pragma unroll
    for (distance /= 2; distance > 0; distance /= 2) {
      const u32 before = (thread_rank() + 1) * 2 * distance - 1;
      if (before + distance < count) items[before + distance] = Op::combine(items[before], items[before + distance]);
      sync_block();
    }
    return items;
  }
#endif
};

struct HybridConfig {
  static constexpr int items_per_thread = 2;
  static constexpr int kMostItemsPerThread = 2;

  int block_threads = 256;  // threads of a CTA, one for two items of its row

  constexpr bool operator==(const HybridConfig&) const = default;
};

template <>
struct Family<HybridConfig> : BlockedFamily<HybridConfig, Hybrid> {
  static constexpr const char* kName = "hybrid";
  static constexpr const char* kConfigName = "HybridConfig";
  static constexpr const char* kHeader = "gallery/hybrid.h";
  static constexpr const char* const kKernels[] = {"hybrid"};

#ifndef __CUDACC_RTC__
  static constexpr Parameter<HybridConfig> kParameters[] = {
      SCANTUNE_PARAMETER(HybridConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

template <class Problem, HybridConfig kConfig>
SCANTUNE_DEVICE void hybrid(const KernelArguments& arguments) {
  scantune::scan_row_in_shared_memory<Problem, kConfig, Hybrid>(arguments);
}

}  // namespace scantune

#endif
