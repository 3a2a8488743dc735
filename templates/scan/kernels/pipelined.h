#pragma once

#include "core/contract/warp_scan.h"
#include "core/machine/bulk.h"
#include "core/parts/begin_kernel.h"
#include "core/parts/gathered_aggregates.h"
#include "core/parts/ring_slot.h"
#include "core/parts/store_run.h"
#include "scan/config/pipelined.h"
#include "scan/parts/aligned_row_tiles.h"
#include "scan/parts/exchange_space.h"
#include "scan/parts/lines.h"
#include "scan/parts/staged_run.h"

namespace scantune {

// One CTA's ring of tiles, and what each of its warps does with them.
template <class Problem, PipelinedConfig kConfig>
class Pipeline {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;
  using Status = TileStatus<T, kConfig.status_layout>;
  using Slot = RingSlot<kConfig.stages>;
  using Run = StagedRun<Problem, kConfig.vectors_per_thread>;
  using Vector = typename Run::template Vector<Input>;

  static constexpr int kWarps = kConfig.consumer_warps;
  static constexpr int kThreads = consumer_threads(kConfig);
  static constexpr int kVectors = kConfig.vectors_per_thread;
  static constexpr int kStages = kConfig.stages;
  static constexpr u32 kVectorItems = Run::kVectorItems;
  static constexpr u32 kWarpItems = kWarpThreads * Run::kItems;
  static constexpr u32 kTileItems = kThreads * Run::kItems;
  static constexpr u32 kNoTile = ~0u;
  static constexpr bool kReverse = Run::kReverse;
  static constexpr bool kHasRows = Problem::kRequest.segments == Segments::rows;

 public:
  struct alignas(16) Shared : ExchangeSpace<exchange_bytes(kConfig, Problem::kRequest)> {
    Vector tiles[kStages][kThreads * kVectors];
    T before_thread[kStages][kThreads];  // what comes before it in its warp; nothing for lane 0
    T before_warp[kStages][kWarps];  // first a warp's total, then everything in the tile before it; nothing for warp 0
    T carry_in[kStages];             // everything before the tile
    Barrier loaded[kStages];         // the tile and its index are there
    Barrier reduced[kStages];        // the totals of all warps are there
    Barrier carried[kStages];        // carry_in and before_warp are there
    Barrier scanned[kStages];        // the results are there, in place of the items
    u32 tile_index[kStages];
    u32 tile_before[kStages];  // the CTA's tile before it
    u32 epoch;
  };

  SCANTUNE_DEVICE Pipeline(Shared& shared, const KernelArguments& arguments)
      : shared_(shared), arguments_(arguments), tiles_(arguments), lane_(thread_rank() % kWarpThreads) {}

  SCANTUNE_DEVICE void run() {
    if (thread_rank() == 0) init_barriers();
    sync_block();
    if (kConfig.pdl != 0 && thread_rank() == 0) prefetch();
    begin_kernel<kConfig.pdl>();
    if constexpr (Problem::kReadsN) tiles_.keep(Problem::counted(arguments_).n);
    const u32 warp = thread_rank() / kWarpThreads;
    if (warp < kWarps) {
      consume(warp);
    } else if (warp == kWarps) {
      load_and_store();
    } else if (warp == kWarps + 1) {
      publish();
    } else {
      look_back(warp - kWarps - 2);
    }
    if (shared_.epoch == kLastEpoch) {
      sync_block();
      if (warp == 0) Status(arguments_.workspace, kLastEpoch).wrap(block_count(), tiles_.count(), lane_);
    }
  }

 private:
  // Prefetches some of the first tiles, whoever draws them.
  SCANTUNE_DEVICE void prefetch() const {
#pragma unroll
    for (int turn = 0; turn < kConfig.prefetch_tiles; ++turn) {
      const u32 tile = block_rank() + turn * block_count();
      if (tile >= tiles_.count()) return;
      const u32 items = tiles_.items_in_bulk(tile);
      if (items > 0) scantune::prefetch_to_l2(scantune::lowest(tiles_.input(tile), items), items * sizeof(Input));
    }
  }

