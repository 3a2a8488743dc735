// warp_shuffle: each warp scans its items by shuffles, the first warp scans the totals of the warps, and every item
// adds the prefix of its warp. Values move between registers; only one total per warp goes through shared memory, with
// two barriers.
//
// A CTA of fewer than 1024 threads has fewer totals than a warp has lanes. The tutorial lets all 32 lanes read them;
// here a lane reads only a total that is there.
#pragma once

#include "gallery/blocked.h"

namespace scantune {

struct WarpShuffle {
  static constexpr int shared_values(int) { return kWarpThreads; }

  static constexpr u64 operations(u64 items, int) {
    const u64 warps = ceil_div(items, u64{kWarpThreads}), last = items - (warps - 1) * kWarpThreads;
    const u64 of_warps = (warps - 1) * HillisSteeleCost::operations(kWarpThreads) + HillisSteeleCost::operations(last);
    return of_warps + HillisSteeleCost::operations(warps) + (warps > 1 ? items - kWarpThreads : 0);
  }
  static constexpr u64 steps(u64 items, int) {
    const u64 warps = ceil_div(items, u64{kWarpThreads});
    return warps == 1 ? ceil_log2(items) : ceil_log2(kWarpThreads) + ceil_log2(warps - 1) + 1;
  }
  // The steps until the total of whole warps is there.
  static constexpr u64 steps_of_total(u64 items) {
    const u64 warps = ceil_div(items, u64{kWarpThreads});
    return warps == 1 ? ceil_log2(items) : ceil_log2(kWarpThreads) + ceil_log2(warps);
  }

#ifdef SCANTUNE_KERNELS
  // Returns each thread the combination of the values of threads 0 to its own; the first `count` threads have one.
  // totals: kWarpThreads values of shared memory, in which the prefixes of the warps are left.
  template <class Op, class T, class Count>
  SCANTUNE_DEVICE static T scan_values(T value, Count count, T* totals) {
    const u32 lane = thread_rank() % kWarpThreads, warp = thread_rank() / kWarpThreads;
    const u32 warps = (count + kWarpThreads - 1) / kWarpThreads;

    // Scan each warp.
    const bool exists = scantune::has_item(thread_rank(), count);
    value = scan_warp<Op>(value, exists ? lane : 0);
    const bool is_last_of_warp = lane == kWarpThreads - 1 || thread_rank() == count - 1;
    if (is_last_of_warp && exists) totals[warp] = value;
    sync_block();

    // Scan the totals of the warps.
    if (warp == 0) {
      T total = value;
      if (lane < warps) total = totals[lane];
      total = scan_warp<Op>(total, lane < warps ? lane : 0);
      if (lane < warps) totals[lane] = total;
    }
    sync_block();

    // Take what is before the warp.
    if (warp > 0 && exists) value = Op::combine(totals[warp - 1], value);
    return value;
  }

 private:
  // reach: the lanes before this one that have values; 0 for a lane without one.
  template <class Op, class T>
  SCANTUNE_DEVICE static T scan_warp(T value, u32 reach) {
#pragma unroll
    for (u32 distance = 1; distance < kWarpThreads; distance *= 2) {
      const T earlier = scantune::shuffle_up(value, distance);
      if (reach >= distance) value = Op::combine(earlier, value);
    }
    return value;
  }
#endif
};

struct WarpShuffleConfig {
  static constexpr int items_per_thread = 1;
  static constexpr int kMostItemsPerThread = 1;

  int block_threads = 256;  // threads of a CTA, one for each item of its row

  constexpr bool operator==(const WarpShuffleConfig&) const = default;
};

template <>
struct Family<WarpShuffleConfig> : BlockedFamily<WarpShuffleConfig, WarpShuffle> {
  static constexpr const char* kName = "warp_shuffle";
  static constexpr const char* kConfigName = "WarpShuffleConfig";
  static constexpr const char* kHeader = "gallery/warp_shuffle.h";
  static constexpr const char* const kKernels[] = {"warp_shuffle"};

#ifndef __CUDACC_RTC__
  static constexpr Parameter<WarpShuffleConfig> kParameters[] = {
      SCANTUNE_PARAMETER(WarpShuffleConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

// What is before this thread, of which the thread itself knows only what is up to it. Thread 0 gets anything.
template <class T>
SCANTUNE_DEVICE T before_thread(T up_to_thread, const T* totals) {
  const u32 lane = thread_rank() % kWarpThreads, warp = thread_rank() / kWarpThreads;
  const T before = scantune::shuffle_up(up_to_thread, 1);
  return lane == 0 && warp > 0 ? totals[warp - 1] : before;
}

template <class Problem, WarpShuffleConfig kConfig>
SCANTUNE_DEVICE void warp_shuffle(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  struct alignas(16) Shared {
    T totals[kWarpThreads];
  };
  T* const totals = shared_memory<Shared>().totals;
  const Row<Problem> row(arguments);
  const u32 item = thread_rank();

  // Load, scan and store one item for each thread.
  scantune::scan_by_count<kConfig.block_threads>(row.items(), [&](auto count) {
    const bool exists = scantune::has_item(item, count);
    T value;
    if (exists) value = row.load(item);
    value = WarpShuffle::scan_values<typename Problem::Op>(value, count, totals);
    const T before = scantune::before_thread(value, totals);
    if (exists) row.store(item, scantune::result_of<Problem>(item == 0, before, value, arguments));
  });
}

}  // namespace scantune

#endif
