// Reduction over the lanes of a warp.
#pragma once

#include "core/machine/warp.h"
#include "core/parts/neutral_item.h"
#include "core/parts/operators.h"

namespace scantune {

// Operators by which one instruction reduces the lanes.
template <class Op>
struct LaneReduction {
  static constexpr bool kExists = false;
};

template <class T, Operator kOperator>
  requires(kReducesLanes && sizeof(T) == 4 && !kIsFloating<T> && kOperator != Operator::product)
struct LaneReduction<OperatorOf<T, kOperator>> {
  static constexpr bool kExists = true;
  // Reduces the first `count` lanes; the others hold anything.
  SCANTUNE_DEVICE static T reduce(T value, u32 lane, u32 count) {
    return scantune::reduce_lanes<kOperator>(lane < count ? value : neutral_item<kOperator, T, T>());
  }
};

// Every lane gets the combination of its group of kLanes neighbouring lanes, combined in any order, since the operator
// commutes.
template <class Op, u32 kLanes = kWarpThreads, class T>
SCANTUNE_DEVICE T warp_reduce(T value, u32 lane) {
  if constexpr (LaneReduction<Op>::kExists && kLanes == kWarpThreads)
    return LaneReduction<Op>::reduce(value, lane, kWarpThreads);
#pragma unroll
  for (u32 offset = 1; offset < kLanes; offset *= 2)
    value = Op::combine(value, scantune::shuffle_index(value, lane ^ offset));
  return value;
}

// Lane 0 gets the combination of lanes 0, 1, ..., count-1 in that order.
template <class Op, class T>
SCANTUNE_DEVICE T warp_reduce_ascending(T value, u32 lane, u32 count) {
  if constexpr (LaneReduction<Op>::kExists) return LaneReduction<Op>::reduce(value, lane, count);
#pragma unroll
  for (u32 offset = 1; offset < kWarpThreads; offset *= 2) {
    const T later = scantune::shuffle_down(value, offset);
    if (lane + offset < count) value = Op::combine(value, later);
  }
  return value;
}

// Lane 0 gets the combination of lanes count-1, ..., 1, 0 in that order: higher lanes hold earlier values.
template <u32 kLanes, class Op, class T>
SCANTUNE_DEVICE T warp_reduce_descending(T value, u32 lane, u32 count) {
  if constexpr (LaneReduction<Op>::kExists) return LaneReduction<Op>::reduce(value, lane, count);
#pragma unroll
  for (u32 offset = 1; offset < kLanes; offset *= 2) {
    const T earlier = scantune::shuffle_down(value, offset);
    if (lane + offset < count) value = Op::combine(earlier, value);
  }
  return value;
}

}  // namespace scantune
