// The warps with runnable lanes.
#pragma once

#include <utility>

#include "device/host/choices.h"
#include "device/host/cta.h"

namespace scantune {

class WarpQueue {
 public:
  void clear() { first_ = count_ = 0; }
  bool empty() const { return count_ == 0; }

  void push(Warp& warp) {
    if (warp.queued) return;
    warp.queued = true;
    warps_[(first_ + count_++) % kCapacity] = &warp;
  }

  // The queue must not be empty. The warp stays marked as queued.
  Warp& pop(Choices& choices) {
    Random& random = choices.random;
    const WarpOrder order = choices.schedule.warp_order;
    // The oldest sometimes gets its turn too, or two warps could spin for ever while a third waits for it.
    if (order == WarpOrder::newest_first && !random.chance(10)) return *warps_[(first_ + --count_) % kCapacity];
    if (order == WarpOrder::shuffled) std::swap(warps_[first_], warps_[(first_ + random.below(count_)) % kCapacity]);
    Warp& warp = *warps_[first_];
    first_ = (first_ + 1) % kCapacity;
    --count_;
    return warp;
  }

 private:
  static constexpr u32 kCapacity = 512;  // warps of all resident CTAs, a power of two

  Warp* warps_[kCapacity];  // a ring
  u32 first_ = 0;
  u32 count_ = 0;
};

}  // namespace scantune
