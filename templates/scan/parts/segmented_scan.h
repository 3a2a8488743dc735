// Inclusive scan over the lanes of a warp that starts again at some lanes.
#pragma once

#include "core/machine/bits.h"
#include "core/machine/warp.h"

namespace scantune {

// Returns lane i the combination of the lanes from the last one up to i that starts a segment, or from lane 0 where
// none does. starts: a bit for each lane. Lanes that are not valid hold anything, and get anything. Lanes
// from kLanes on are not valid.
template <class Op, u32 kLanes = kWarpThreads, class T>
SCANTUNE_DEVICE T segmented_warp_scan(T value, u32 starts, u32 lane, bool is_valid) {
  const u32 up_to_lane = starts & (~0u >> (kWarpThreads - 1 - lane));
  const u32 before = up_to_lane == 0 ? lane : lane - highest_bit(up_to_lane);  // lanes that the result takes in
#pragma unroll
  for (u32 offset = 1; offset < kLanes; offset *= 2) {
    const T earlier = scantune::shuffle_up(value, offset);
    if (is_valid && offset <= before) value = Op::combine(earlier, value);
  }
  return value;
}

}  // namespace scantune
