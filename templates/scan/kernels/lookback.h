#pragma once

#include "core/parts/decoupled_look_back.h"
#include "scan/config/lookback.h"
#include "scan/parts/lines.h"
#include "scan/parts/started_items.h"
#include "scan/parts/tile_place.h"
#include "scan/parts/tile_scan.h"
#include "scan/parts/tiled_sequence.h"

namespace scantune {

// Ends one of so many CTAs, after its last poll, where that of the last tile does not know of all others that they have
// read epoch and ticket: of rows it knows those of its own, and of segments those that it has looked back to.
template <class Status>
SCANTUNE_DEVICE void leave_counted(const Status& status, u32 epoch, u32 ctas, u32 lane) {
  if (epoch == kLastEpoch)
    status.wrap(ctas, ctas, lane);
  else if (lane == 0)
    status.leave(ctas, ctas);
}

// Where memory says how many items there are, it has been read, and none but the CTAs that have a tile come here.
template <class Problem, LookbackConfig kConfig>
SCANTUNE_DEVICE void lookback_scan(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  constexpr TileShape kShape = peeled_tile_shape(kConfig, Problem::kRequest);
  using Tile = TileScan<Problem, kShape>;
  using Place = TilePlace<Problem, kShape>;
  constexpr bool kHasRows = Problem::kRequest.segments == Segments::rows;
  constexpr bool kForgets = kForget<typename Problem::InputItems>;
  using Sequence = TiledSequence<Problem, Tile::kTileItems, kHasRows>;
  using Status = TileStatus<T, kConfig.status_layout>;
  struct alignas(16) Shared {
    typename Tile::Shared tile;
    u32 tile_index;
    u32 epoch;
  };
  static_assert(sizeof(Shared) == shared_bytes(kConfig, Problem::kRequest));
  Shared& shared = shared_memory<Shared>();

  if constexpr (kConfig.pdl != 0 && kConfig.tile_order == TileOrder::block_index && !Problem::kReadsN && !kHasRows) {
    const Place place(Problem::input(arguments), arguments.n, block_rank());
    Tile(shared.tile, arguments.n - place.first() - place.kept_items())
        .prefetch(Problem::input(arguments) + place.first());
  }
  if constexpr (!Problem::kReadsN) begin_kernel<kConfig.pdl>();

  // Take a tile.
  u32 epoch = 0;
  if (thread_rank() == 0) epoch = Status::read_epoch(arguments.workspace);
  u32 index = block_rank();
  if constexpr (kConfig.tile_order == TileOrder::ticket) {
    if (thread_rank() == 0)
      shared.tile_index = fetch_add(&static_cast<WorkspaceHeader*>(arguments.workspace)->ticket, 1);
    sync_block();
    index = shared.tile_index;
  }
  const Sequence sequence(arguments, index);
  if constexpr (Sequence::kMayLackItems)
    if (sequence.tile() >= Place::count(sequence.end())) {
      if (thread_rank() >= kWarpThreads) return;
      epoch = scantune::shuffle_index(epoch, 0);
      return scantune::leave_counted(Status(arguments.workspace, epoch), epoch, block_count(), thread_rank());
    }
  const Place place(sequence.input(), sequence.end(), sequence.tile());
  const u64 first = place.first();
  Tile tile(shared.tile, sequence.end() - first - place.kept_items());

  // Load and scan the tile, and the head before the first one.
  T carry = sequence.init();
  const HeadScan<Problem> head(sequence.input() + Place::kHead, place.head_items(), thread_rank());
  tile.load(sequence.input() + first);
  if (head.exists() && tile.in_first_warp()) {
    const T total = head.scan(sequence.output() + Place::kHead, carry);
    carry = Problem::kHasInit ? Op::combine(carry, total) : total;
  }
  if (thread_rank() == 0) shared.epoch = epoch;  // kept out of registers; visible after the barrier of scan()
  const T aggregate = tile.scan();

  // Publish the aggregate, look back for the carry-in, publish the prefix.
  const bool has_carry = Problem::kHasInit || sequence.tile() > 0 || head.exists();
  if (tile.in_first_warp()) {
    Status status(arguments.workspace, shared.epoch);
    // No tile has to look back beyond one in which a segment starts.
    bool is_prefix = false;
    if constexpr (kForgets) is_prefix = aggregate.starts != 0;
    if (sequence.tile() > 0) {
      if (tile.lane() == 0) status.publish(index, is_prefix ? TileFlag::prefix : TileFlag::aggregate, aggregate);
      carry = scantune::look_back<Op, kConfig>(status, index, tile.lane());
    }
    if (tile.lane() == 0 && (!is_prefix || sequence.tile() == 0))
      status.publish(index, TileFlag::prefix, has_carry ? Op::combine(carry, aggregate) : aggregate);
    if constexpr (kHasRows) {
      scantune::leave_counted(status, shared.epoch, block_count(), tile.lane());
    } else if constexpr (kForgets) {
      // CTAs are counted when nothing waits for this one any more.
    } else if constexpr (Problem::kReadsN) {
      const u32 tiles = Place::count(arguments.n);
      status.finish(index, tiles, tiles, tile.lane());
    } else {
      status.finish(index, block_count(), block_count(), tile.lane());
    }
  }
  tile.distribute(carry, has_carry);

  // Combine with the carry-in and store.
  tile.store(sequence.output() + first, has_carry);
  if constexpr (kForgets) {
    const u32 ctas = Problem::kReadsN ? Place::count(arguments.n) : block_count();
    if (tile.in_first_warp())
      scantune::leave_counted(Status(arguments.workspace, shared.epoch), shared.epoch, ctas, tile.lane());
  }
}

// The scan goes on as if no more CTAs had been launched than there are tiles.
template <class Problem, LookbackConfig kConfig>
SCANTUNE_DEVICE void counted_lookback_scan(const KernelArguments& arguments) {
  begin_kernel<kConfig.pdl>();
  const KernelArguments counted = Problem::counted(arguments);
  if (block_rank() < TilePlace<Problem, peeled_tile_shape(kConfig, Problem::kRequest)>::count(counted.n))
    scantune::lookback_scan<Problem, kConfig>(counted);
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                            \
  SCANTUNE_KERNEL(lookback_scan, kConfig.block_threads, kConfig.min_ctas_per_sm) {                        \
    if (!::scantune::has_items<Problem>(arguments)) return;                                               \
    if constexpr (Problem::kReadsN)                                                                       \
      ::scantune::counted_lookback_scan<::scantune::OneSequence<Problem>, kConfig>(arguments);            \
    else                                                                                                  \
      ::scantune::lookback_scan<::scantune::Tiled<::scantune::OneSequence<Problem>>, kConfig>(arguments); \
  }
