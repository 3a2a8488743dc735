#pragma once

#include "core/parts/begin_kernel.h"
#include "core/parts/gathered_aggregates.h"
#include "core/parts/ring_slot.h"
#include "select/config/select_ring.h"
#include "select/parts/select_tile.h"
#include "select/parts/staged_array.h"

namespace scantune {

// The counts of a tile, or of some tiles, in one value: 32 bits of each part.
template <int kCounted>
struct PublishedCounts {
  using Type = u32;
};
template <>
struct PublishedCounts<2> {
  using Type = u64;
};

// One CTA's ring of tiles, and what each of its warps does with them.
template <class Problem, SelectRingConfig kConfig>
class SelectRing {
  using Item = typename Problem::Item;
  using Flag = typename Problem::Flag;
  using Tile = SelectTile<Problem, kConfig>;
  using Counts = typename Tile::Counts;
  using Published = typename PublishedCounts<Tile::kCounted>::Type;
  using Status = TileStatus<Published, kConfig.status_layout>;
  static constexpr SelectRequest kRequest = Problem::kRequest;
  static constexpr int kStages = kConfig.stages, kBuffers = kConfig.look_ahead + 1, kCounted = Tile::kCounted;
  static constexpr u32 kThreads = kConfig.block_threads;
  static constexpr u32 kNoTile = ~0u;
  static constexpr u32 kTilesAtOnce = ~0u / Tile::kTileItems;  // whose counts 32 bits hold
  static constexpr u64 kItemBytes = staged_item_bytes(kConfig, kRequest);
  using Slot = RingSlot<kStages>;
  using Buffer = RingSlot<kBuffers>;

  // What it takes to store a compacted tile.
  struct ToStore {
    Counts before;  // in all tiles before it
    u32 index;
    u32 counted[kCounted];
  };

 public:
  struct alignas(16) Shared {
    alignas(16) unsigned char stages[kStages][stage_bytes(kConfig, kRequest)];
    typename Tile::Shared tiles[kBuffers];
    ToStore to_store[kBuffers];
    Barrier loaded[kStages];    // the tile and its index are there
    Barrier counted[kStages];   // the counts of all warps are there, and the stage is free
    Barrier carried[kBuffers];  // what it takes to store the tile is there
    u32 loaded_index[kStages];
    u32 counted_index[kBuffers];
    u32 epoch;
  };
  static_assert(sizeof(Shared) == shared_bytes(kConfig, kRequest));

  SCANTUNE_DEVICE SelectRing(Shared& shared, const KernelArguments& arguments)
      : shared_(shared),
        arguments_(arguments),
        tiles_(static_cast<u32>(arguments.extents[0])),
        lane_(thread_rank() % kWarpThreads) {}

  SCANTUNE_DEVICE void run() {
    if (thread_rank() == 0) init_barriers();
    sync_block();
    begin_kernel<kConfig.pdl>();
    if (thread_rank() < kThreads) {
      select();
    } else if (thread_rank() < kThreads + kWarpThreads) {
      load();
    } else {
      look_back();
    }
    // When the first warp has stored the CTA's last tile, the other warps have polled and published for the last time.
    if (thread_rank() < kWarpThreads && shared_.epoch == kLastEpoch)
      Status(arguments_.workspace, kLastEpoch).wrap(block_count(), tiles_, lane_);
  }

 private:
  // Where one buffer is compacted and stored in turn, its barrier also tells that all have compacted.
  static constexpr u32 kStagers = kBuffers == 1 ? kThreads : 0;

  SCANTUNE_DEVICE void init_barriers() {
    for (int stage = 0; stage < kStages; ++stage) {
      barrier_init(&shared_.loaded[stage], kWarpThreads);
      barrier_init(&shared_.counted[stage], kThreads);
    }
    for (int buffer = 0; buffer < kBuffers; ++buffer) barrier_init(&shared_.carried[buffer], kWarpThreads + kStagers);
    fence_barrier_init();
  }

