// How launches are batched for timing. The comparison with CUB counts launches by n alone, the tuner by L2 as well.
#pragma once

#include <algorithm>

#include "core/contract/types.h"

namespace scantune {

// Bytes of inputs and outputs that launches rotate over: far more than any L2 cache, but few enough that address
// translation does not affect the times.
inline constexpr u64 kRotationBytes = u64{512} << 20;

// Launches in one graph: many for small n, where launching is most of the time, few for large n, where one suffices.
constexpr int launches_per_graph(u64 n) {
  if (n <= u64{1} << 22) return 64;
  return n <= u64{1} << 26 ? 16 : 4;
}

// How many launches a graph of the tuner has, over how many inputs and outputs in turn.
struct Rotation {
  int launches;
  int buffers;
};

// All buffers stay in L2, or they are so many that little of them does. Between the two L2 keeps a part, and a config
// that asks it to keep little is measured faster than it is in programs.
constexpr Rotation rotation_of(u64 n, u64 moved_bytes, u64 l2_bytes) {
  constexpr u64 kTimesL2 = 4;
  Rotation rotation{launches_per_graph(n), 1};
  if (2 * moved_bytes * static_cast<u64>(rotation.launches) > l2_bytes)
    rotation.launches = std::max(rotation.launches, static_cast<int>(kTimesL2 * l2_bytes / moved_bytes));
  const u64 pairs = std::max(kRotationBytes, kTimesL2 * l2_bytes) / moved_bytes;
  rotation.buffers = static_cast<int>(std::clamp<u64>(pairs, 1, static_cast<u64>(rotation.launches)));
  return rotation;
}

}  // namespace scantune
