#pragma once

#include "scan/config/single_block.h"
#include "scan/parts/started_items.h"
#include "scan/parts/tile_walk.h"

namespace scantune {

// What both kernels are made of.
template <class Problem, SingleBlockConfig kConfig>
struct SingleBlock : TileWalk<Problem, peeled_tile_shape(kConfig, Problem::kRequest)> {
  static_assert(sizeof(typename SingleBlock::Shared) == shared_bytes(kConfig, Problem::kRequest));
};

// Loads, scans and stores the tile, and the head before it.
template <class Problem, SingleBlockConfig kConfig, class Block = SingleBlock<Problem, kConfig>>
SCANTUNE_DEVICE void scan_prepared_tile(const KernelArguments& arguments, const typename Block::Place& place,
                                        typename Block::Tile& tile, typename Block::Shared& shared,
                                        typename Problem::InputItems input, typename Problem::OutputItems output) {
  // Load and scan.
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
SCANTUNE_DEVICE void scan_one_tile(const KernelArguments& arguments) {
  using Block = SingleBlock<Problem, kConfig>;
  auto& shared = shared_memory<typename Block::Shared>();
  const auto input = Problem::input(arguments);
  const auto output = Problem::output(arguments);
  const typename Block::Place place(input, arguments.n, 0);
  typename Block::Tile tile(shared.tile, arguments.n - place.first());

  if constexpr (kConfig.pdl != 0) tile.prefetch(input + place.first());
  begin_kernel<kConfig.pdl>(tile.prepared(input + place.first(), output + place.first()));

  if constexpr (!Problem::kReadsN) {
    scantune::scan_prepared_tile<Problem, kConfig>(arguments, place, tile, shared, input, output);
  } else {
    const u64 n = Problem::counted(arguments).n;
    if (n <= Block::kFirstItem) return;
    const typename Block::Place its_place(input, n, 0);
    typename Block::Tile its_tile(shared.tile, n - its_place.first());
    scantune::scan_prepared_tile<Problem, kConfig>(arguments, its_place, its_tile, shared, input, output);
  }
}

template <class Problem, SingleBlockConfig kConfig>
SCANTUNE_DEVICE void scan_tiles(const KernelArguments& launched) {
  using Block = SingleBlock<Problem, kConfig>;
  auto& shared = shared_memory<typename Block::Shared>();
  begin_kernel<kConfig.pdl>();
  const KernelArguments& arguments = Problem::counted(launched);
  if (Problem::kReadsN && arguments.n <= Block::kFirstItem) return;
  Block::scan(shared, Problem::input(arguments), Problem::output(arguments), arguments.n, Problem::init(arguments));
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                        \
  SCANTUNE_KERNEL(scan_one_tile, kConfig.block_threads, 1) {                          \
    if (!::scantune::has_items<Problem>(arguments)) return;                           \
    ::scantune::scan_one_tile<::scantune::BehindStarts<Problem>, kConfig>(arguments); \
  }                                                                                   \
  SCANTUNE_KERNEL(scan_tiles, kConfig.block_threads, 1) {                             \
    if (!::scantune::has_items<Problem>(arguments)) return;                           \
    ::scantune::scan_tiles<::scantune::BehindStarts<Problem>, kConfig>(arguments);    \
  }
