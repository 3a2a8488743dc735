#pragma once

#include "config/single_block.h"
#include "primitives/tile_place.h"
#include "primitives/tile_scan.h"

namespace scantune {

// What both kernels are made of.
template <class Problem, SingleBlockConfig kConfig>
struct SingleBlock {
  using T = typename Problem::Accumulator;
  static constexpr TileShape kShape = peeled_tile_shape(kConfig, Problem::kRequest);
  using Tile = TileScan<Problem, kShape>;
  using Place = TilePlace<Problem, kShape>;
  struct alignas(16) Shared {
    typename Tile::Shared tile;
    T head_total;
  };
  static_assert(sizeof(Shared) == shared_bytes(kConfig, Problem::kRequest));

  // Everything before the items at hand, if there is anything.
  struct Carry {
    T value;
    bool exists;

    SCANTUNE_DEVICE void append(T later) {
      value = exists ? Problem::Op::combine(value, later) : later;
      exists = true;
    }
  };
};

template <class Problem, SingleBlockConfig kConfig>
SCANTUNE_DEVICE void scan_one_tile(const KernelArguments& arguments) {
  using Block = SingleBlock<Problem, kConfig>;
  auto& shared = shared_memory<typename Block::Shared>();
  const auto* const input = Problem::input(arguments);
  auto* const output = Problem::output(arguments);
  const typename Block::Place place(input, arguments.n, 0);
  typename Block::Tile tile(shared.tile, arguments.n - place.first());

  if constexpr (kConfig.pdl != 0) tile.prefetch(input + place.first());
  begin_kernel<kConfig.pdl>(tile.prepared(input + place.first(), output + place.first()));

  // Load and scan the tile, and the head before it.
  typename Block::Carry carry{Problem::init(arguments), Problem::kHasInit};
  const HeadScan<Problem> head(input + Block::Place::kHead, place.head_items(), thread_rank());
  tile.load(input + place.first());
  typename Block::T head_total;
  if (head.exists() && tile.in_first_warp()) {
    head_total = head.scan(output + Block::Place::kHead, carry.value);
    if (tile.lane() == 0) shared.head_total = head_total;  // visible to other warps after the barrier of the scan
  }
  tile.scan_in_every_warp();

  // Combine with what is before and store.
  if (head.exists()) carry.append(tile.in_first_warp() ? head_total : shared.head_total);
  if (carry.exists) tile.carry_in(carry.value);
  tile.store(output + place.first(), carry.exists);
}

template <class Problem, SingleBlockConfig kConfig>
SCANTUNE_DEVICE void scan_tiles(const KernelArguments& arguments) {
  using Block = SingleBlock<Problem, kConfig>;
  using Tile = typename Block::Tile;
  auto& shared = shared_memory<typename Block::Shared>();
  const auto* const input = Problem::input(arguments);
  auto* const output = Problem::output(arguments);

  begin_kernel<kConfig.pdl>();

  // Scan the head.
  typename Block::Carry carry{Problem::init(arguments), Problem::kHasInit};
  const typename Block::Place place(input, arguments.n, 0);
  const HeadScan<Problem> head(input + Block::Place::kHead, place.head_items(), thread_rank());
  if (head.exists()) {
    if (thread_rank() < kWarpThreads) {
      const auto total = head.scan(output + Block::Place::kHead, carry.value);
      if (thread_rank() == 0) shared.head_total = total;
    }
    sync_block();
    carry.append(shared.head_total);
  }

  for (u64 first = place.first();; first += Tile::kTileItems) {
    const u64 left = arguments.n - first;
    Tile tile(shared.tile, left);

    // Load and scan the tile.
    tile.load(input + first);
    const auto aggregate = tile.scan_in_every_warp();

    // Combine with what is before and store.
    if (carry.exists) tile.carry_in(carry.value);
    tile.store(output + first, carry.exists);

    // Carry on, when no warp reads the totals of this tile any more.
    if (left <= Tile::kTileItems) break;
    carry.append(aggregate);
    sync_block();
  }
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                                         \
  SCANTUNE_KERNEL(scan_one_tile, kConfig.block_threads, 1) { ::scantune::scan_one_tile<Problem, kConfig>(arguments); } \
  SCANTUNE_KERNEL(scan_tiles, kConfig.block_threads, 1) { ::scantune::scan_tiles<Problem, kConfig>(arguments); }
