// The items of an input before its first vector boundary, at most 15: the head, which belongs to no tile.
#pragma once

#include "core/contract/warp_scan.h"
#include "core/parts/warp_scan.h"
#include "scan/parts/started_items.h"

namespace scantune {

// One warp scans the head, and each lane holds one item. Where there are no items, nothing but exists() is called.
template <class Problem>
class HeadScan {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;
  using InputItems = typename Problem::InputItems;
  using OutputItems = typename Problem::OutputItems;

 public:
  // Loads the items; lanes that are not below `items` hold none.
  SCANTUNE_DEVICE HeadScan(InputItems head, u32 items, u32 lane) : items_(items), lane_(lane) {
    if (lane < items) item_ = scantune::load_global<CacheHint::normal>(head + lane);
  }

  SCANTUNE_DEVICE bool exists() const { return items_ > 0; }

  // Returns all lanes the combination of the items.
  SCANTUNE_DEVICE T reduce() const { return total_of(inclusive()); }

  // Stores the results, from an initial value where the problem has one. Returns all lanes the combination of the
  // items.
  SCANTUNE_DEVICE T scan(OutputItems head, T init) const {
    const T through = inclusive(), before = scantune::shuffle_up(through, 1);
    T result = through;
    if constexpr (Problem::kExclusive) {
      result = lane_ == 0 ? init : Op::combine(init, before);
    } else if constexpr (Problem::kHasInit) {
      result = Op::combine(init, through);
    }
    if (lane_ < items_) scantune::store_global<CacheHint::normal>(head + lane_, scantune::convert<Output>(result));
    return total_of(through);
  }

 private:
  static constexpr u32 kMostItems = kVectorAlignmentBytes / sizeof(Input);
  // One warp scans few items while the others load theirs.
  static constexpr WarpScan kWarpScan = fast_kogge_stone(Problem::kRequest.op);

  SCANTUNE_DEVICE T inclusive() const {
    return scantune::warp_inclusive_scan<kWarpScan, Op, kMostItems>(scantune::convert<T>(item_), lane_, items_,
                                                                    static_cast<T*>(nullptr));
  }
  SCANTUNE_DEVICE T total_of(T inclusive) const { return scantune::shuffle_index(inclusive, items_ - 1); }

  Input item_;
  const u32 items_;
  const u32 lane_;
};

// Tiles of segments that start anywhere are loaded item by item where pointers are not aligned, and have no head.
template <class Problem>
  requires kHaveStarts<typename Problem::InputItems>
class HeadScan<Problem> {
  using T = typename Problem::Accumulator;

 public:
  SCANTUNE_DEVICE HeadScan(const typename Problem::InputItems&, u32, u32) {}

  SCANTUNE_DEVICE static constexpr bool exists() { return false; }
  SCANTUNE_DEVICE T reduce() const { return {}; }
  SCANTUNE_DEVICE T scan(const typename Problem::OutputItems&, T) const { return {}; }
};

}  // namespace scantune
