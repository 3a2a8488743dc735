// The tiles of a scan that loads by bulk copies.
#pragma once

#include "core/parts/vector_boundary.h"
#include "scan/parts/head_scan.h"

namespace scantune {

// Each tile starts on a vector boundary of the input. The items before the first boundary, the head, belong to no tile.
// Items aligned to less than their size may cross every boundary, and are not loaded in bulk. The output may be aligned
// differently from the input.
template <class Problem, u32 kTileItems>
class AlignedTiles {
  using Input = typename Problem::Input;
  using InputItems = typename Problem::InputItems;
  using OutputItems = typename Problem::OutputItems;
  static constexpr u64 kFirstItem = Problem::kFirstTile * kTileItems;

 public:
  SCANTUNE_DEVICE explicit AlignedTiles(const KernelArguments& arguments)
      : input_(Problem::input(arguments)), output_(Problem::output(arguments)) {
    if constexpr (Problem::kRequest.alignment_bytes() < kVectorAlignmentBytes) {
      const u32 bytes_before = scantune::bytes_before_boundary(input_ + kFirstItem);
      loads_in_bulk_ = alignof(Input) == sizeof(Input) || bytes_before % sizeof(Input) == 0;
      head_items_ = loads_in_bulk_ ? bytes_before / sizeof(Input) : 0;
      same_alignment_ = scantune::bytes_before_boundary(output(0)) == 0;
    }
    items_ = arguments.n - kFirstItem - head_items_;
    count_ = static_cast<u32>(ceil_div(items_, u64{kTileItems}));
  }

  // Keeps the items before n, which is at most what there was. Where they end in the head, they are a tile that comes
  // item by item, without a head.
  SCANTUNE_DEVICE void keep(u64 n) {
    if (n <= kFirstItem + head_items_) {
      head_items_ = 0;
      loads_in_bulk_ = same_alignment_ = Problem::kRequest.alignment_bytes() >= kVectorAlignmentBytes;
    }
    items_ = n > kFirstItem ? n - kFirstItem - head_items_ : 0;
    count_ = static_cast<u32>(ceil_div(items_, u64{kTileItems}));
  }

  SCANTUNE_DEVICE u32 count() const { return count_; }
  SCANTUNE_DEVICE static u32 first_of_sequence(u32) { return 0; }  // all tiles are those of one
  SCANTUNE_DEVICE static u32 sequence(u32) { return 0; }
  SCANTUNE_DEVICE static u32 sequences() { return 1; }
  SCANTUNE_DEVICE InputItems input(u32 tile) const { return input_ + place(tile); }
  SCANTUNE_DEVICE OutputItems output(u32 tile) const { return output_ + place(tile); }
  SCANTUNE_DEVICE bool same_alignment() const { return same_alignment_; }

  // Items of a tile: kTileItems, or fewer in the last one.
  SCANTUNE_DEVICE u32 items(u32 tile) const {
    const u64 left = items_ - static_cast<u64>(tile) * kTileItems;
    return left < kTileItems ? static_cast<u32>(left) : kTileItems;
  }

  // How many of a tile's items fill vectors and come in bulk.
  SCANTUNE_DEVICE u32 items_in_bulk(u32 tile) const {
    constexpr u32 kVectorItems = kVectorAlignmentBytes / sizeof(Input);
    return loads_in_bulk_ ? items(tile) / kVectorItems * kVectorItems : 0;
  }

  SCANTUNE_DEVICE u32 head_items(u32) const { return head_items_; }
  SCANTUNE_DEVICE InputItems head_input(u32) const { return input_ + kFirstItem; }
  SCANTUNE_DEVICE OutputItems head_output(u32) const { return output_ + kFirstItem; }

 private:
  SCANTUNE_DEVICE u64 place(u32 tile) const { return kFirstItem + head_items_ + static_cast<u64>(tile) * kTileItems; }

  const InputItems input_;
  const OutputItems output_;
  u32 head_items_ = 0;
  bool loads_in_bulk_ = true;
  bool same_alignment_ = true;
  u64 items_;  // without the head
  u32 count_;
};

}  // namespace scantune
