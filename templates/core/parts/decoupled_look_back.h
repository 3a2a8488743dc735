// The look-back over the descriptors of earlier tiles (Merrill and Garland, "Single-pass Parallel Prefix Scan with
// Decoupled Look-back", 2016).
#pragma once

#include "core/machine/bits.h"
#include "core/parts/tile_status.h"
#include "core/parts/warp_reduce.h"

namespace scantune {

// Returns the combination of all tiles before `tile`, which is not 0. The whole first warp calls: each lane polls one
// descriptor of the window, the nearest predecessor first. The config says how wide that is, and how often it is
// polled.
template <class Op, auto kConfig, class T>
SCANTUNE_DEVICE T look_back(const TileStatus<T, kConfig.status_layout>& status, u32 tile, u32 lane) {
  constexpr u32 kLanes = kConfig.window < kWarpThreads ? kConfig.window : kWarpThreads;
  constexpr int kPolls = kConfig.window / kLanes;
  T carry;
  pause<kConfig.first_delay_ns>();
  for (u32 distance = 0;; distance += kConfig.window) {
    // Poll the whole window at once, so that its latencies overlap.
    TileDescriptor<T> descriptors[kPolls];
#pragma unroll
    for (int poll = 0; poll < kPolls; ++poll) {
      const u32 before = distance + poll * kLanes + lane;
      descriptors[poll].flag = TileFlag::none;
      if (lane < kLanes && before < tile) descriptors[poll] = status.poll(tile - 1 - before);
    }

#pragma unroll
    for (int poll = 0; poll < kPolls; ++poll) {
      const u32 first = distance + poll * kLanes;
      TileDescriptor<T>& descriptor = descriptors[poll];

      // Wait for the nearest prefix and every aggregate after it. Tile 0 publishes a prefix, so the walk ends.
      u32 needed, prefixes;
      while (true) {
        prefixes = ballot(~0u, descriptor.flag == TileFlag::prefix);
        const u32 ready = ballot(~0u, descriptor.flag != TileFlag::none);
        needed = prefixes != 0 ? count_trailing_zeros(prefixes) + 1 : kLanes;
        const u32 needed_lanes = ~0u >> (kWarpThreads - needed);
        if ((ready & needed_lanes) == needed_lanes) break;
        poll_pause<kConfig.poll_delay_ns>();
        if (lane < kLanes && first + lane < tile && descriptor.flag == TileFlag::none)
          descriptor = status.poll(tile - 1 - first - lane);
      }

      // Combine what the window holds, and put it before what is already gathered.
      const T window =
          scantune::shuffle_index(scantune::warp_reduce_descending<kLanes, Op>(descriptor.value, lane, needed), 0);
      carry = first == 0 ? window : Op::combine(window, carry);
      if (prefixes != 0) return carry;
    }
  }
}

}  // namespace scantune
