// How a warp scans.
#pragma once

#include "core/contract/value.h"

namespace scantune {

enum class WarpScan {
  kogge_stone,    // Kogge-Stone with a radix that the family chooses
  brent_kung,     // up-sweep and down-sweep by shuffles: nine steps, fewer combines
  hillis_steele,  // steps through shared memory with two buffers
  kogge_stone_2,  // five steps of one shuffle
  kogge_stone_4   // three steps of seven shuffles, most of which do not wait for each other
};
template <>
struct Tokens<WarpScan> {
  static constexpr const char* kNames[] = {"kogge_stone", "brent_kung", "hillis_steele", "kogge_stone_2",
                                           "kogge_stone_4"};
};

// The method if a warp scan's shuffles have the SM to themselves. A custom operator may cost more than a shuffle, and
// radix 4 combines more often.
constexpr WarpScan fast_kogge_stone(Operator op) {
  return is_custom(op) ? WarpScan::kogge_stone_2 : WarpScan::kogge_stone_4;
}

}  // namespace scantune
