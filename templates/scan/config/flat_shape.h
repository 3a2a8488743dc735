// How warps take neighbouring segments, and the items of these as one sequence.
#pragma once

#include "core/contract/cta.h"

namespace scantune {

struct FlatShape {
  int items_per_thread;  // consecutive ones of a tile: a power of two up to 32
  int vector_items;      // that one load brings, where they are on a boundary
  int tiles_at_once;     // that are loaded before any is combined
  CacheHint load_hint;
  bool has_fixed_tiles;  // tiles are at the same items whatever sequence these are in
  bool goes_backwards;   // items and segments come in the other order

  constexpr u32 tile_items() const { return static_cast<u32>(kWarpThreads * items_per_thread); }
  constexpr u32 round_items() const { return tile_items() * static_cast<u32>(tiles_at_once); }
  // The items that are marked at a time, a byte each, if segments start there: of some rounds.
  constexpr u32 marked_items() const {
    constexpr u32 kAbout = 1024;
    return round_items() < kAbout ? kAbout / round_items() * round_items() : round_items();
  }
  constexpr int shared_bytes_of_warp() const { return static_cast<int>(marked_items()); }
};

// What a warp takes by itself, and how many items it takes at most in which way.
struct NeighbourLimits {
  u32 block_warps;
  u32 warp_segments;
  u64 of_warp;   // items of a segment, or of a piece, that a warp takes without others
  u64 of_group;  // items of a segment that a group takes; 0 where there are no groups but warps
  u64 few;       // items of a piece that may be left to groups
  u32 of_part;   // items of a listed piece's part
  u32 most_parts;

  constexpr u32 grid_segments() const { return block_warps * warp_segments; }
};

constexpr NeighbourLimits limits_of_neighbours(const FlatShape& shape, int block_threads, int warp_segments,
                                               int segment_threads, u64 of_warp, u64 of_group, u32 most_parts) {
  const u64 half_tile = shape.tile_items() / 2, group = of_group < of_warp ? of_group : of_warp;
  return {static_cast<u32>(block_threads / kWarpThreads),
          static_cast<u32>(warp_segments),
          of_warp,
          segment_threads < kWarpThreads ? group : 0,
          half_tile < group ? half_tile : group,
          static_cast<u32>(of_warp < 2 ? 1 : of_warp / 2),
          most_parts};
}

// Defaults for n items in segments of average length, with tiles of so many items. A warp takes a tile or, of many
// items, up to eight. Lengths that are drawn vary, and neighbours are long together: what has several times as many
// items is divided again, unless there are so few that one launch is the fastest. Measured on an H200.
struct DefaultSequences {
  static constexpr u64 kFewItems = 8192;
  int warp_segments = 1;
  int long_tiles;

  constexpr DefaultSequences(u64 n, u64 average, u64 tile) {
    const u64 share = n / 16'384, items = share < tile ? tile : share < 8 * tile ? share : 8 * tile;
    while (warp_segments < 256 && 2 * static_cast<u64>(warp_segments) * average <= items) warp_segments *= 2;
    long_tiles = n > u64{1} << 26 ? 128 : n > u64{1} << 22 ? 32 : n > u64{1} << 18 && average >= 64 ? 4 : 16;
    if (n <= kFewItems) long_tiles = static_cast<int>(kFewItems / tile);
  }
};

// Why a shape cannot be, or null.
constexpr const char* invalid_flat_items_reason(int items_per_thread) {
  const int items = items_per_thread;
  return items > 32 || (items & (items - 1)) != 0
             ? "with warp_segments a thread must have a power of two of items, up to 32"
             : nullptr;
}

}  // namespace scantune
