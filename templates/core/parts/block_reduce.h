// Reduction over the threads of a CTA.
#pragma once

#include "core/parts/warp_reduce.h"

namespace scantune {

// Combines values of a CTA's threads in the order of the threads, those of its first warps first.
template <class Op, int kBlockThreads>
class BlockReduce {
  using T = typename Op::Value;
  static constexpr u32 kWarps = kBlockThreads / kWarpThreads;

 public:
  struct alignas(16) Shared {
    T totals[kWarpThreads];
  };

  // Thread 0 gets the combination of what the first `threads` threads have, at least one.
  SCANTUNE_DEVICE static T reduce(Shared& shared, T value, u32 threads = kBlockThreads) {
    const u32 warp = thread_rank() / kWarpThreads, lane = thread_rank() % kWarpThreads;
    const u32 before = warp * kWarpThreads, left = threads > before ? threads - before : 0;
    if (left > 0) value = scantune::warp_reduce_ascending<Op>(value, lane, left < kWarpThreads ? left : kWarpThreads);
    return reduce_warps(shared, value, ceil_div(threads, u32{kWarpThreads}));
  }

  // Thread 0 gets the combination of what the first lanes of the first `warps` warps have, at least one.
  SCANTUNE_DEVICE static T reduce_warps(Shared& shared, T value, u32 warps = kWarps) {
    if constexpr (kWarps == 1) return value;
    const u32 warp = thread_rank() / kWarpThreads, lane = thread_rank() % kWarpThreads;
    if (lane == 0 && warp < warps) shared.totals[warp] = value;
    sync_block();
    if (warp > 0) return value;
    if (lane < warps) value = shared.totals[lane];
    return scantune::warp_reduce_ascending<Op>(value, lane, warps);
  }
};

}  // namespace scantune
