// What the CTAs of a cluster tell each other: each its aggregate to all behind it, through shared memory.
#pragma once

#include "primitives/intrinsics.h"

namespace scantune {

// Every thread of every CTA calls start(), first thing, then send() or leave(); so do CTAs without items.
template <class Op, int kBlocks>
class ClusterExchange {
  using T = typename Op::Value;

 public:
  using Shared = T[kBlocks];  // aggregates of the CTAs of lower rank

  // Lets the others know that this CTA runs, so that they may store to it; nothing waits here.
  SCANTUNE_DEVICE static void start() { cluster_arrive(); }

  // Sends this CTA's aggregate. Afterwards those of lower rank lie here.
  SCANTUNE_DEVICE static void send(Shared& shared, T aggregate) {
    cluster_wait();
    const u32 rank = cluster_rank(), cta = rank + 1 + thread_rank();
    if (cta < kBlocks) scantune::store_to_cta(&shared[rank], cta, aggregate);
    meet();
  }

  // Sends nothing, and stays until nothing more is sent here.
  SCANTUNE_DEVICE static void leave() {
    cluster_wait();
    meet();
  }

  // The combination of the CTAs of lower rank, of which there is at least one.
  SCANTUNE_DEVICE static T before(const Shared& shared, u32 rank) {
    T before = shared[0];
#pragma unroll
    for (u32 cta = 1; cta + 1 < kBlocks; ++cta)
      if (cta < rank) before = Op::combine(before, shared[cta]);
    return before;
  }

 private:
  SCANTUNE_DEVICE static void meet() {
    cluster_arrive();
    cluster_wait();
  }
};

}  // namespace scantune
