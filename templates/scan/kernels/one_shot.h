#pragma once

#include "core/parts/gathered_aggregates.h"
#include "scan/config/one_shot.h"
#include "scan/parts/cluster_aggregates.h"
#include "scan/parts/started_items.h"
#include "scan/parts/tile_place.h"
#include "scan/parts/tile_scan.h"

namespace scantune {

// Returns all threads the combination of the aggregates [0, count), of which there is at least one. The first warps
// poll a share each, of whole rows of neighbouring words, so that few are read by one warp.
template <class Op, bool kInOrder, OneShotConfig kConfig, class T>
SCANTUNE_DEVICE T gather_by_warps(T (&parts)[kConfig.poll_warps], const TileStatus<T, kConfig.status_layout>& status,
                                  u32 count) {
  using Gathered = GatheredAggregates<Op, kInOrder, kConfig.window, kConfig.poll_delay_ns, T, kConfig.status_layout,
                                      Repolled::together>;
  constexpr u32 kRow = kConfig.poll_warps * kWarpThreads;
  const u32 warp = thread_rank() / kWarpThreads, lane = thread_rank() % kWarpThreads;
  const u32 share = ceil_div(count, kRow) * kWarpThreads, first = warp * share;
  if (warp < kConfig.poll_warps && first < count) {
    const T part = Gathered::gather(status, first, first + share < count ? first + share : count, lane);
    if (lane == 0) parts[warp] = part;
  }
  sync_block();
  T sum = parts[0];
#pragma unroll
  for (u32 part = 1; part < kConfig.poll_warps; ++part)
    if (part * share < count) sum = Op::combine(sum, parts[part]);
  return sum;
}

template <class Problem, OneShotConfig kConfig>
SCANTUNE_DEVICE void one_shot_scan(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  constexpr TileShape kShape = peeled_tile_shape(kConfig, Problem::kRequest);
  using Tile = TileScan<Problem, kShape>;
  using Place = TilePlace<Problem, kShape>;
  using Status = TileStatus<T, kConfig.status_layout>;
  using Cluster = ClusterAggregates<Op, kConfig.cluster_blocks>;
  constexpr u32 kBlocks = kConfig.cluster_blocks;
  struct alignas(16) Shared {
    typename Tile::Shared tile;
    typename Cluster::Shared cluster;
    T parts[kConfig.poll_warps];  // parts of what comes before the tile
    T head_total;
    u32 tile_index;
    u32 epoch;
  };
  static_assert(sizeof(Shared) == shared_bytes(kConfig, Problem::kRequest));
  Shared& shared = shared_memory<Shared>();

  const auto input = Problem::input(arguments);
  const auto output = Problem::output(arguments);
  const auto place_of = [&](u32 index, const u64& n) { return Place(input, n, index); };
  const auto tile_at = [&](const Place& place, const u64& n) {
    return Tile(shared.tile, n - place.first() - place.kept_items());
  };
  const u32 most_tiles = static_cast<u32>(ceil_div(arguments.n, u64{Tile::kTileItems}) - Problem::kFirstTile);
  u32 index = block_rank();

  if constexpr (kBlocks > 1 && !Problem::kReadsN) Cluster::start(shared.cluster, index < most_tiles);
  if constexpr (kConfig.tile_order == TileOrder::ticket) {
    begin_kernel<kConfig.pdl>();
  } else {
    const Place place = place_of(index, arguments.n);
    if (kConfig.pdl != 0 && index < most_tiles) tile_at(place, arguments.n).prefetch(input + place.first());
    begin_kernel<kConfig.pdl>(tile_at(place, arguments.n).prepared(input + place.first(), output + place.first()));
  }

  // Where memory says that there are fewer tiles, the scan goes on as if as few had been launched.
  const KernelArguments& counted = Problem::counted(arguments);
  const u32 tiles = Problem::kReadsN ? Place::count(counted.n) : most_tiles;
  if constexpr (kBlocks > 1 && Problem::kReadsN) Cluster::start(shared.cluster, index < tiles);

  // Take a tile. A single cluster uses no workspace.
  if ((kBlocks > 1 || Problem::kReadsN) && index >= tiles) return;  // it fills up the last cluster, or more
  const bool is_alone = block_count() == kBlocks;
  u32 epoch = 0;
  if (!is_alone && thread_rank() == 0) epoch = Status::read_epoch(arguments.workspace);
  if (kConfig.tile_order == TileOrder::ticket && !is_alone) {
    if (thread_rank() == 0)
      shared.tile_index = fetch_add(&static_cast<WorkspaceHeader*>(arguments.workspace)->ticket, 1);
    sync_block();
    index = shared.tile_index;
  }
  const Place place = place_of(index, counted.n);
  Tile tile = tile_at(place, counted.n);

  // Load the tile and get its aggregate, and scan the head before the first one.
  T carry = Problem::init(arguments);
  const HeadScan<Problem> head(input + Place::kHead, place.head_items(), thread_rank());
  tile.load(input + place.first());
  if (head.exists() && tile.in_first_warp()) {
    const T total = head.scan(output + Place::kHead, carry);
    if (tile.lane() == 0) shared.head_total = total;  // visible, like the epoch, after the barrier of reduce()
  }
  if (thread_rank() == 0) shared.epoch = epoch;  // one copy for all threads
  T aggregate = tile.reduce();

  // Send the aggregate to the others of the cluster, whose last CTA publishes that of all.
  const u32 rank = index % kBlocks, cluster = index / kBlocks;
  const bool publishes = !is_alone && rank == kBlocks - 1;
  const Status status(arguments.workspace, shared.epoch);
  T before;
  if (head.exists()) aggregate = Op::combine(before = shared.head_total, aggregate);
  if constexpr (kBlocks > 1) {
    Cluster::send(shared.cluster, aggregate, tiles - cluster * kBlocks);
    if (publishes) aggregate = Op::combine(before = Cluster::gather(shared.cluster, rank), aggregate);
  }
  if (publishes && thread_rank() == 0) status.publish(cluster, TileFlag::aggregate, aggregate);

  // Scan the tile, if it is only reduced yet, while aggregates travel, and combine those before it.
  tile.scan_reduced();
  if constexpr (kBlocks > 1) {
    if (!publishes && rank > 0) before = Cluster::gather(shared.cluster, rank);
  }
  if (!is_alone && cluster > 0) {
    const T clusters =
        scantune::gather_by_warps<Op, is_custom(Problem::kRequest.op), kConfig>(shared.parts, status, cluster);
    before = rank > 0 ? Op::combine(clusters, before) : clusters;
  }

  // Combine with the carry-in and store.
  if (index > 0 || head.exists()) carry = Problem::kHasInit ? Op::combine(carry, before) : before;
  const bool has_carry = Problem::kHasInit || index > 0 || head.exists();
  if (has_carry) tile.carry_in(carry);
  tile.store(output + place.first(), has_carry);

  // The CTA of the last tile has an aggregate of every CTA before it, directly or in that of a cluster, so all have
  // read epoch and ticket. Others may still poll the words; the next launch touches none before this one has ended,
  // even if it has started.
  if (!is_alone && tile.in_first_warp()) status.finish(index, tiles, block_count() / kBlocks, tile.lane());
}

}  // namespace scantune

// A config uses one of these two kernels and leaves the other empty: the compiler has to know the clusters' size.
#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                                        \
  SCANTUNE_KERNEL(scan_by_ctas, kConfig.block_threads, kConfig.min_ctas_per_sm) {                                     \
    if (!::scantune::has_items<Problem>(arguments)) return;                                                           \
    if constexpr (kConfig.cluster_blocks == 1)                                                                        \
      ::scantune::one_shot_scan<::scantune::BehindStarts<Problem>, kConfig>(arguments);                               \
  }                                                                                                                   \
  SCANTUNE_CLUSTER_KERNEL(scan_by_clusters, kConfig.block_threads, kConfig.min_ctas_per_sm, kConfig.cluster_blocks) { \
    if (!::scantune::has_items<Problem>(arguments)) return;                                                           \
    if constexpr (kConfig.cluster_blocks > 1)                                                                         \
      ::scantune::one_shot_scan<::scantune::BehindStarts<Problem>, kConfig>(arguments);                               \
  }
