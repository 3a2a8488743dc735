#pragma once

#include "config/single_block.h"
#include "primitives/tile_scan.h"

namespace scantune {

template <class Problem, SingleBlockConfig kConfig>
using SingleBlockTile = TileScan<Problem, tile_shape(kConfig, Problem::kRequest)>;

template <class Problem, SingleBlockConfig kConfig>
SCANTUNE_DEVICE auto& single_block_shared() {
  using Shared = typename SingleBlockTile<Problem, kConfig>::Shared;
  static_assert(sizeof(Shared) == shared_bytes(kConfig, Problem::kRequest));
  return shared_memory<Shared>();
}

template <class Problem, SingleBlockConfig kConfig>
SCANTUNE_DEVICE void scan_one_tile(const KernelArguments& arguments) {
  using Tile = SingleBlockTile<Problem, kConfig>;
  const u64 first = Problem::kFirstTile * Tile::kTileItems;
  Tile tile(single_block_shared<Problem, kConfig>(), arguments.n - first);
  const auto* input = static_cast<const typename Problem::Input*>(arguments.input) + first;
  auto* output = static_cast<typename Problem::Output*>(arguments.output) + first;

  if constexpr (kConfig.pdl != 0) tile.prefetch(input);
  begin_kernel<kConfig.pdl>(tile.prepared(input, output));

  // Load and scan the tile.
  const auto init = Problem::init(arguments);
  tile.load(input);
  tile.scan_in_every_warp();

  // Combine with the initial value and store.
  if (Problem::kHasInit) tile.carry_in(init);
  tile.store(output, Problem::kHasInit);
}

template <class Problem, SingleBlockConfig kConfig>
SCANTUNE_DEVICE void scan_tiles(const KernelArguments& arguments) {
  using Tile = SingleBlockTile<Problem, kConfig>;
  const auto* input = static_cast<const typename Problem::Input*>(arguments.input);
  auto* output = static_cast<typename Problem::Output*>(arguments.output);

  begin_kernel<kConfig.pdl>();

  auto carry = Problem::init(arguments);
  bool has_carry = Problem::kHasInit;
  for (u64 first = Problem::kFirstTile * Tile::kTileItems;; first += Tile::kTileItems) {
    const u64 left = arguments.n - first;
    Tile tile(single_block_shared<Problem, kConfig>(), left);

    // Load and scan the tile.
    tile.load(input + first);
    const auto aggregate = tile.scan_in_every_warp();

    // Combine with what is before and store.
    if (has_carry) tile.carry_in(carry);
    tile.store(output + first, has_carry);

    // Carry on, when no warp reads the totals of this tile any more.
    if (left <= Tile::kTileItems) break;
    carry = has_carry ? Problem::Op::combine(carry, aggregate) : aggregate;
    has_carry = true;
    sync_block();
  }
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                                         \
  SCANTUNE_KERNEL(scan_one_tile, kConfig.block_threads, 1) { ::scantune::scan_one_tile<Problem, kConfig>(arguments); } \
  SCANTUNE_KERNEL(scan_tiles, kConfig.block_threads, 1) { ::scantune::scan_tiles<Problem, kConfig>(arguments); }