  // Every lane arrives for its own reads and writes. That is as fast as one arrival per warp, and the barriers alone
  // then order all accesses, as race checkers need.
  SCANTUNE_DEVICE void init_barriers() {
    constexpr u32 kConsumers = kThreads, kLoader = kWarpThreads, kPublisher = kWarpThreads, kLookBack = kWarpThreads;
    for (int stage = 0; stage < kStages; ++stage) {
      barrier_init(&shared_.loaded[stage], kLoader);
      barrier_init(&shared_.reduced[stage], kConsumers);
      barrier_init(&shared_.carried[stage], kPublisher + kLookBack);
      barrier_init(&shared_.scanned[stage], kConsumers);
    }
    fence_barrier_init();
  }

  // Whether a tile is the first of a row, or of all items.
  SCANTUNE_DEVICE bool is_first(u32 tile) const { return tile == tiles_.first_of_sequence(tile); }
  SCANTUNE_DEVICE bool has_carry(u32 tile) const {
    return tile > tiles_.first_of_sequence(tile) || Problem::kHasInit || tiles_.head_items(tile) > 0;
  }
  SCANTUNE_DEVICE bool stores_in_bulk() const {
    return kConfig.store_path == StorePath::bulk && tiles_.same_alignment();
  }

  // Waits until the slot's tile is loaded. Returns its index, or kNoTile after the last.
  SCANTUNE_DEVICE u32 wait_for_tile(const Slot& slot) {
    barrier_wait(&shared_.loaded[slot.stage()], slot.phase());
    return shared_.tile_index[slot.stage()];
  }

  // Returns lane i the combination of lanes 0..i, for those below valid_lanes. warp: the one that calls.
  SCANTUNE_DEVICE T warp_scan(T value, u32 valid_lanes, u32 warp) {
    constexpr WarpScan kMethod = warp_scan_method(kConfig);
    constexpr u32 kRowBytes = scan_exchange_bytes(kMethod, Problem::kRequest);
    return scantune::warp_inclusive_scan<kMethod, Op>(value, lane_, valid_lanes,
                                                      reinterpret_cast<T*>(shared_.at(warp * kRowBytes)));
  }

  // ---- the warp that loads, and stores in bulk ----

  SCANTUNE_DEVICE void load_and_store() {
    auto* const header = static_cast<WorkspaceHeader*>(arguments_.workspace);
    const auto draw = [&] { return lane_ == 0 ? fetch_add(&header->ticket, 1) : 0; };
    u32 drawn = draw();
    if (lane_ == 0) shared_.epoch = Status::read_epoch(header);

    Slot loading, storing;
    bool more = true;
    u32 loaded = 0, tile_before = 0;
    const auto load_next = [&] {
      const u32 tile = scantune::shuffle_index(drawn, 0);
      more = tile < tiles_.count();
      loaded += more;
      // The ticket is drawn one tile ahead, so that its latency overlaps with the copy.
      if (more) drawn = draw();
      load(loading.stage(), more ? tile : kNoTile, tile_before);
      tile_before = tile;
      loading.next();
      if (!more && lane_ == 0) Status(header, shared_.epoch).leave(block_count(), tiles_.count());
    };
    for (int stage = 0; stage < kStages && more; ++stage) load_next();
    for (u32 stored = 0; stored < loaded; ++stored) {
      barrier_wait(&shared_.scanned[storing.stage()], storing.phase());
      if (stores_in_bulk()) store(storing.stage());
      storing.next();
      // The stage of an older store is free once that has been read.
      if (!more || stored < kConfig.refill_distance) continue;
      if (lane_ == 0) bulk_wait_read<kConfig.refill_distance>();
      sync_warp();
      load_next();
    }
    // Every warp that looks back waits for its own tile. After sync_warp() all lanes have read the indices in these
    // stages.
    sync_warp();
    for (int warp = 1; warp < kConfig.look_back_warps; ++warp) {
      load(loading.stage(), kNoTile, tile_before);
      loading.next();
    }
    if (lane_ == 0) bulk_wait();
  }

  SCANTUNE_DEVICE void load(u32 stage, u32 tile, u32 tile_before) {
    Barrier* const loaded = &shared_.loaded[stage];
    if (lane_ == 0) {
      shared_.tile_index[stage] = tile;
      shared_.tile_before[stage] = tile_before;
    }
    if (tile == kNoTile) return barrier_arrive(loaded);
    const u32 items = tiles_.items(tile), whole = tiles_.items_in_bulk(tile);
    const auto from = tiles_.input(tile);
    const auto to = staged<Input>(stage);
    for (u32 item = whole + lane_; item < items; item += kWarpThreads)
      to[item] = scantune::load_global<CacheHint::normal>(from + item);
    if (lane_ != 0) return barrier_arrive(loaded);
    barrier_arrive_expecting(loaded, whole * sizeof(Input));
    if (whole > 0)
      scantune::bulk_load(scantune::lowest(to, whole), scantune::lowest(from, whole), whole * sizeof(Input), loaded);
  }

