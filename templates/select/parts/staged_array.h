// A tile's part of an array on its way to shared memory.
#pragma once

#include "core/machine/bulk.h"
#include "core/machine/memory.h"

namespace scantune {

// Some places of a tile: whole vectors come in bulk, the rest at both ends of the array item by item. A vector may
// bring neighbours of these places along, which are in the array, too.
template <class T>
class StagedArray {
  static constexpr u64 kVector = kVectorAlignmentBytes;
  static_assert(kVector % sizeof(T) == 0);

 public:
  // array: of n items. Index `first` is in the tile's first place, which may be before the array; begin and end: the
  // places to load. staged: where the first place goes, as far from a boundary as it is in the array.
  SCANTUNE_DEVICE StagedArray(const T* array, u64 n, i64 first, i32 begin, i32 end, T* staged)
      : tile_(reinterpret_cast<u64>(array) + static_cast<u64>(first) * sizeof(T)), staged_(staged) {
    if (begin >= end) return;
    begin_ = at(begin);
    end_ = at(end);
    const u64 array_begin = reinterpret_cast<u64>(array), array_end = array_begin + n * sizeof(T);
    low_ = later(down(begin_), up(array_begin));
    high_ = later(low_, earlier(up(end_), down(array_end)));
  }

  SCANTUNE_DEVICE u32 bulk_bytes() const { return static_cast<u32>(high_ - low_); }

  SCANTUNE_DEVICE void load_in_bulk(Barrier* loaded) const {
    if (high_ > low_) scantune::bulk_load(staged(low_), reinterpret_cast<const void*>(low_), bulk_bytes(), loaded);
  }

  // Loads what is in no vector. One warp calls.
  SCANTUNE_DEVICE void load_ends(u32 lane) const {
    load_items(begin_, earlier(low_, end_), lane);
    load_items(later(high_, begin_), end_, lane);
  }

 private:
  SCANTUNE_DEVICE static u64 down(u64 address) { return address / kVector * kVector; }
  SCANTUNE_DEVICE static u64 up(u64 address) { return down(address + kVector - 1); }
  SCANTUNE_DEVICE static u64 later(u64 a, u64 b) { return a > b ? a : b; }
  SCANTUNE_DEVICE static u64 earlier(u64 a, u64 b) { return a < b ? a : b; }
  SCANTUNE_DEVICE u64 at(i32 place) const { return tile_ + static_cast<u64>(static_cast<i64>(place)) * sizeof(T); }
  SCANTUNE_DEVICE T* staged(u64 address) const {
    return staged_ + static_cast<i64>(address - tile_) / static_cast<i64>(sizeof(T));
  }

  SCANTUNE_DEVICE void load_items(u64 from, u64 to, u32 lane) const {
    if (from >= to) return;
    for (u64 address = from + lane * sizeof(T); address < to; address += kWarpThreads * sizeof(T))
      *staged(address) = scantune::load_global<CacheHint::normal>(reinterpret_cast<const T*>(address));
    fence_shared_for_bulk();  // a later tile's vectors come to the same place
  }

  const u64 tile_;  // address of the first place
  T* const staged_;
  u64 begin_ = 0, end_ = 0;  // addresses of the places to load
  u64 low_ = 0, high_ = 0;   // of the vectors among them
};

}  // namespace scantune
