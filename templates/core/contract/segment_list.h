// The list, in a workspace, of segments that are too long for one warp: how much room it has.
#pragma once

#include "core/contract/launch.h"

namespace scantune {

// All segments on a list have so many parts at most: a word of 64 bits counts them in 40, and in 24 the segments, of
// which each has two parts or more.
inline constexpr u64 kMostListedParts = u64{1} << 24;

// A segment on the list. How many parts have been reduced is counted here.
struct ListedSegment {
  u64 segment;
  u64 first_part;  // of all
  u32 parts;
  u32 arrived;
};

// Room for the parts of all segments of n items that are too long for a warp, unless they have items in common: of m
// times what a warp takes there are fewer than m + 1 parts, and m is more than 1. A workspace stays below 1 % of the
// input.
constexpr u64 listed_parts(u64 n, u64 items_of_warp, u64 input_bytes, int partial_bytes) {
  if (n <= items_of_warp) return 0;
  const u64 needed = 2 * ceil_div(n, items_of_warp);
  const u64 fitting = input_bytes / 100 / (static_cast<u64>(partial_bytes) + sizeof(ListedSegment) / 2);
  const u64 least = needed < fitting ? needed : fitting;
  return least < kMostListedParts ? least : kMostListedParts;
}

// Bytes into the workspace. Each segment on the list has two parts or more.
constexpr u64 partials_begin(u64 parts) {
  return round_up(sizeof(WorkspaceHeader) + parts / 2 * sizeof(ListedSegment), sizeof(WorkspaceHeader));
}

constexpr WorkspaceNeed list_workspace(u64 parts, int partial_bytes) {
  if (parts == 0) return {};
  return {WorkspaceKind::counted, 0, partials_begin(parts) + parts * static_cast<u64>(partial_bytes)};
}

}  // namespace scantune
