#pragma once

#include "config/single_block.h"
#include "primitives/tile_scan.h"

namespace scantune {

template <class Problem, SingleBlockConfig kConfig>
SCANTUNE_DEVICE void single_block_scan(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  using Tile = TileScan<Problem, tile_shape(kConfig, Problem::kRequest)>;
  using Shared = typename Tile::Shared;
  static_assert(sizeof(Shared) == shared_bytes(kConfig, Problem::kRequest));
  Shared& shared = shared_memory<Shared>();
  const auto* input = static_cast<const typename Problem::Input*>(arguments.input);
  auto* output = static_cast<typename Problem::Output*>(arguments.output);

  begin_kernel<kConfig.pdl != 0>();

  T carry = Problem::init(arguments);
  bool has_carry = Problem::kHasInit;
  for (u64 first = Problem::kFirstTile * Tile::kTileItems; first < arguments.n; first += Tile::kTileItems) {
    const u64 left = arguments.n - first;
    const bool last = left <= Tile::kTileItems;
    Tile tile(shared, left);

    // Load and scan the tile.
    tile.load(input + first);
    const T aggregate = tile.scan();
    tile.distribute(carry, has_carry);

    // Combine with what is before and store.
    tile.store(output + first, has_carry);

    // Carry on; only the first warp needs to know the value.
    if (last) break;
    if (tile.in_first_warp()) carry = has_carry ? Problem::Op::combine(carry, aggregate) : aggregate;
    has_carry = true;
    sync_block();
  }
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                   \
  SCANTUNE_KERNEL(single_block_scan, kConfig.block_threads, 1) { \
    ::scantune::single_block_scan<Problem, kConfig>(arguments);  \
  }
