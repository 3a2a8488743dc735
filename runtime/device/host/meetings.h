// Collective operations: all threads of a CTA at its barrier, lanes of a warp at a vote, a shuffle or their barrier.
#pragma once

#include <cstring>

#include "device/host/scheduler.h"

namespace scantune {

class Meetings {
 public:
  Meetings(WeakMemory& memory, Scheduler& scheduler, Failures& failures)
      : memory_(memory), scheduler_(scheduler), failures_(failures) {}

  // The thread, which is the current one, takes part, and goes on when all have. Inline: across a switch of fibres the
  // processor mispredicts returns, so calls are expensive.
  void sync_block(CudaThread& thread, host::Site site);
  void sync_warp(CudaThread& thread, u32 mask, host::Site site) {
    meet(thread, Meeting::Operation::sync_warp, Waiting::sync_warp, 0, mask, site);
  }
  void shuffle(CudaThread& thread, void* out, const void* in, u32 bytes, host::Shuffle kind, u32 operand, u32 mask,
               host::Site site) {
    constexpr Meeting::Operation kOperations[] = {Meeting::Operation::shuffle_up, Meeting::Operation::shuffle_down,
                                                  Meeting::Operation::shuffle_index};
    const u32 lane = thread.lane;
    Warp& warp = *thread.warp;
    if (bytes == 4) {
      std::memcpy(warp.value[lane], in, 4);
    } else if (bytes == 8) {
      std::memcpy(warp.value[lane], in, 8);
    } else if (bytes <= Warp::kMaxShuffleBytes) {
      std::memcpy(warp.value[lane], in, bytes);
    } else {
      failures_.fail_here("shuffles a value of more than 32 bytes", site);
    }
    warp.result[lane] = out;
    warp.operand[lane] = operand;
    meet(thread, kOperations[static_cast<int>(kind)], Waiting::shuffle, bytes, mask, site);
  }
  u32 ballot(CudaThread& thread, u32 mask, bool vote, host::Site site) {
    Warp& warp = *thread.warp;
    u32 votes = 0;
    warp.votes = vote ? warp.votes | thread.lane_bit : warp.votes & ~thread.lane_bit;
    warp.result[thread.lane] = &votes;
    meet(thread, Meeting::Operation::ballot, Waiting::ballot, 0, mask, site);
    return votes;
  }

  void leave(CudaThread& thread);  // the thread exits, and nobody may wait for it

 private:
  void complete_barrier(const CudaThread& last);
  void meet(CudaThread& thread, Meeting::Operation operation, Waiting waiting, u32 bytes, u32 mask, host::Site site);
  u32 join(const CudaThread& thread, const Meeting& wanted, host::Site site);
  void complete(const CudaThread& last, const Meeting& meeting);
  template <class Word>
  void complete_shuffle(Warp& warp, const Meeting& meeting);
  void share_view(Warp& warp, u32 mask);

  WeakMemory& memory_;
  Scheduler& scheduler_;
  Failures& failures_;
};

}  // namespace scantune
