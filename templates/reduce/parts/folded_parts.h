// Folds the parts of a segment that a warp, or several, have reduced.
#pragma once

#include "core/parts/warp_reduce.h"

namespace scantune {

// Folds parts in order: each lane a run of neighbours, and then the lanes.
template <class Op>
class FoldedParts {
  using T = typename Op::Value;

 public:
  SCANTUNE_DEVICE explicit FoldedParts(u32 parts) : parts_(parts), each_(ceil_div(parts, u32{kWarpThreads})) {}

  SCANTUNE_DEVICE u32 first(u32 lane) const { return lane * each_; }
  SCANTUNE_DEVICE u32 end(u32 lane) const { return first(lane) + each_ < parts_ ? first(lane) + each_ : parts_; }

  // Takes the next part, if it is one of the lane's.
  SCANTUNE_DEVICE void take(u32 part, u32 lane, T total) {
    if (part == first(lane))
      total_ = total;
    else if (first(lane) < part && part < end(lane))
      total_ = Op::combine(total_, total);
  }
  // Lane 0 gets the combination of all.
  SCANTUNE_DEVICE T total(u32 lane) const {
    return scantune::warp_reduce_ascending<Op>(total_, lane, ceil_div(parts_, each_));
  }

 private:
  u32 parts_, each_;
  T total_;
};

}  // namespace scantune