  // A stage's items and flags, from the first place of the tile on.
  SCANTUNE_DEVICE Item* items_in(u32 stage) const {
    constexpr u32 kBefore = Problem::kComparesNeighbours ? kVectorAlignmentBytes : 0;
    return reinterpret_cast<Item*>(shared_.stages[stage] + kBefore);
  }
  SCANTUNE_DEVICE const Flag* flags() const { return arguments_.operand<const Flag>(OperandRole::flags); }
  SCANTUNE_DEVICE Flag* flags_in(u32 stage, const Tile& tile) const {
    const u64 address = reinterpret_cast<u64>(flags()) + static_cast<u64>(tile.first()) * sizeof(Flag);
    return reinterpret_cast<Flag*>(shared_.stages[stage] + kItemBytes + address % kVectorAlignmentBytes);
  }

  // ---- the warp that loads ----

  SCANTUNE_DEVICE void load() {
    auto* const header = static_cast<WorkspaceHeader*>(arguments_.workspace);
    const auto draw = [&] { return lane_ == 0 ? fetch_add(&header->ticket, 1) : 0; };
    u32 drawn = draw();
    if (lane_ == 0) shared_.epoch = Status::read_epoch(header);
    Slot slot;
    for (bool more = true; more; slot.next()) {
      const u32 index = scantune::shuffle_index(drawn, 0);
      more = index < tiles_;
      // The ticket is drawn one tile ahead, so that its latency overlaps with the wait.
      if (more) drawn = draw();
      barrier_wait(&shared_.counted[slot.stage()], slot.phase() ^ 1);  // of the tile that was there before
      load_tile(slot.stage(), more ? index : kNoTile);
    }
    if (lane_ == 0) Status(header, shared_.epoch).leave(block_count(), tiles_);
  }

  SCANTUNE_DEVICE void load_tile(u32 stage, u32 index) {
    Barrier* const loaded = &shared_.loaded[stage];
    if (lane_ == 0) shared_.loaded_index[stage] = index;
    if (index == kNoTile) return barrier_arrive(loaded);
    const Tile tile(shared_.tiles[0], arguments_, index);
    const auto part_of = [&]<class T>(const T* array, bool with_one_before, T* staged) {
      const i32 begin = static_cast<i32>(tile.begin()), end = static_cast<i32>(tile.end());
      return StagedArray<T>(array, arguments_.n, tile.first(), begin - (with_one_before && begin < end ? 1 : 0), end,
                            staged);
    };
    if constexpr (kItemBytes > 0 && kRequest.reads_flags()) {
      load_arrays(loaded, part_of(Problem::input(arguments_), false, items_in(stage)),
                  part_of(flags(), false, flags_in(stage, tile)));
    } else if constexpr (kItemBytes > 0) {
      load_arrays(loaded,
                  part_of(Problem::input(arguments_), Problem::kComparesNeighbours && index > 0, items_in(stage)));
    } else {
      load_arrays(loaded, part_of(flags(), false, flags_in(stage, tile)));
    }
  }

  SCANTUNE_DEVICE void load_arrays(Barrier* loaded, const auto&... arrays) {
    (arrays.load_ends(lane_), ...);
    if (lane_ != 0) return barrier_arrive(loaded);
    barrier_arrive_expecting(loaded, (arrays.bulk_bytes() + ...));
    (arrays.load_in_bulk(loaded), ...);
  }

  // ---- the warps that decide, compact and store ----

  SCANTUNE_DEVICE void select() {
    Slot slot;
    Buffer staging, storing;
    bool more = true;  // tiles to compact
    for (int ahead = 0; more || ahead > 0;) {
      if (more) {
        more = compact(slot, staging.stage());
        slot.next();
        staging.next();
        ahead += more;
      }
      if (ahead <= (more ? kConfig.look_ahead : 0)) continue;
      store(storing);
      storing.next();
      --ahead;
    }
  }

