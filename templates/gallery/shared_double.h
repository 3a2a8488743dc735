// shared_double: the scan of Hillis and Steele in shared memory, in two copies of the row. Each step reads one copy and
// writes the other, so that one barrier is enough, for twice the memory. A thread keeps its own value in a register.
#pragma once

#include "gallery/blocked.h"

namespace scantune {

struct SharedDouble : HillisSteeleCost {
  static constexpr int shared_values(int capacity) { return 2 * capacity; }

#ifdef SCANTUNE_KERNELS
  // Scans items[0] to items[count - 1] of shared memory, no more than there are threads; the kCapacity values after
  // them are free. Returns the address of the results.
  template <class Op, int kCapacity, class T, class Count>
  SCANTUNE_DEVICE static T* scan(T* items, Count count) {
    const u32 item = thread_rank();
    const bool exists = scantune::has_item(item, count);
    T* from = items;
    T* to = items + kCapacity;
    T sum;
    if (exists) sum = items[item];
#pragma unroll
    for (u32 distance = 1; distance < count; distance *= 2) {
      if (exists && item >= distance) sum = Op::combine(from[item - distance], sum);
      if (exists) to[item] = sum;
      sync_block();
      T* const written = to;
      to = from;
      from = written;
    }
    return from;
  }
#endif
};

struct SharedDoubleConfig {
  static constexpr int items_per_thread = 1;
  static constexpr int kMostItemsPerThread = 1;

  int block_threads = 256;  // threads of a CTA, one for each item of its row

  constexpr bool operator==(const SharedDoubleConfig&) const = default;
};

template <>
struct Family<SharedDoubleConfig> : BlockedFamily<SharedDoubleConfig, SharedDouble> {
  static constexpr const char* kName = "shared_double";
  static constexpr const char* kConfigName = "SharedDoubleConfig";
  static constexpr const char* kHeader = "gallery/shared_double.h";
  static constexpr const char* const kKernels[] = {"shared_double"};

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SharedDoubleConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SharedDoubleConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

template <class Problem, SharedDoubleConfig kConfig>
SCANTUNE_DEVICE void shared_double(const KernelArguments& arguments) {
  scantune::scan_row_in_shared_memory<Problem, kConfig, SharedDouble>(arguments);
}

}  // namespace scantune

#endif
