// brent_kung: the network of Brent and Kung ("A Regular Layout for Parallel Adders", 1982) across a CTA: fewer than 2 n
// operations, in about twice the steps of Kogge and Stone.
//
// A tree gathers sums of 2, 4, 8... items at the last place of each group, then a second tree distributes them to the
// places between. Neighbouring threads take neighbouring groups, so that whole warps become idle, and no warp waits for
// a few of its lanes. A thread has up to two items, since no step has work for more than half of them.
#pragma once

#include "gallery/blocked.h"

namespace scantune {

// The most operations in a row before any of the first `items` results of such a tree is there: a prefix of m items is
// put together from one group for each bit of m, the largest first.
constexpr u64 steps_of_groups(u64 items) {
  u64 most = 0;
  const auto steps_of_prefix = [](u64 prefix) { return prefix == 0 ? 0 : floor_log2(prefix) + bit_count(prefix) - 1; };
  // The prefixes with the most bits leave out one bit of `items` and have all below it.
  for (u64 bit = 1; bit <= items; bit *= 2)
    if ((items & bit) != 0) most = larger(most, steps_of_prefix((items & ~(2 * bit - 1)) | (bit - 1)));
  return larger(most, steps_of_prefix(items));
}

struct BrentKung {
  static constexpr int shared_values(int capacity) { return capacity; }

  static constexpr u64 operations(u64 items, int) {
    u64 count = 0;
    for (u64 distance = 1; distance < items; distance *= 2)
      count += items / (2 * distance) + (items - distance) / (2 * distance);
    return count;
  }
  static constexpr u64 steps(u64 items, int) { return steps_of_groups(items); }

#ifdef SCANTUNE_KERNELS
  // Scans items[0] to items[count - 1] of shared memory, no more than twice as many as there are threads. Returns the
  // address of the results.
  template <class Op, int kCapacity, class T, class Count>
  SCANTUNE_DEVICE static T* scan(T* items, Count count) {
    // Up: the last place of each group gathers its two halves.
    u32 distance = 1;
#pragma unroll
    for (; distance < count; distance *= 2) {
      const u32 last = (thread_rank() + 1) * 2 * distance - 1;
      if (last < count) items[last] = Op::combine(items[last - distance], items[last]);
      sync_block();
    }
    // Down: the middle of a group takes the value at the end of the group before it.
#pragma unroll
    for (distance /= 4; distance > 0; distance /= 2) {
      const u32 before = (thread_rank() + 1) * 2 * distance - 1;
      if (before + distance < count) items[before + distance] = Op::combine(items[before], items[before + distance]);
      sync_block();
    }
    return items;
  }
#endif
};

struct BrentKungConfig {
  static constexpr int items_per_thread = 2;
  static constexpr int kMostItemsPerThread = 2;

  int block_threads = 256;  // threads of a CTA, one for two items of its row

  constexpr bool operator==(const BrentKungConfig&) const = default;
};

template <>
struct Family<BrentKungConfig> : BlockedFamily<BrentKungConfig, BrentKung> {
  static constexpr const char* kName = "brent_kung";
  static constexpr const char* kConfigName = "BrentKungConfig";
  static constexpr const char* kHeader = "gallery/brent_kung.h";
  static constexpr const char* const kKernels[] = {"brent_kung"};

#ifndef __CUDACC_RTC__
  static constexpr Parameter<BrentKungConfig> kParameters[] = {
      SCANTUNE_PARAMETER(BrentKungConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

template <class Problem, BrentKungConfig kConfig>
SCANTUNE_DEVICE void brent_kung(const KernelArguments& arguments) {
  scantune::scan_row_in_shared_memory<Problem, kConfig, BrentKung>(arguments);
}

}  // namespace scantune

#endif
