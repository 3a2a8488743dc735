// shared_single: the scan of Hillis and Steele in shared memory, in one copy of the row. Global memory is
// read once and written once.
//
// There are two barriers in each step: one before items are overwritten that others still read, and one before they are
// read again.
#pragma once

#include "gallery/blocked.h"

namespace scantune {

struct SharedSingle : HillisSteeleCost {
  static constexpr int shared_values(int capacity) { return capacity; }

#ifdef SCANTUNE_KERNELS
  // Scans items[0] to items[count - 1] of shared memory, no more than there are threads. Returns the address of the
  // results.
  template <class Op, int kCapacity, class T, class Count>
  SCANTUNE_DEVICE static T* scan(T* items, Count count) {
    const u32 item = thread_rank();
    const bool exists = scantune::has_item(item, count);
#pragma unroll
    for (u32 distance = 1; distance < count; distance *= 2) {
      const bool reaches = exists && item >= distance;
      T sum;
      if (reaches) sum = Op::combine(items[item - distance], items[item]);
      sync_block();
      if (reaches) items[item] = sum;
      sync_block();
    }
    return items;
  }
#endif
};

struct SharedSingleConfig {
  static constexpr int items_per_thread = 1;
  static constexpr int kMostItemsPerThread = 1;

  int block_threads = 256;  // threads of a CTA, one for each item of its row

  constexpr bool operator==(const SharedSingleConfig&) const = default;
};

template <>
struct Family<SharedSingleConfig> : BlockedFamily<SharedSingleConfig, SharedSingle> {
  static constexpr const char* kName = "shared_single";
  static constexpr const char* kConfigName = "SharedSingleConfig";
  static constexpr const char* kHeader = "gallery/shared_single.h";
  static constexpr const char* const kKernels[] = {"shared_single"};

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SharedSingleConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SharedSingleConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

template <class Problem, SharedSingleConfig kConfig>
SCANTUNE_DEVICE void shared_single(const KernelArguments& arguments) {
  scantune::scan_row_in_shared_memory<Problem, kConfig, SharedSingle>(arguments);
}

}  // namespace scantune

#endif