  SCANTUNE_DEVICE void store(u32 stage) {
    const u32 tile = shared_.tile_index[stage], items = tiles_.items(tile);
    const auto to = tiles_.output(tile);
    const auto from = staged<const Output>(stage);
    const u32 whole = items / kVectorItems * kVectorItems;
    if (lane_ == 0) {
      if (whole > 0)
        scantune::bulk_store(scantune::lowest(to, whole), scantune::lowest(from, whole), whole * sizeof(Output));
      bulk_commit();
    }
    scantune::store_itemwise(to + whole, from + whole, items - whole, lane_);
  }

  // The items of a stage, or the results in their place, in the order of the scan. They are ordered in shared memory as
  // in global memory: a full tile of a reverse scan begins with its last item.
  template <class Item>
  SCANTUNE_DEVICE Items<Item, Problem::kRequest.direction> staged(u32 stage) {
    Item* const begin = reinterpret_cast<Item*>(shared_.tiles[stage]);
    if constexpr (kReverse)
      return {begin + kTileItems - 1};
    else
      return begin;
  }

  // ---- the warps that reduce and scan ----

  // Keeps look_ahead tiles reduced beyond the one to be scanned next, and more where that one still waits for its
  // carry-in: others may be waiting for just these aggregates.
  SCANTUNE_DEVICE void consume(u32 warp) {
    Slot reducing, scanning;
    u32 ahead = 0;     // tiles reduced and not scanned
    bool more = true;  // tiles to reduce
    while (more || ahead > 0) {
      const bool can_reduce = more && all_lanes(barrier_test(&shared_.loaded[reducing.stage()], reducing.phase()));
      const bool must_reduce = can_reduce && ahead <= kConfig.look_ahead;
      const bool can_scan =
          !must_reduce && ahead > 0 && all_lanes(barrier_test(&shared_.carried[scanning.stage()], scanning.phase()));
      if (can_scan) {
        scan(scanning, warp);
        --ahead;
      } else if (can_reduce) {
        more = reduce(reducing, warp);
        ahead += more;
      }
    }
  }

  // Leaves the prefix of each thread in its warp, and the total of the warp. Returns false after the last tile.
  SCANTUNE_DEVICE bool reduce(Slot& slot, u32 warp) {
    const u32 stage = slot.stage(), tile = shared_.tile_index[stage];
    if (tile == kNoTile) return false;
    if (const u32 items = tiles_.items(tile); items == kTileItems) {
      reduce_tile<true>(stage, warp, kTileItems);
    } else {
      reduce_tile<false>(stage, warp, items);
    }
    barrier_arrive(&shared_.reduced[stage]);
    slot.next();
    return true;
  }

  template <bool kFull>
  SCANTUNE_DEVICE void reduce_tile(u32 stage, u32 warp, u32 tile_items) {
    const u32 thread = warp * kWarpThreads + lane_;
    const T total = Run::template reduce<kFull>(vectors_of(stage, thread), items_of(thread, tile_items));
    const u32 lanes = kFull ? kWarpThreads : valid_lanes(warp, tile_items);
    const T inclusive = warp_scan(total, lanes, warp);
    const T before = scantune::shuffle_up(inclusive, 1);
    if (lane_ > 0 && lane_ < lanes) shared_.before_thread[stage][thread] = before;
    if (lane_ + 1 == lanes) shared_.before_warp[stage][warp] = inclusive;
  }

  SCANTUNE_DEVICE Vector* vectors_of(u32 stage, u32 thread) {
    return __builtin_addressof(shared_.tiles[stage][(kReverse ? kThreads - 1 - thread : thread) * kVectors]);
  }
  SCANTUNE_DEVICE static u32 items_of(u32 thread, u32 tile_items) {
    return thread * Run::kItems < tile_items ? tile_items - thread * Run::kItems : 0;
  }

  SCANTUNE_DEVICE u32 valid_lanes(u32 warp, u32 tile_items) const {
    if (warp * kWarpItems >= tile_items) return 0;
    const u32 lanes = ceil_div(tile_items - warp * kWarpItems, Run::kItems);
    return lanes < kWarpThreads ? lanes : kWarpThreads;
  }

