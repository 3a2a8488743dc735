#pragma once

#include "scan/config/three_phase.h"
#include "scan/parts/started_items.h"
#include "scan/parts/tile_place.h"
#include "scan/parts/tile_scan.h"

namespace scantune {

// The problem one level up: inclusive scans of sums.
template <class P>
using SumsProblem = Problem<sums_request(P::kRequest), Variant::aligned, 0, typename P::Op>;

// A place in the workspace.
template <class T>
SCANTUNE_DEVICE T* sums_at(const KernelArguments& arguments, u64 offset) {
  return reinterpret_cast<T*>(static_cast<unsigned char*>(arguments.workspace) + offset);
}

// How many sums the level has that begins at the offset. Where memory says how many items there are, every launch has
// the most of them as its n, and tiles without items have no sums.
template <class Problem, ThreePhaseConfig kConfig>
SCANTUNE_DEVICE decltype(auto) sums_in_level(const KernelArguments& arguments, u64 offset) {
  if constexpr (Problem::kReadsN) {
    using Phases = Family<ThreePhaseConfig>;
    using Place = TilePlace<Problem, peeled_tile_shape(kConfig, Problem::kRequest)>;
    constexpr u64 kTile = Phases::tile_items(sums_config(kConfig, Problem::kRequest), Problem::kRequest);
    u64 most = Place::count(arguments.n), sums = Place::count(Problem::counted(arguments).n);
    for (u64 begin = 0; begin != offset; most = ceil_div(most, kTile), sums = ceil_div(sums, kTile))
      begin += Phases::level_bytes(most, Problem::kRequest);
    return sums;
  } else {
    return (arguments.n);
  }
}

// Whether this CTA has a tile: memory may say that there are fewer items than it was launched for.
template <class Problem, ThreePhaseConfig kConfig>
SCANTUNE_DEVICE bool has_tile(const u64& n) {
  if constexpr (!Problem::kReadsN) return true;
  return block_rank() < TilePlace<Problem, peeled_tile_shape(kConfig, Problem::kRequest)>::count(n);
}

// Phase 1: sums each tile of n items, the first one with the head before it.
template <class Problem, ThreePhaseConfig kConfig>
SCANTUNE_DEVICE void reduce_tile(const KernelArguments& arguments, typename Problem::InputItems input, const u64& n) {
  using T = typename Problem::Accumulator;
  constexpr TileShape kShape = peeled_tile_shape(kConfig, Problem::kRequest);
  using Tile = TileScan<Problem, kShape>;
  using Place = TilePlace<Problem, kShape>;
  static_assert(sizeof(typename Tile::Shared) == shared_bytes(kConfig, Problem::kRequest));
  if (!has_tile<Problem, kConfig>(n)) return;

  const Place place(input, n, block_rank());
  const u64 first = place.first();
  Tile tile(shared_memory<typename Tile::Shared>(), n - first - place.kept_items());
  const HeadScan<Problem> head(input + Place::kHead, place.head_items(), thread_rank());
  tile.load(input + first);
  T aggregate = tile.scan();
  if (head.exists() && tile.in_first_warp()) aggregate = Problem::Op::combine(head.reduce(), aggregate);
  if (thread_rank() == 0)
    scantune::store_global<CacheHint::normal>(scantune::sums_at<T>(arguments, arguments.scratch[1]) + block_rank(),
                                              aggregate);
}

// Phases 2 and 3: scans a tile of n items that follows carry_in.
template <class Problem, ThreePhaseConfig kConfig>
SCANTUNE_DEVICE void scan_tile(typename Problem::InputItems input, typename Problem::OutputItems output, const u64& n,
                               typename Problem::Accumulator carry_in, bool has_carry) {
  constexpr TileShape kShape = peeled_tile_shape(kConfig, Problem::kRequest);
  using Tile = TileScan<Problem, kShape>;
  using Place = TilePlace<Problem, kShape>;
  const Place place(input, n, block_rank());
  const u64 first = place.first();
  Tile tile(shared_memory<typename Tile::Shared>(), n - first - place.kept_items());
  const HeadScan<Problem> head(input + Place::kHead, place.head_items(), thread_rank());
  tile.load(input + first);
  if (head.exists() && tile.in_first_warp()) {
    const typename Problem::Accumulator total = head.scan(output + Place::kHead, carry_in);
    carry_in = has_carry ? Problem::Op::combine(carry_in, total) : total;
  }
  tile.scan();
  has_carry |= head.exists();
  tile.distribute(carry_in, has_carry);
  tile.store(output + first, has_carry);
}

// The scanned sums are inclusive prefixes; a tile's carry-in is the prefix of the tile before it.
template <class Problem>
SCANTUNE_DEVICE typename Problem::Accumulator carry_into_block(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  if (block_rank() == 0) return Problem::init(arguments);
  return scantune::load_global<CacheHint::normal>(scantune::sums_at<T>(arguments, arguments.scratch[0]) + block_rank() -
                                                  1);
}

template <class Problem, ThreePhaseConfig kConfig>
SCANTUNE_DEVICE void reduce_input(const KernelArguments& arguments) {
  begin_kernel<kConfig.pdl>();
  scantune::reduce_tile<Problem, kConfig>(arguments, Problem::input(arguments), Problem::counted(arguments).n);
}

template <class Problem, ThreePhaseConfig kConfig>
SCANTUNE_DEVICE void reduce_sums(const KernelArguments& arguments) {
  begin_kernel<kConfig.pdl>();
  using T = typename Problem::Accumulator;
  scantune::reduce_tile<SumsProblem<Problem>, sums_config(kConfig, Problem::kRequest)>(
      arguments, scantune::sums_at<T>(arguments, arguments.scratch[0]),
      scantune::sums_in_level<Problem, kConfig>(arguments, arguments.scratch[0]));
}

// Also scans the last level, which fits one tile: its one CTA starts from the caller's init.
template <class Problem, ThreePhaseConfig kConfig>
SCANTUNE_DEVICE void downsweep_sums(const KernelArguments& arguments) {
  begin_kernel<kConfig.pdl>();
  using T = typename Problem::Accumulator;
  constexpr ThreePhaseConfig kSums = sums_config(kConfig, Problem::kRequest);
  const u64& n = scantune::sums_in_level<Problem, kConfig>(arguments, arguments.scratch[1]);
  if (!has_tile<SumsProblem<Problem>, kSums>(n)) return;
  T* const sums = scantune::sums_at<T>(arguments, arguments.scratch[1]);
  scantune::scan_tile<SumsProblem<Problem>, kSums>(sums, sums, n, scantune::carry_into_block<Problem>(arguments),
                                                   Problem::kHasInit || block_rank() > 0);
}

template <class Problem, ThreePhaseConfig kConfig>
SCANTUNE_DEVICE void downsweep_input(const KernelArguments& arguments) {
  begin_kernel<kConfig.pdl>();
  const u64& n = Problem::counted(arguments).n;
  if (!has_tile<Problem, kConfig>(n)) return;
  scantune::scan_tile<Problem, kConfig>(Problem::input(arguments), Problem::output(arguments), n,
                                        scantune::carry_into_block<Problem>(arguments),
                                        Problem::kHasInit || block_rank() > 0);
}

}  // namespace scantune

#define SCANTUNE_THREE_PHASE_KERNEL(name, Problem, kConfig, kShape)          \
  SCANTUNE_KERNEL(name, kShape.block_threads, kShape.min_ctas_per_sm) {      \
    if (!::scantune::has_items<Problem>(arguments)) return;                  \
    ::scantune::name<::scantune::BehindStarts<Problem>, kConfig>(arguments); \
  }

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                                       \
  SCANTUNE_THREE_PHASE_KERNEL(reduce_input, Problem, kConfig, kConfig)                                               \
  SCANTUNE_THREE_PHASE_KERNEL(reduce_sums, Problem, kConfig, ::scantune::sums_config(kConfig, Problem::kRequest))    \
  SCANTUNE_THREE_PHASE_KERNEL(downsweep_sums, Problem, kConfig, ::scantune::sums_config(kConfig, Problem::kRequest)) \
  SCANTUNE_THREE_PHASE_KERNEL(downsweep_input, Problem, kConfig, kConfig)
