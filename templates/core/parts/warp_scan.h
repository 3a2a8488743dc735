// Inclusive scan over the lanes of a warp, in four ways.
#pragma once

#include "core/contract/warp_scan.h"
#include "core/machine/warp.h"

namespace scantune {

// A step of radix 2 reaches twice as far as the one before it, by one shuffle. A step of radix 4 reaches four times as
// far, by three shuffles that do not wait for each other.
template <class Op, u32 kLanes, int kRadix, class T>
SCANTUNE_DEVICE T scan_by_kogge_stone(T value, i32 place) {
  static_assert(kRadix == 2 || kRadix == 4);
  u32 offset = 1;
  if constexpr (kRadix == 4) {
#pragma unroll
    for (; 4 * offset <= kLanes; offset *= 4) {
      const T first = scantune::shuffle_up(value, 3 * offset);
      T second = scantune::shuffle_up(value, 2 * offset);
      const T third = scantune::shuffle_up(value, offset);
      if (place >= static_cast<i32>(3 * offset)) second = Op::combine(first, second);
      if (place >= static_cast<i32>(offset)) value = Op::combine(third, value);
      if (place >= static_cast<i32>(2 * offset)) value = Op::combine(second, value);
    }
  }
#pragma unroll
  for (; offset < kLanes; offset *= 2) {
    const T earlier = scantune::shuffle_up(value, offset);
    if (place >= static_cast<i32>(offset)) value = Op::combine(earlier, value);
  }
  return value;
}

// Returns lane i the combination of lanes 0..i, for lanes below valid_lanes; the others hold no items and get anything.
// Every lane of the warp calls. kLanes: a power of two, no less than valid_lanes. exchange: two rows of 32 values in
// shared memory, for hillis_steele only.
template <WarpScan kStrategy, class Op, u32 kLanes = kWarpThreads, class T>
SCANTUNE_DEVICE T warp_inclusive_scan(T value, u32 lane, u32 valid_lanes, [[maybe_unused]] T* exchange) {
  // A lane without items takes part in the shuffles and combines nothing.
  const i32 place = lane < valid_lanes ? static_cast<i32>(lane) : -1;
  static_assert(kStrategy != WarpScan::kogge_stone, "its radix is for the caller to choose");
  if constexpr (kStrategy == WarpScan::kogge_stone_2 || kStrategy == WarpScan::kogge_stone_4) {
    constexpr int kRadix = kStrategy == WarpScan::kogge_stone_4 ? 4 : 2;
    value = scantune::scan_by_kogge_stone<Op, kLanes, kRadix>(value, place);
  } else if constexpr (kStrategy == WarpScan::brent_kung) {
    // Up-sweep: lane k * 2 * offset - 1 gathers its group.
#pragma unroll
    for (u32 offset = 1; offset < kLanes; offset *= 2) {
      const T earlier = scantune::shuffle_up(value, offset);
      if (place > 0 && (lane + 1) % (2 * offset) == 0) value = Op::combine(earlier, value);
    }
    // Down-sweep: the middle of a group takes what the group before it gathered.
#pragma unroll
    for (u32 offset = kLanes / 4; offset > 0; offset /= 2) {
      const T earlier = scantune::shuffle_up(value, offset);
      if (place >= static_cast<i32>(offset) && (lane + 1) % (2 * offset) == offset) value = Op::combine(earlier, value);
    }
  } else {
    u32 buffer = 0;
#pragma unroll
    for (u32 offset = 1; offset < kLanes; offset *= 2) {
      exchange[buffer + lane] = value;
      sync_warp();
      if (place >= static_cast<i32>(offset)) value = Op::combine(exchange[buffer + lane - offset], value);
      buffer ^= kWarpThreads;  // the other buffer: no lane may overwrite what another has still to read
    }
    sync_warp();
  }
  return value;
}

}  // namespace scantune
