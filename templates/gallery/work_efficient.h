// work_efficient: the scan of Blelloch ("Prefix Sums and Their Applications", 1990) in one CTA: up a tree of sums, and
// down again with the prefix of each part. Results are exclusive; an inclusive one adds the item itself.
//
// The tutorial sets the root to 0. Here the root has no value: the first half of every first part has nothing before
// it, and no identity is needed, which the operator may not have. The tutorial loads one item per thread although its
// tree has two; here each thread has two.
#pragma once

#include "gallery/brent_kung.h"

namespace scantune {

struct WorkEfficient {
  // A whole tree, whatever the row has of it.
  static constexpr int shared_values(int capacity) {
    int leaves = 1;
    while (leaves < capacity) leaves *= 2;
    return leaves;
  }

  // items - 1 operations up; as many down, except those of first halves, which have nothing before them; and as many
  // for inclusive results.
  static constexpr u64 operations(u64 items, int) { return 3 * (items - 1) - ceil_log2(items); }
  static constexpr u64 steps(u64 items, int) { return items == 1 ? 0 : steps_of_groups(items - 1) + 1; }
};

struct WorkEfficientConfig {
  static constexpr int items_per_thread = 2;
  static constexpr int kMostItemsPerThread = 2;

  int block_threads = 256;  // threads of the CTA, one for two items

  constexpr bool operator==(const WorkEfficientConfig&) const = default;
};

template <>
struct Family<WorkEfficientConfig> : BlockedFamily<WorkEfficientConfig, WorkEfficient> {
  static constexpr const char* kName = "work_efficient";
  static constexpr const char* kConfigName = "WorkEfficientConfig";
  static constexpr const char* kHeader = "gallery/work_efficient.h";
  static constexpr const char* const kKernels[] = {"work_efficient"};

  // Inclusive results read the items a second time.
  static constexpr Work work(const WorkEfficientConfig& config, const ScanRequest& request) {
    Work work = BlockedFamily::work(config, request);
    work.bytes += request.n * static_cast<u64>(request.input_bytes());
    return work;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<WorkEfficientConfig> kParameters[] = {
      SCANTUNE_PARAMETER(WorkEfficientConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

template <class Problem, WorkEfficientConfig kConfig>
SCANTUNE_DEVICE void work_efficient(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  struct alignas(16) Shared {
    T values[WorkEfficient::shared_values(kConfig.block_threads * kConfig.items_per_thread)];
  };
  T* const items = shared_memory<Shared>().values;
  const Row<Problem> row(arguments);
  const u32 count = row.items();

  // Load the row.
  for (u32 item = thread_rank(); item < count; item += kConfig.block_threads) items[item] = row.load(item);
  sync_block();

  // Up: the last place of each part gets the sum of its two halves. If a part ends past the row, its second half may be
  // empty.
  u32 half = 1;
  for (; half < count; half *= 2) {
    const u32 first = thread_rank() * 2 * half, middle = first + half, last = middle + half - 1;
    if (first < count) items[last] = middle < count ? Op::combine(items[middle - 1], items[last]) : items[middle - 1];
    sync_block();
  }

  // Down: the first half gets what is before the part, the second half also the sum of the first.
  for (half /= 2; half > 0; half /= 2) {
    const u32 first = thread_rank() * 2 * half, middle = first + half, last = middle + half - 1;
    if (first < count) {
      const T sum = items[middle - 1];
      if (first > 0) items[middle - 1] = items[last];
      if (middle < count) items[last] = first > 0 ? Op::combine(items[last], sum) : sum;
    }
    sync_block();
  }

  // Store. Nothing is before the first item.
  for (u32 item = thread_rank(); item < count; item += kConfig.block_threads) {
    T inclusive = items[item];
    if constexpr (!Problem::kExclusive) {
      inclusive = row.load(item);
      if (item > 0) inclusive = Op::combine(items[item], inclusive);
    }
    row.store(item, scantune::result_of<Problem>(item == 0, items[item], inclusive, arguments));
  }
}

}  // namespace scantune

#endif
