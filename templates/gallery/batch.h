// batch: each thread scans several neighbouring items in its registers, and only the threads' totals are scanned across
// the CTA. Most of the work becomes sequential, so that about two operations per item are left. There are two barriers,
// however many items each thread has.
#pragma once

#include "gallery/warp_shuffle.h"

namespace scantune {

struct BatchScan {
  static constexpr int shared_values(int) { return WarpShuffle::shared_values(0); }

  // Every item but the first of a thread is added to the one before it, and every item but those of the first thread
  // gets what is before the thread.
  static constexpr u64 operations(u64 items, int items_per_thread) {
    const u64 batch = static_cast<u64>(items_per_thread), threads = ceil_div(items, batch);
    return items - threads + WarpShuffle::operations(threads, 1) + (threads > 1 ? items - batch : 0);
  }
  static constexpr u64 steps(u64 items, int items_per_thread) {
    const u64 batch = static_cast<u64>(items_per_thread), threads = ceil_div(items, batch);
    if (threads == 1) return items - 1;
    return batch - 1 + WarpShuffle::steps(threads - 1, 1) + 1;
  }
};

struct BatchConfig {
  static constexpr int kMostItemsPerThread = 16;

  int block_threads = 256;   // threads of a CTA
  int items_per_thread = 4;  // neighbouring items each thread scans in registers (batchSize)

  constexpr bool operator==(const BatchConfig&) const = default;
};

template <>
struct Family<BatchConfig> : BlockedFamily<BatchConfig, BatchScan> {
  static constexpr const char* kName = "batch";
  static constexpr const char* kConfigName = "BatchConfig";
  static constexpr const char* kHeader = "gallery/batch.h";
  static constexpr const char* const kKernels[] = {"batch"};

#ifndef __CUDACC_RTC__
  static constexpr Parameter<BatchConfig> kParameters[] = {
      SCANTUNE_PARAMETER(BatchConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(BatchConfig, items_per_thread, primary, 1, 2, 4, 8, 16),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

// How a thread's items come and go: one by one.
struct OneByOne {
  template <class Problem, int kItems>
  SCANTUNE_DEVICE static void load(typename Problem::Input (&items)[kItems], const Row<Problem>& row, u32 first,
                                   u32 mine) {
#pragma unroll
    for (u32 item = 0; item < kItems; ++item)
      if (item < mine) items[item] = scantune::load_global<CacheHint::normal>(row.input() + first + item);
  }
  template <class Problem, int kItems>
  SCANTUNE_DEVICE static void store(const typename Problem::Output (&items)[kItems], const Row<Problem>& row, u32 first,
                                    u32 mine) {
#pragma unroll
    for (u32 item = 0; item < kItems; ++item)
      if (item < mine) scantune::store_global<CacheHint::normal>(row.output() + first + item, items[item]);
  }
};

// A row that the threads of a CTA hold in registers, kItems each.
template <class Problem, int kItems, class Access>
class BatchedRow {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;

 public:
  // totals: kWarpThreads values of shared memory.
  SCANTUNE_DEVICE BatchedRow(const Row<Problem>& row, T* totals) : row_(row), totals_(totals) {
    first_ = thread_rank() * kItems;
    const u32 left = first_ < row.items() ? row.items() - first_ : 0;
    mine_ = left < kItems ? left : kItems;
  }

  // Loads the items and scans those of each thread, then the threads' totals.
  SCANTUNE_DEVICE void scan() {
    typename Problem::Input loaded[kItems];
    Access::template load<Problem, kItems>(loaded, row_, first_, mine_);
    T total;
#pragma unroll
    for (u32 item = 0; item < kItems; ++item) {
      if (item >= mine_) continue;
      items_[item] = scantune::convert<T>(loaded[item]);
      if (item > 0) items_[item] = Op::combine(items_[item - 1], items_[item]);
      total = items_[item];
    }
    const u32 threads = (row_.items() + kItems - 1) / kItems;
    total = WarpShuffle::scan_values<Op>(total, threads, totals_);
    before_ = scantune::before_thread(total, totals_);
  }

  // The total of the row, after scan().
  SCANTUNE_DEVICE T total() const {
    const u32 threads = (row_.items() + kItems - 1) / kItems;
    return totals_[(threads - 1) / kWarpThreads];
  }

  // Combines each item with what is before it, and stores the results. carry: what is before the row, if anything is.
  SCANTUNE_DEVICE void store(bool has_carry, T carry) {
    if (mine_ == 0) return;
    const bool has_before = has_carry || thread_rank() > 0;
    if (has_carry) before_ = thread_rank() > 0 ? Op::combine(carry, before_) : carry;
    typename Problem::Output results[kItems];
    T before = before_;
#pragma unroll
    for (u32 item = 0; item < kItems; ++item) {
      if (item >= mine_) continue;
      const T inclusive = has_before ? Op::combine(before_, items_[item]) : items_[item];
      results[item] = scantune::convert<typename Problem::Output>(Problem::kExclusive ? before : inclusive);
      before = inclusive;
    }
    Access::template store<Problem, kItems>(results, row_, first_, mine_);
  }

 private:
  const Row<Problem>& row_;
  T* const totals_;
  u32 first_;  // of this thread's items in the row
  u32 mine_;   // items of this thread
  T items_[kItems];
  T before_;  // what is before this thread's items in the row
};

template <class Problem, auto kConfig, class Access>
SCANTUNE_DEVICE void scan_batches(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  struct alignas(16) Shared {
    T totals[kWarpThreads];
  };
  const Row<Problem> row(arguments);
  BatchedRow<Problem, kConfig.items_per_thread, Access> batches(row, shared_memory<Shared>().totals);
  batches.scan();
  batches.store(Problem::kHasInit, Problem::init(arguments));
}

template <class Problem, BatchConfig kConfig>
SCANTUNE_DEVICE void batch(const KernelArguments& arguments) {
  scantune::scan_batches<Problem, kConfig, OneByOne>(arguments);
}

}  // namespace scantune

#endif
