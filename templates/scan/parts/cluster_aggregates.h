// How the CTAs of a cluster exchange aggregates: each sends its own to all CTAs after it, through shared memory.
#pragma once

#include "core/machine/clusters.h"

namespace scantune {

// Every thread of every CTA calls start(), and those of CTAs with items send(). CTAs without items may exit at once.
template <class Op, int kBlocks>
class ClusterAggregates {
  using T = typename Op::Value;

  // Values travel in words of 4 bytes or more.
  struct alignas(alignof(T) < 4 ? 4 : alignof(T)) Sent {
    T value;
  };

 public:
  struct alignas(16) Shared {
    Sent aggregates[kBlocks];  // those of the CTAs of lower rank
    Barrier arrived;           // where their bytes arrive
  };

  // Comes first in the kernel, and waits for nothing. It tells the others that this CTA can be sent to, which they do
  // if it has items and is not the first.
  SCANTUNE_DEVICE static void start(Shared& shared, bool has_items) {
    if (thread_rank() == 0 && has_items && cluster_rank() > 0) {
      barrier_init(&shared.arrived, 1);
      fence_barrier_init();
      barrier_arrive_expecting(&shared.arrived, cluster_rank() * sizeof(Sent));
    }
    cluster_arrive_relaxed();
  }

  // Sends this CTA's aggregate to those after it among the first `ctas`, which have items.
  SCANTUNE_DEVICE static void send(Shared& shared, T aggregate, u32 ctas) {
    cluster_wait();
    const u32 rank = cluster_rank(), cta = rank + 1 + thread_rank();
    if (cta < kBlocks && cta < ctas)
      scantune::send_to_cta(__builtin_addressof(shared.aggregates[rank]), cta, Sent{aggregate}, &shared.arrived);
  }

  // Waits for the aggregates of all CTAs of lower rank, of which there is at least one, and combines them. Every such
  // CTA must wait before it exits.
  SCANTUNE_DEVICE static T gather(Shared& shared, u32 rank) {
    barrier_wait_for_sends(&shared.arrived, 0);
    T before = shared.aggregates[0].value;
#pragma unroll
    for (u32 cta = 1; cta + 1 < kBlocks; ++cta)
      if (cta < rank) before = Op::combine(before, shared.aggregates[cta].value);
    return before;
  }
};

}  // namespace scantune
