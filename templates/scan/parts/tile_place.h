// The place of a tile in input and output.
#pragma once

#include "core/parts/vector_boundary.h"
#include "scan/config/tile.h"
#include "scan/parts/head_scan.h"

namespace scantune {

// Peeled tiles begin on vector boundaries of the input, after a head that belongs to no tile. The last tile has at
// least one item, so that the number of tiles does not depend on the pointers.
template <class Problem, TileShape kShape>
class TilePlace {
  using Input = typename Problem::Input;
  static constexpr u64 kTileItems = kShape.tile_items();

 public:
  static constexpr u64 kHead = Problem::kFirstTile * kTileItems;  // place of the head

  // Tiles of n items.
  SCANTUNE_DEVICE static u32 count(u64 n) {
    return n > kHead ? static_cast<u32>(ceil_div(n, kTileItems) - Problem::kFirstTile) : 0;
  }

  SCANTUNE_DEVICE TilePlace(typename Problem::InputItems input, u64 n, u32 tile)
      : first_((Problem::kFirstTile + tile) * kTileItems) {
    if constexpr (kShape.is_peeled) {
      kept_items_ = first_ + kTileItems < n;
      const u32 head_items = scantune::bytes_before_boundary(input) / sizeof(Input);
      const u64 most = n - first_ - 1;
      const u32 shift = head_items < most ? head_items : static_cast<u32>(most);
      first_ += shift;
      if (tile == 0) head_items_ = shift;
    }
  }

  SCANTUNE_DEVICE u64 first() const { return first_; }

  // Items right before the tile that belong to no tile.
  SCANTUNE_DEVICE u32 head_items() const { return head_items_; }

  // Items at the end of the input that are not for this tile, however few it has.
  SCANTUNE_DEVICE u32 kept_items() const { return kept_items_; }

 private:
  u64 first_;
  u32 head_items_ = 0;
  u32 kept_items_ = 0;
};

}  // namespace scantune
