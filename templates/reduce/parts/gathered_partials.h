// Partial results of CTAs, published with the epoch of the launch, and combined by one CTA.
#pragma once

#include "core/parts/gathered_aggregates.h"
#include "reduce/parts/share_reduce.h"

namespace scantune {

template <class Op, bool kInOrder, int kBlockThreads>
class GatheredPartials {
  using T = typename Op::Value;
  using Block = BlockReduce<Op, kBlockThreads>;
  // Each lane polls one at once. More would cost every launch instructions that only many CTAs need, and many are slow.
  using Gathered = GatheredAggregates<Op, kInOrder, kWarpThreads, 0, T, StatusLayout::packed, Repolled::together>;
  static constexpr u32 kWarps = kBlockThreads / kWarpThreads;

 public:
  using Status = TileStatus<T, StatusLayout::packed>;

  // Waits until all of `ctas` have published. Thread 0 gets the combination of the first `active` of them, at least
  // one, in their order. Each warp gathers a run of neighbours.
  SCANTUNE_DEVICE static T gather(typename Block::Shared& shared, const Status& status, u32 active, u32 ctas) {
    for (u32 idle = active + thread_rank(); idle < ctas; idle += kBlockThreads)
      while (status.poll(idle).flag == TileFlag::none) poll_pause<0>();
    const u32 each = ceil_div(active, kWarps), first = thread_rank() / kWarpThreads * each;
    T part;
    if (first < active) {
      const u32 end = first + each < active ? first + each : active;
      part = Gathered::gather(status, first, end, thread_rank() % kWarpThreads);
    }
    return Block::reduce_warps(shared, part, ceil_div(active, each));
  }
};

}  // namespace scantune
