#pragma once

#include "core/parts/begin_kernel.h"
#include "core/parts/decoupled_look_back.h"
#include "core/parts/warp_scan.h"
#include "scan/config/lookback_segments.h"
#include "scan/parts/offset_rows.h"
#include "scan/parts/problem.h"
#include "scan/parts/segment_index.h"
#include "scan/parts/tile_scan.h"

namespace scantune {

inline constexpr u32 kOnlyEpoch = 1;  // every scan clears the status words

template <class Problem, LookbackSegmentsConfig kConfig>
struct SegmentTiles {
  static constexpr u32 kWarpItems = kWarpThreads * kConfig.items_per_thread;
  using Index = SegmentIndex<Problem, kWarpItems>;
  using Pairs = OffsetProblem<Problem, kWarpItems>;
  static constexpr TileShape kShape = tile_shape(kConfig, Pairs::kRequest);
  using Tile = TileScan<Pairs, kShape>;
};

template <class Problem, LookbackSegmentsConfig kConfig>
SCANTUNE_DEVICE void index_segments(const KernelArguments& arguments) {
  begin_kernel<kConfig.pdl>();
  typename SegmentTiles<Problem, kConfig>::Index(arguments).make(kIndexThreads);
}

template <class Problem, LookbackSegmentsConfig kConfig>
SCANTUNE_DEVICE void lookback_segments(const KernelArguments& arguments) {
  using Tiles = SegmentTiles<Problem, kConfig>;
  using Index = typename Tiles::Index;
  using Tile = typename Tiles::Tile;
  using T = typename Tiles::Pairs::Accumulator;
  using Op = typename Tiles::Pairs::Op;
  constexpr u64 kTileItems = Tile::kTileItems;
  constexpr u32 kWarps = kConfig.block_threads / kWarpThreads;
  struct alignas(16) Shared {
    typename Tile::Shared tile;
    u32 tile_index;
  };
  static_assert(sizeof(Shared) == shared_bytes(kConfig, Problem::kRequest));
  Shared& shared = shared_memory<Shared>();
  const Index index(arguments);
  const auto items_from = [&](u64 first, typename Index::Numbers starting, u32 absent) ->
      typename Tiles::Pairs::InputItems {
        return {Problem::input(arguments) + first, SegmentInit<Problem>(arguments), index, starting, first, absent};
      };

  if constexpr (kConfig.pdl != 0 && kConfig.tile_order == TileOrder::block_index) {
    const u64 first = block_rank() * kTileItems;
    Tile(shared.tile, arguments.n - first).prefetch(items_from(first, {0, 0}, 0));
  }
  begin_kernel<kConfig.pdl>();

  // Take a tile. All that says what is in it is on its way at once.
  u32 number = block_rank();
  if constexpr (kConfig.tile_order == TileOrder::ticket) {
    if (thread_rank() == 0)
      shared.tile_index = fetch_add(&static_cast<WorkspaceHeader*>(arguments.workspace)->ticket, 1);
    sync_block();
    number = shared.tile_index;
  }
  const u64 first = number * kTileItems;
  const auto starting = index.beginning_in(u64{number} * kWarps + thread_rank() / kWarpThreads);
  const SegmentRange range = index.range();
  if (!index.exists() || range.end <= first || first + kTileItems <= range.first) return;
  const u32 absent = first < range.first ? static_cast<u32>(range.first - first) : 0;

  // Load and scan it.
  Tile tile(shared.tile, range.end - first);
  tile.load(items_from(first, starting, absent));
  const T aggregate = tile.scan();

  // Publish the aggregate, look back for the carry-in, publish the prefix. No tile looks back beyond one in which a
  // segment starts, as does the first.
  const bool has_carry = first > range.first;
  T carry;
  if (tile.in_first_warp()) {
    const TileStatus<T, kConfig.status_layout> status(arguments.workspace, kOnlyEpoch);
    const bool is_prefix = aggregate.starts != 0;
    if (tile.lane() == 0) status.publish(number, is_prefix ? TileFlag::prefix : TileFlag::aggregate, aggregate);
    if (has_carry) {
      carry = scantune::look_back<Op, kConfig>(status, number, tile.lane());
      if (tile.lane() == 0 && !is_prefix) status.publish(number, TileFlag::prefix, Op::combine(carry, aggregate));
    }
  }
  tile.distribute(carry, has_carry);

  // Combine with the carry-in and store.
  tile.store({Problem::output(arguments) + first, SegmentInit<Problem>(arguments), absent}, has_carry);
}

// A warp scans a segment.
template <class Problem>
SCANTUNE_DEVICE void scan_segment(const KernelArguments& arguments, const Segment& its, u32 lane) {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  constexpr bool kBackwards = Problem::kRequest.direction == Direction::reverse;
  const u64 first = (kBackwards ? arguments.n - its.end : its.begin) + lane;
  T carry;
  if constexpr (Problem::kHasInit) carry = Problem::init(arguments);
  for (u64 place = 0; place < its.items(); place += kWarpThreads) {
    const bool has_carry = Problem::kHasInit || place > 0;
    const u64 left = its.items() - place;
    const u32 items = left < kWarpThreads ? static_cast<u32>(left) : u32{kWarpThreads};
    T item;
    if (lane < items)
      item = scantune::convert<T>(scantune::load_global<CacheHint::normal>(Problem::input(arguments) + first + place));
    const T through =
        scantune::warp_inclusive_scan<WarpScan::kogge_stone_2, Op>(item, lane, items, static_cast<T*>(nullptr));
    const T before = scantune::shuffle_up(through, 1), total = scantune::shuffle_index(through, items - 1);
    if (lane < items) {
      T result = through;
      if constexpr (Problem::kExclusive)
        result = lane == 0 ? carry : Op::combine(carry, before);
      else if (has_carry)
        result = Op::combine(carry, through);
      scantune::store_global<CacheHint::normal>(Problem::output(arguments) + first + place,
                                                scantune::convert<typename Problem::Output>(result));
    }
    carry = has_carry ? Op::combine(carry, total) : total;
  }
}

// Scans segments whose bounds do not ascend.
template <class Problem, LookbackSegmentsConfig kConfig>
SCANTUNE_DEVICE void scan_unordered(const KernelArguments& arguments) {
  constexpr u32 kWarps = kIndexThreads / kWarpThreads;
  const u32 lane = thread_rank() % kWarpThreads, warps = block_count() * kWarps;
  begin_kernel<kConfig.pdl>();
  const typename SegmentTiles<Problem, kConfig>::Index index(arguments);
  const bool has_index = index.exists();
  if (!has_index) {
    const u64 count = index.count();
    for (u64 number = u64{block_rank()} * kWarps + thread_rank() / kWarpThreads; number < count; number += warps)
      scantune::scan_segment<Problem>(arguments, SegmentsOf<Problem>::at(arguments, number), lane);
  }
  if (lane == 0) index.leave(has_index, warps);
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                         \
  SCANTUNE_KERNEL(index_segments, ::scantune::kIndexThreads, 1) {                      \
    ::scantune::index_segments<Problem, kConfig>(arguments);                           \
  }                                                                                    \
  SCANTUNE_KERNEL(lookback_segments, kConfig.block_threads, kConfig.min_ctas_per_sm) { \
    ::scantune::lookback_segments<Problem, kConfig>(arguments);                        \
  }                                                                                    \
  SCANTUNE_KERNEL(scan_unordered, ::scantune::kIndexThreads, 1) {                      \
    ::scantune::scan_unordered<Problem, kConfig>(arguments);                           \
  }