  // Returns false after the last tile, when all have compacted.
  SCANTUNE_DEVICE bool compact(const Slot& slot, u32 buffer) {
    const u32 stage = slot.stage();
    Barrier* const counted = &shared_.counted[stage];
    barrier_wait(&shared_.loaded[stage], slot.phase());
    const u32 index = shared_.loaded_index[stage];
    if (thread_rank() == 0) shared_.counted_index[buffer] = index;
    if (index == kNoTile) {
      barrier_arrive(counted);
      barrier_wait(counted, slot.phase());
      return false;
    }

    // Decide and count.
    Tile tile(shared_.tiles[buffer], arguments_, index);
    tile.decide_in_shared(items_in(stage), flags_in(stage, tile));
    tile.count_in_warps();
    barrier_arrive(counted);
    barrier_wait(counted, slot.phase());
    tile.add_up_warps();

    // Publish the counts, and put the items together.
    if (thread_rank() == 0) {
      Published counts = tile.counted(0);
      if constexpr (kCounted > 1) counts |= static_cast<Published>(tile.counted(1)) << 32;
      Status(arguments_.workspace, shared_.epoch).publish(index, TileFlag::aggregate, counts);
    }
    tile.stage();
    if constexpr (kStagers > 0) barrier_arrive(&shared_.carried[buffer]);
    return true;
  }

  SCANTUNE_DEVICE void store(const Buffer& buffer) {
    barrier_wait(&shared_.carried[buffer.stage()], buffer.phase());
    const ToStore& stored = shared_.to_store[buffer.stage()];
    Tile(shared_.tiles[buffer.stage()], arguments_, stored.index, stored.counted).store(stored.before, {});
  }

  // ---- the warp that looks back ----

  SCANTUNE_DEVICE void look_back() {
    Counts before{};  // in the tiles [0, first)
    u32 first = 0;
    Buffer buffer;
    for (Slot slot;; slot.next(), buffer.next()) {
      barrier_wait(&shared_.counted[slot.stage()], slot.phase());
      const u32 index = shared_.counted_index[buffer.stage()];
      if (index == kNoTile) return;
      const Tile tile(shared_.tiles[buffer.stage()], arguments_, index);
      u32 counted[kCounted];
#pragma unroll
      for (int part = 0; part < kCounted; ++part) counted[part] = tile.count_of_warps(part);

      // Add up the counts of the tiles since this CTA's own last one.
      // These may be more than 32 bits count where others had all the GPU when this CTA began.
      while (first < index) {
        const u32 last = index - first < kTilesAtOnce ? index : first + kTilesAtOnce;
        add(before, counts_of(first, last));
        first = last;
      }
      if (lane_ == 0) {
        ToStore& stored = shared_.to_store[buffer.stage()];
        stored.before = before;
        stored.index = index;
#pragma unroll
        for (int part = 0; part < kCounted; ++part) stored.counted[part] = counted[part];
      }
      barrier_arrive(&shared_.carried[buffer.stage()]);
#pragma unroll
      for (int part = 0; part < kCounted; ++part) before.of[part] += counted[part];
      first = index + 1;
      if (index == tiles_ - 1 && lane_ == 0) scantune::store_counts<typename Problem::Count>(arguments_, before);
    }
  }

  // The counts of the tiles [first, last).
  SCANTUNE_DEVICE Published counts_of(u32 first, u32 last) {
    using Gathered = GatheredAggregates<OperatorOf<Published, Operator::sum>, false, kConfig.window,
                                        kConfig.poll_delay_ns, Published, kConfig.status_layout>;
    return Gathered::gather(Status(arguments_.workspace, shared_.epoch), first, last, lane_);
  }
  SCANTUNE_DEVICE static void add(Counts& before, Published counts) {
    before.of[0] += static_cast<u32>(counts);
    if constexpr (kCounted > 1) before.of[1] += counts >> 32;
  }

  Shared& shared_;
  const KernelArguments& arguments_;
  const u32 tiles_;
  const u32 lane_;
};

template <class Problem, SelectRingConfig kConfig>
SCANTUNE_DEVICE void select_ring(const KernelArguments& arguments) {
  using Ring = SelectRing<Problem, kConfig>;
  Ring(shared_memory<typename Ring::Shared>(), arguments).run();
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                         \
  SCANTUNE_KERNEL(select_ring, ::scantune::Family<::scantune::SelectRingConfig>::all_threads(kConfig), \
                  kConfig.ctas_per_sm) {                                                               \
    ::scantune::select_ring<Problem, kConfig>(arguments);                                              \
  }
