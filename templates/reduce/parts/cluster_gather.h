// Sends values of a cluster's CTAs to its first CTA, through shared memory.
#pragma once

#include "core/machine/clusters.h"

namespace scantune {

// Every thread of every CTA calls start() and then send().
template <class Op, int kBlocks>
class ClusterGather {
  using T = typename Op::Value;

  // Values travel in words of 4 bytes or more.
  struct alignas(alignof(T) < 4 ? 4 : alignof(T)) Sent {
    T value;
  };

 public:
  struct alignas(16) Shared {
    Sent values[kBlocks];  // of the CTAs after the first
    Barrier arrived;       // where their bytes arrive
  };

  // First thing in the kernel: lets the others know that the first CTA can be sent to. senders: how many will.
  SCANTUNE_DEVICE static void start(Shared& shared, u32 senders) {
    if (thread_rank() == 0 && cluster_rank() == 0 && senders > 0) {
      barrier_init(&shared.arrived, 1);
      fence_barrier_init();
      barrier_arrive_expecting(&shared.arrived, senders * sizeof(Sent));
    }
    cluster_arrive_relaxed();
  }

  // Sends thread 0's value to the first CTA, from the other CTAs among the first `senders`.
  SCANTUNE_DEVICE static void send(Shared& shared, T value, u32 senders) {
    cluster_wait();
    const u32 rank = cluster_rank();
    if (thread_rank() == 0 && rank > 0 && rank <= senders)
      scantune::send_to_cta(__builtin_addressof(shared.values[rank]), 0, Sent{value}, &shared.arrived);
  }

  // In the first CTA: waits for the others and combines their values after `own`, in order.
  SCANTUNE_DEVICE static T gather(Shared& shared, T own, u32 senders) {
    if (senders > 0) barrier_wait_for_sends(&shared.arrived, 0);
#pragma unroll
    for (u32 cta = 1; cta < kBlocks; ++cta)
      if (cta <= senders) own = Op::combine(own, shared.values[cta].value);
    return own;
  }
};

}  // namespace scantune
