// work_inefficient: the scan of Hillis and Steele in one CTA, made exclusive before it starts: every item is shifted by
// one place. It is named for its n log2 n operations, where a loop takes n - 1.
//
// The tutorial calls an inclusive kernel exclusive, and has its barriers in a branch that some threads leave early.
// Here the conversion is a separate line, and all threads reach every barrier.
#pragma once

#include "gallery/shared_single.h"

namespace scantune {

struct WorkInefficientConfig {
  static constexpr int items_per_thread = 1;
  static constexpr int kMostItemsPerThread = 1;

  int block_threads = 256;  // threads of the CTA, one for each item

  constexpr bool operator==(const WorkInefficientConfig&) const = default;
};

template <>
struct Family<WorkInefficientConfig> : BlockedFamily<WorkInefficientConfig, SharedSingle> {
  static constexpr const char* kName = "work_inefficient";
  static constexpr const char* kConfigName = "WorkInefficientConfig";
  static constexpr const char* kHeader = "gallery/work_inefficient.h";
  static constexpr const char* const kKernels[] = {"work_inefficient"};

#ifndef __CUDACC_RTC__
  static constexpr Parameter<WorkInefficientConfig> kParameters[] = {
      SCANTUNE_PARAMETER(WorkInefficientConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

template <class Problem, WorkInefficientConfig kConfig>
SCANTUNE_DEVICE void work_inefficient(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  struct alignas(16) Shared {
    T values[kConfig.block_threads];
  };
  T* const items = shared_memory<Shared>().values;
  const Row<Problem> row(arguments);
  const u32 item = thread_rank();
  const bool exists = item < row.items();

  // Load the items; for an exclusive scan the initial value, then all items but the last.
  if (exists) {
    if constexpr (Problem::kExclusive)
      items[item] = item == 0 ? Problem::init(arguments) : row.load(item - 1);
    else
      items[item] = row.load(item);
  }
  if constexpr (!Problem::kExclusive && Problem::kHasInit)
    if (item == 0) items[0] = Problem::Op::combine(Problem::init(arguments), items[0]);
  sync_block();

  // An inclusive scan of these values is the result.
  SharedSingle::scan<typename Problem::Op, kConfig.block_threads>(items, row.items());
  if (exists) row.store(item, items[item]);
}

}  // namespace scantune

#endif
