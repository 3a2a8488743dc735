// kogge_stone: the network of Kogge and Stone ("A Parallel Algorithm for the Efficient Solution of a General Class of
// Recurrence Equations", 1973) across a CTA: the fewest steps, log2 n, and n log2 n operations.
//
// It is the scan of Hillis and Steele with one refinement: a thread keeps its own sum in a register and reads only its
// partner's. Without that register, one thread would read a value that another has just overwritten: the race of the
// tutorial's first version.
#pragma once

#include "gallery/blocked.h"

namespace scantune {

struct KoggeStone : HillisSteeleCost {
  static constexpr int shared_values(int capacity) { return capacity; }

#ifdef SCANTUNE_KERNELS
  // Scans items[0] to items[count - 1] of shared memory, no more than there are threads. Returns the address of the
  // results.
  template <class Op, int kCapacity, class T, class Count>
  SCANTUNE_DEVICE static T* scan(T* items, Count count) {
    const u32 item = thread_rank();
    T sum;
    const bool exists = scantune::has_item(item, count);
    if (exists) sum = items[item];
#pragma unroll
    for (u32 distance = 1; distance < count; distance *= 2) {
      const bool reaches = exists && item >= distance;
      if (reaches) sum = Op::combine(items[item - distance], sum);
      sync_block();
      if (reaches) items[item] = sum;
      sync_block();
    }
    return items;
  }
#endif
};

struct KoggeStoneConfig {
  static constexpr int items_per_thread = 1;
  static constexpr int kMostItemsPerThread = 1;

  int block_threads = 256;  // threads of a CTA, one for each item of its row

  constexpr bool operator==(const KoggeStoneConfig&) const = default;
};

template <>
struct Family<KoggeStoneConfig> : BlockedFamily<KoggeStoneConfig, KoggeStone> {
  static constexpr const char* kName = "kogge_stone";
  static constexpr const char* kConfigName = "KoggeStoneConfig";
  static constexpr const char* kHeader = "gallery/kogge_stone.h";
  static constexpr const char* const kKernels[] = {"kogge_stone"};

#ifndef __CUDACC_RTC__
  static constexpr Parameter<KoggeStoneConfig> kParameters[] = {
      SCANTUNE_PARAMETER(KoggeStoneConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

template <class Problem, KoggeStoneConfig kConfig>
SCANTUNE_DEVICE void kogge_stone(const KernelArguments& arguments) {
  scantune::scan_row_in_shared_memory<Problem, kConfig, KoggeStone>(arguments);
}

}  // namespace scantune

#endif
