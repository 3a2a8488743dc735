// The numbers of items at which scans go wrong. Every scan test loops over them.
#pragma once

#include <algorithm>
#include <vector>

#include "config/types.h"

namespace scantune {

// One, a vector of the smallest items, around a warp, around a tile, and several tiles with a ragged end; ascending,
// each once. 0 is the plan's business: no kernel runs for it. Sizes past 2^32 need a first tile, see problem.h.
inline std::vector<u64> edge_sizes(u64 tile_items) {
  std::vector<u64> sizes = {
      1, 16, 31, 32, 33, tile_items - 1, tile_items, tile_items + 1, 3 * tile_items, 19 * tile_items + 17};
  std::erase(sizes, 0ull);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace scantune
