// The tiles of a scan of rows that loads by bulk copies.
#pragma once

#include "core/parts/vector_boundary.h"
#include "scan/parts/aligned_tiles.h"

namespace scantune {

// Every row is cut as AlignedTiles cuts a whole input, and all into as many tiles. So the last tile of a row may be
// empty, where its head holds what is left, and several of the last row, which may be shorter.
template <class Problem, u32 kTileItems>
class AlignedRowTiles {
  using Input = typename Problem::Input;
  using InputItems = typename Problem::InputItems;
  using OutputItems = typename Problem::OutputItems;
  static constexpr u64 kFirstItem = Problem::kFirstTile * kTileItems;
  static_assert(sizeof(Input) ==
                sizeof(typename Problem::Output));  // so input and output of all rows are aligned alike, or of none

 public:
  SCANTUNE_DEVICE explicit AlignedRowTiles(const KernelArguments& arguments)
      : input_(Problem::input(arguments) + kFirstItem),
        output_(Problem::output(arguments) + kFirstItem),
        items_(arguments.n - kFirstItem),
        row_items_(arguments.extents[0]),
        row_tiles_(static_cast<u32>(ceil_div(row_items_, u64{kTileItems}))),
        count_(static_cast<u32>(ceil_div(items_, row_items_)) * row_tiles_) {
    const u32 bytes_before = scantune::bytes_before_boundary(input_);
    loads_in_bulk_ = alignof(Input) == sizeof(Input) || bytes_before % sizeof(Input) == 0;
    same_alignment_ = loads_in_bulk_ && scantune::bytes_before_boundary(output_) == bytes_before;
  }

  SCANTUNE_DEVICE u32 count() const { return count_; }
  SCANTUNE_DEVICE u32 first_of_sequence(u32 tile) const { return tile - tile % row_tiles_; }
  SCANTUNE_DEVICE u32 sequence(u32 tile) const { return tile / row_tiles_; }
  SCANTUNE_DEVICE u32 sequences() const { return count_ / row_tiles_; }
  SCANTUNE_DEVICE InputItems input(u32 tile) const { return input_ + place(tile); }
  SCANTUNE_DEVICE OutputItems output(u32 tile) const { return output_ + place(tile); }
  SCANTUNE_DEVICE bool same_alignment() const { return same_alignment_; }

  // Items of a tile: kTileItems, or fewer in the last one of a row.
  SCANTUNE_DEVICE u32 items(u32 tile) const {
    const u64 end = row_end(tile), first = place(tile);
    return first >= end ? 0 : end - first < kTileItems ? static_cast<u32>(end - first) : kTileItems;
  }

  // How many of a tile's items fill vectors and come in bulk.
  SCANTUNE_DEVICE u32 items_in_bulk(u32 tile) const {
    constexpr u32 kVectorItems = kVectorAlignmentBytes / sizeof(Input);
    return loads_in_bulk_ ? items(tile) / kVectorItems * kVectorItems : 0;
  }

  // The items before the first vector boundary of the tile's row.
  SCANTUNE_DEVICE u32 head_items(u32 tile) const {
    const u64 first = row_first(tile), left = row_end(tile) - first;
    const u32 before = head_before(first);
    return left < before ? static_cast<u32>(left) : before;
  }
  SCANTUNE_DEVICE InputItems head_input(u32 tile) const { return input_ + row_first(tile); }
  SCANTUNE_DEVICE OutputItems head_output(u32 tile) const { return output_ + row_first(tile); }

 private:
  SCANTUNE_DEVICE u64 row_first(u32 tile) const { return tile / row_tiles_ * row_items_; }
  SCANTUNE_DEVICE u64 row_end(u32 tile) const {
    const u64 end = row_first(tile) + row_items_;
    return end < items_ ? end : items_;
  }
  SCANTUNE_DEVICE u32 head_before(u64 first) const {
    return loads_in_bulk_ ? scantune::bytes_before_boundary(input_ + first) / sizeof(Input) : 0;
  }
  SCANTUNE_DEVICE u64 place(u32 tile) const {
    const u64 first = row_first(tile);
    return first + head_before(first) + static_cast<u64>(tile % row_tiles_) * kTileItems;
  }

  const InputItems input_;
  const OutputItems output_;
  const u64 items_;
  const u64 row_items_;
  const u32 row_tiles_;
  const u32 count_;
  bool loads_in_bulk_;
  bool same_alignment_;
};

template <class Problem, u32 kTileItems, bool kHasRows>
struct SelectTiles {
  using Type = AlignedTiles<Problem, kTileItems>;
};
template <class Problem, u32 kTileItems>
struct SelectTiles<Problem, kTileItems, true> {
  using Type = AlignedRowTiles<Problem, kTileItems>;
};

template <class Problem, u32 kTileItems>
using BulkTiles = typename SelectTiles<Problem, kTileItems, Problem::kRequest.segments == Segments::rows>::Type;

}  // namespace scantune
