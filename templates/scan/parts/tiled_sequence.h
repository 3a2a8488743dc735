// The sequence that a tile is of: all items, or those of a row. Tiles are numbered row by row, as many in each.
#pragma once

#include "scan/parts/apart_items.h"

namespace scantune {

template <class Problem, u32 kTileItems, bool kHasRows>
class TiledSequence {
 public:
  static constexpr bool kMayLackItems = false;

  SCANTUNE_DEVICE TiledSequence(const KernelArguments& arguments, u32 tile) : arguments_(arguments), tile_(tile) {}

  SCANTUNE_DEVICE typename Problem::InputItems input() const { return Problem::input(arguments_); }
  SCANTUNE_DEVICE typename Problem::OutputItems output() const { return Problem::output(arguments_); }
  SCANTUNE_DEVICE u64 end() const { return arguments_.n; }  // of its items
  SCANTUNE_DEVICE u32 tile() const { return tile_; }        // of the sequence
  SCANTUNE_DEVICE typename Problem::Accumulator init() const { return Problem::init(arguments_); }

 private:
  const KernelArguments& arguments_;
  const u32 tile_;
};

// The last row may be shorter, and lack items for its last tiles. The extents are the items and the tiles of a row.
template <class Problem, u32 kTileItems>
class TiledSequence<Problem, kTileItems, true> {
  static constexpr u64 kFirstItem = Problem::kFirstTile * kTileItems;

 public:
  static constexpr bool kMayLackItems = true;

  SCANTUNE_DEVICE TiledSequence(const KernelArguments& arguments, u32 tile) : arguments_(arguments) {
    const u32 row_tiles = static_cast<u32>(arguments.extents[1]);
    row_ = tile / row_tiles;
    tile_ = tile - row_ * row_tiles;
    first_ = row_ * arguments.extents[0];
    const u64 left = items() - first_;
    end_ = kFirstItem + (left < arguments.extents[0] ? left : arguments.extents[0]);
  }

  SCANTUNE_DEVICE typename Problem::InputItems input() const { return Problem::input_row(arguments_, row_, first_); }
  SCANTUNE_DEVICE typename Problem::OutputItems output() const { return Problem::output_row(arguments_, row_, first_); }
  SCANTUNE_DEVICE u64 end() const { return end_; }
  SCANTUNE_DEVICE u32 tile() const { return tile_; }
  SCANTUNE_DEVICE typename Problem::Accumulator init() const {
    return Problem::init_of(arguments_, row_, ceil_div(items(), arguments_.extents[0]));
  }

 private:
  SCANTUNE_DEVICE u64 items() const { return arguments_.n - kFirstItem; }

  const KernelArguments& arguments_;
  u32 row_;
  u32 tile_;
  u64 first_;  // item of all dense rows
  u64 end_;
};

// The problem by which kernels with such sequences take the items. Rows begin anywhere.
template <class Problem, bool kHasRows, bool kStrided>
struct SelectTiled {
  using Type = Problem;
};
template <class Problem>
struct SelectTiled<Problem, true, false> {
  using Type = AnyPointers<Problem>;
};
template <class Problem>
struct SelectTiled<Problem, true, true> {
  using Type = ApartItems<Problem>;
};
template <class Problem>
using Tiled = typename SelectTiled<Problem, Problem::kRequest.segments == Segments::rows,
                                   Problem::kRequest.layout.is_strided()>::Type;

}  // namespace scantune
