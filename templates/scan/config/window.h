// How many status descriptors a warp that gathers aggregates reads at once.
#pragma once

#include "scan/config/tile.h"

namespace scantune {

inline constexpr int kMostGatheredAtOnce = 8 * kWarpThreads;  // so many still fit the registers

constexpr const char* invalid_window_reason(int window) {
  if (window < kWarpThreads || window > kMostGatheredAtOnce || window % kWarpThreads != 0)
    return "window must be a multiple of 32 up to 256";
  return nullptr;
}

}  // namespace scantune
