// What is before each part of a segment, of what the parts come to: 32 of them are scanned by the lanes of a warp, and
// carried on. One warp that takes part after part, and several with partial results, associate them in the same way.
#pragma once

#include "core/machine/status.h"
#include "core/parts/warp_scan.h"

namespace scantune {

template <class Op>
class PartPrefixes {
  using T = typename Op::Value;

 public:
  // Takes what a part comes to, in the order of the parts. All lanes of the warp call this, and the next ones.
  SCANTUNE_DEVICE void take(u32 part, u32 lane, T total) {
    if (lane == part % kWarpThreads) own_ = total;
  }

  // Returns what is before a part, which is the next and not the first.
  SCANTUNE_DEVICE T before(u32 part, u32 lane) {
    const u32 place = part % kWarpThreads, count = place == 0 ? kWarpThreads : place;
    const T last = scantune::shuffle_index(inclusive(own_, lane, count), count - 1);
    const bool has_carry = part > kWarpThreads;
    const T all = has_carry ? Op::combine(carry_, last) : last;
    if (place == 0) carry_ = all;
    return all;
  }

  // Replaces what each part comes to by what is before it. What is before the first one is not written.
  SCANTUNE_DEVICE static void scan(T* partials, u32 parts, u32 lane) {
    T carry;
    for (u32 first = 0; first < parts; first += kWarpThreads) {
      const u32 left = parts - first, count = left < kWarpThreads ? left : kWarpThreads;
      T own;
      if (lane < count) own = scantune::load_payload(partials + first + lane);
      const T through = inclusive(own, lane, count), earlier = scantune::shuffle_up(through, 1);
      if (first > 0 && lane == 0) scantune::store_payload(partials + first, carry);
      if (lane > 0 && lane < count)
        scantune::store_payload(partials + first + lane, first > 0 ? Op::combine(carry, earlier) : earlier);
      const T last = scantune::shuffle_index(through, count - 1);
      carry = first > 0 ? Op::combine(carry, last) : last;
    }
  }

 private:
  SCANTUNE_DEVICE static T inclusive(T value, u32 lane, u32 count) {
    return scantune::warp_inclusive_scan<WarpScan::kogge_stone_2, Op>(value, lane, count, static_cast<T*>(nullptr));
  }

  T own_;    // what the lane's part of the last 32 comes to
  T carry_;  // the combination of the parts before those
};

}  // namespace scantune