  SCANTUNE_DEVICE void scan(Slot& slot, u32 warp) {
    const u32 stage = slot.stage();
    const u32 tile = shared_.tile_index[stage], items = tiles_.items(tile);
    if (items == kTileItems) {
      scan_tile<true>(stage, warp, kTileItems, has_carry(tile));
    } else {
      scan_tile<false>(stage, warp, items, has_carry(tile));
    }
    if (!stores_in_bulk()) store_directly(stage, warp, tile, items);
    fence_shared_for_bulk();
    barrier_arrive(&shared_.scanned[stage]);
    slot.next();
  }

  // Puts the results in place of the items.
  template <bool kFull>
  SCANTUNE_DEVICE void scan_tile(u32 stage, u32 warp, u32 tile_items, bool has_carry) {
    const u32 thread = warp * kWarpThreads + lane_;
    if (!kFull && thread * Run::kItems >= tile_items) return;

    // The prefix of this thread.
    bool has_prefix = has_carry;
    T prefix;
    const auto append = [&](T value) {
      prefix = has_prefix ? Op::combine(prefix, value) : value;
      has_prefix = true;
    };
    if (has_carry) prefix = shared_.carry_in[stage];
    if (warp > 0) append(shared_.before_warp[stage][warp]);
    if (lane_ > 0) append(shared_.before_thread[stage][thread]);

    Run::template scan<kFull>(vectors_of(stage, thread), items_of(thread, tile_items), prefix, has_prefix);
  }

  SCANTUNE_DEVICE void store_directly(u32 stage, u32 warp, u32 tile, u32 tile_items) {
    sync_warp();
    const u32 first = warp * kWarpItems;
    if (first >= tile_items) return;
    const u32 items = tile_items - first < kWarpItems ? tile_items - first : kWarpItems;
    if constexpr (!kReverse) {
      scantune::store_run(tiles_.output(tile) + first, staged<const Output>(stage) + first, items, lane_);
    } else {
      const auto to = tiles_.output(tile) + first;
      const auto from = staged<const Output>(stage) + first;
      // The results of a warp whose items are cut short begin on no vector boundary.
      if (items < kWarpItems)
        scantune::store_itemwise(to, from, items, lane_);
      else
        scantune::store_run(scantune::lowest(to, items), scantune::lowest(from, items), items, lane_);
    }
  }

  // ---- the warp that publishes ----

  SCANTUNE_DEVICE void publish() {
    Slot reader;    // of the carry-in that this stage held before: the look-back of the tile that came kStages - 1 ago
    u32 ahead = 0;  // tiles since this one was drawn, up to that
    for (Slot slot;; slot.next()) {
      const u32 stage = slot.stage(), tile = wait_for_tile(slot);
      if (tile == kNoTile) return;
      barrier_wait(&shared_.reduced[stage], slot.phase());

      // Scan the totals of the warps.
      const u32 warps = ceil_div(tiles_.items(tile), kWarpItems);
      const bool is_empty = kHasRows && warps == 0;
      T total;
      if (lane_ < warps) total = shared_.before_warp[stage][lane_];
      const T inclusive = warp_scan(total, warps, kWarps);
      const T before = scantune::shuffle_up(inclusive, 1);
      T aggregate = scantune::shuffle_index(inclusive, is_empty ? 0 : warps - 1);

      // Publish the aggregate; that of a first tile holds all that comes before it. Nobody needs that of an empty one.
      const bool has_head = is_first(tile) && tiles_.head_items(tile) > 0;
      T through_head;
      if (has_head) through_head = scan_head(tile);
      if constexpr (kHasRows) {
        if (ahead + 1 < kStages) {
          ++ahead;
        } else {
          if (is_first(tile)) barrier_wait(&shared_.carried[reader.stage()], reader.phase());
          reader.next();
        }
      }
      if (lane_ == 0 && !is_empty) {
        if (is_first(tile) && (Problem::kHasInit || tiles_.head_items(tile) > 0)) {
          shared_.carry_in[stage] = has_head ? through_head : init_of(tile);
          aggregate = Op::combine(shared_.carry_in[stage], aggregate);
        }
        Status(arguments_.workspace, shared_.epoch).publish(tile, TileFlag::aggregate, aggregate);
      }
      if (lane_ > 0 && lane_ < warps) shared_.before_warp[stage][lane_] = before;
      barrier_arrive(&shared_.carried[stage]);
    }
  }

