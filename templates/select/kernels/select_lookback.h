#pragma once

#include "core/parts/begin_kernel.h"
#include "core/parts/decoupled_look_back.h"
#include "select/config/select_lookback.h"
#include "select/parts/select_tile.h"

namespace scantune {

// Two counts share a word where there are two.
template <class Tile>
SCANTUNE_DEVICE typename Tile::Counts unpacked(u64 word) {
  if constexpr (Tile::kCounted == 1) return {word};
  if constexpr (Tile::kCounted == 2) return {word & ~u32{0}, word >> 32};
}

template <class Tile>
struct alignas(16) SelectLookbackShared {
  typename Tile::Shared tile;
  typename Tile::Counts before;  // in the tiles before
  u32 tile_index;
  u32 epoch;
};

template <class Problem, SelectLookbackConfig kConfig>
SCANTUNE_DEVICE void select_lookback(const KernelArguments& arguments) {
  using Tile = SelectTile<Problem, kConfig>;
  using Status = TileStatus<u64, kConfig.status_layout>;
  using Sum = OperatorOf<u64, Operator::sum>;
  constexpr int kParts = Problem::kRequest.parts();
  using Shared = SelectLookbackShared<Tile>;
  static_assert(sizeof(Shared) == shared_bytes(kConfig, Problem::kRequest));
  auto& shared = shared_memory<Shared>();
  begin_kernel<kConfig.pdl>();

  // Take a tile.
  const u32 tiles = block_count();
  u32 epoch = 0, index = block_rank();
  if (tiles > 1) {
    if (thread_rank() == 0) epoch = Status::read_epoch(arguments.workspace);
    if constexpr (kConfig.tile_order == TileOrder::ticket) {
      if (thread_rank() == 0)
        shared.tile_index = fetch_add(&static_cast<WorkspaceHeader*>(arguments.workspace)->ticket, 1);
      sync_block();
      index = shared.tile_index;
    }
  }
  Tile tile(shared.tile, arguments, index);

  // Decide on its items, and count the kept ones.
  tile.template decide<kConfig.load_hint>();
  if (thread_rank() == 0) shared.epoch = epoch;  // kept out of registers; visible after the barrier of count()
  tile.count();

  // Publish the counts, put the items together, look back for those before. In place, another tile may write over
  // this one's items as soon as the count is known, so each must have come: it has when it is staged, since a store
  // waits for what it stores.
  const bool in_place = Problem::kRequest.may_be_in_place() &&
                        arguments.operand(OperandRole::input) == arguments.operand(OperandRole::output);
  const auto publish = [&](TileFlag flag, u64 value) {
    if (tiles > 1 && thread_rank() == 0) Status(arguments.workspace, shared.epoch).publish(index, flag, value);
  };
  const TileFlag own = index == 0 ? TileFlag::prefix : TileFlag::aggregate;
  const auto counts = [&]() -> u64 {  // computed again for each use, which saves registers
    if constexpr (kParts == 3) return tile.counted(0) | static_cast<u64>(tile.counted(1)) << 32;
    return tile.counted(0);
  };
  if (!in_place) publish(own, counts());
  tile.stage();
  if (in_place) {
    sync_block();
    publish(own, counts());
  }
  if (tile.in_first_warp()) {
    u64 before = 0;
    if (tiles > 1) {
      const Status status(arguments.workspace, shared.epoch);
      if (index > 0) before = scantune::look_back<Sum, kConfig>(status, index, tile.lane());
      if (index > 0) publish(TileFlag::prefix, before + counts());
      status.finish(index, tiles, tiles, tile.lane());
    }
    if (tile.lane() == 0) {
      shared.before = scantune::unpacked<Tile>(before);
      if (index == tiles - 1)
        scantune::store_counts<typename Problem::Count>(arguments, scantune::unpacked<Tile>(before + counts()));
    }
  }
  sync_block();

  // Store them.
  tile.store(shared.before, {});
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                       \
  SCANTUNE_KERNEL(select_lookback, kConfig.block_threads, kConfig.min_ctas_per_sm) { \
    ::scantune::select_lookback<Problem, kConfig>(arguments);                        \
  }
