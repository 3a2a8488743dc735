// How a CTA that scans one tile chooses it.
#pragma once

#include "core/contract/types.h"

namespace scantune {

enum class TileOrder {
  block_index,  // tile = blockIdx.x: relies on CTAs starting in that order
  ticket        // tile = an atomic counter: a tile's predecessors are always owned by running CTAs
};
template <>
struct Tokens<TileOrder> {
  static constexpr const char* kNames[] = {"block_index", "ticket"};
};

}  // namespace scantune