  SCANTUNE_DEVICE T init_of(u32 tile) const {
    return Problem::init_of(arguments_, tiles_.sequence(tile), tiles_.sequences());
  }

  // Scans the items before a first tile. Returns all lanes what comes before it.
  SCANTUNE_DEVICE T scan_head(u32 tile) {
    const T init = init_of(tile);
    const HeadScan<Problem> head(tiles_.head_input(tile), tiles_.head_items(tile), lane_);
    const T total = head.scan(tiles_.head_output(tile), init);
    return Problem::kHasInit ? Op::combine(init, total) : total;
  }

  // ---- the warps that look back ----

  // Each of these warps takes every look_back_warps-th tile of the CTA: the sum between two tiles does not depend on
  // the carry, so only one combination per tile waits for the tile before.
  SCANTUNE_DEVICE void look_back(u32 warp) {
    Slot slot, before;
    for (u32 skipped = 0; skipped < warp; ++skipped) slot.next();
    for (u32 skipped = 0; skipped + 1 < warp; ++skipped) before.next();
    bool has_before = warp > 0;
    while (true) {
      const u32 stage = slot.stage(), tile = wait_for_tile(slot);
      if (tile == kNoTile) return;
      wait_for_reduction(slot);
      const u32 first = tiles_.first_of_sequence(tile);
      if (tile > first && (!kHasRows || tiles_.items(tile) > 0)) {
        const u32 tile_before = has_before ? shared_.tile_before[stage] : 0;
        T carry = aggregates(tile_before > first ? tile_before : first, tile);
        if (kHasRows ? has_before : tile_before > first) barrier_wait(&shared_.carried[before.stage()], before.phase());
        if (tile_before > first) carry = Op::combine(shared_.carry_in[before.stage()], carry);
        if (lane_ == 0) shared_.carry_in[stage] = carry;
      } else if (kHasRows && has_before) {
        // The publisher writes the carry-in of a first tile. An empty tile has no carry-in: tiles before it may be
        // empty, too, and publish nothing. But a warp that did not wait here could get two phases of a barrier ahead of
        // another, or overwrite a carry-in that this one has yet to read.
        barrier_wait(&shared_.carried[before.stage()], before.phase());
      }
      barrier_arrive(&shared_.carried[stage]);
      for (u32 skipped = 0; skipped < kConfig.look_back_warps; ++skipped) {
        if (has_before) before.next();
        has_before = true;
        slot.next();
      }
    }
  }

  // Polls that come too early slow the data down. Once this CTA has reduced the tiles ahead, so have most others.
  SCANTUNE_DEVICE void wait_for_reduction(Slot slot) {
    for (int ahead = 0; ahead < kConfig.poll_distance; ++ahead) {
      slot.next();
      if (wait_for_tile(slot) == kNoTile) return;
    }
    barrier_wait(&shared_.reduced[slot.stage()], slot.phase());
  }

  // The combination of the tiles [first, last). Only the caller's own operators need not commute.
  SCANTUNE_DEVICE T aggregates(u32 first, u32 last) {
    using Gathered = GatheredAggregates<Op, is_custom(Problem::kRequest.op), kConfig.window, kConfig.poll_delay_ns, T,
                                        kConfig.status_layout>;
    return Gathered::gather(Status(arguments_.workspace, shared_.epoch), first, last, lane_);
  }

  Shared& shared_;
  const KernelArguments& arguments_;
  BulkTiles<Problem, kTileItems> tiles_;
  const u32 lane_;
};

template <class Problem, PipelinedConfig kConfig>
SCANTUNE_DEVICE void pipelined_scan(const KernelArguments& arguments) {
  using Pipe = Pipeline<Problem, kConfig>;
  constexpr int kBytes = shared_bytes(kConfig, Problem::kRequest), kNeeded = sizeof(typename Pipe::Shared);
  static_assert(kNeeded <= kBytes && kBytes - kNeeded < 64);
  Pipe(shared_memory<typename Pipe::Shared>(), arguments).run();
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                             \
  SCANTUNE_KERNEL(pipelined_scan, ::scantune::Family<::scantune::PipelinedConfig>::block_threads(kConfig), \
                  kConfig.ctas_per_sm) {                                                                   \
    ::scantune::pipelined_scan<::scantune::BehindLines<Problem>, kConfig>(arguments);                      \
  }
