// The numbers of items at which scans go wrong. Every scan test loops over them.
#pragma once

#include <algorithm>
#include <vector>

#include "core/contract/types.h"

namespace scantune {

// One item, a vector of the smallest items, sizes around a warp and around a tile, and several tiles with a ragged end,
// in ascending order and each once. 0 is left to tests of plans, because no kernel runs for it. Sizes past 2^32 need a
// first tile, see problem.h.
inline std::vector<u64> edge_sizes(u64 tile_items) {
  std::vector<u64> sizes = {
      1, 16, 31, 32, 33, tile_items - 1, tile_items, tile_items + 1, 3 * tile_items, 19 * tile_items + 17};
  std::erase(sizes, 0ull);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace scantune
