// How launches are batched for timing, by the tuner and by the comparison with CUB alike.
#pragma once

#include "core/contract/types.h"

namespace scantune {

// Inputs and outputs that launches rotate over together: far more than any L2 cache, and little enough to keep the
// translation of addresses out of the figures.
inline constexpr u64 kRotationBytes = u64{512} << 20;

// Launches in one graph: many for small n, where launching is most of the time, few for large n, where one suffices.
constexpr int launches_per_graph(u64 n) {
  if (n <= u64{1} << 22) return 64;
  return n <= u64{1} << 26 ? 16 : 4;
}

}  // namespace scantune
