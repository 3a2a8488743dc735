#pragma once

#include "config/pipelined.h"
#include "primitives/tile_scan.h"
#include "primitives/tile_status.h"
#include "primitives/warp_scan.h"

namespace scantune {

// The tiles of one scan, cut so that the bulk copies of every tile start on a vector boundary of the input.
//
// Items before the first boundary (the head) and after the last whole vector (the tail of the last tile) are copied one
// by one, and so are all whose alignment lets them lie across every boundary. The output of a tile is stored in bulk if
// it is aligned like its input.
template <class Problem, PipelinedConfig kConfig>
class Tiling {
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;
  static constexpr bool kAligned = Problem::kRequest.alignment_bytes >= kVectorAlignmentBytes;

 public:
  static constexpr u32 kTileItems = Family<PipelinedConfig>::tile_items(kConfig, Problem::kRequest);

  SCANTUNE_DEVICE explicit Tiling(const KernelArguments& arguments)
      : input_(static_cast<const Input*>(arguments.input)), output_(static_cast<Output*>(arguments.output)) {
    if constexpr (!kAligned) {
      const u32 bytes_before = static_cast<u32>(-reinterpret_cast<u64>(input_) % kVectorAlignmentBytes);
      loads_in_bulk_ = alignof(Input) == sizeof(Input) || bytes_before % sizeof(Input) == 0;
      head_ = loads_in_bulk_ ? bytes_before / sizeof(Input) : 0;
      same_alignment_ = reinterpret_cast<u64>(output_ + head_) % kVectorAlignmentBytes == 0;
    }
    items_ = arguments.n - first(0);
    tiles_ = static_cast<u32>((items_ + kTileItems - 1) / kTileItems);
  }

  SCANTUNE_DEVICE u32 tiles() const { return tiles_; }
  SCANTUNE_DEVICE u32 head() const { return head_; }
  SCANTUNE_DEVICE bool loads_in_bulk() const { return loads_in_bulk_; }
  SCANTUNE_DEVICE bool stores_in_bulk() const { return same_alignment_; }
  SCANTUNE_DEVICE const Input* head_input() const { return input_; }
  SCANTUNE_DEVICE Output* head_output() const { return output_; }
  SCANTUNE_DEVICE const Input* input(u32 tile) const { return input_ + first(tile); }
  SCANTUNE_DEVICE Output* output(u32 tile) const { return output_ + first(tile); }

  // Items of a tile: kTileItems but for the last.
  SCANTUNE_DEVICE u32 items(u32 tile) const {
    const u64 left = items_ - static_cast<u64>(tile) * kTileItems;
    return left < kTileItems ? static_cast<u32>(left) : kTileItems;
  }

 private:
  SCANTUNE_DEVICE u64 first(u32 tile) const { return head_ + (Problem::kFirstTile + tile) * kTileItems; }

  const Input* const input_;
  Output* const output_;
  u32 head_ = 0;
  bool loads_in_bulk_ = true;
  bool same_alignment_ = true;
  u64 items_;  // from the first tile on
  u32 tiles_;
};

template <class Problem, PipelinedConfig kConfig>
class Pipeline {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;
  using Status = TileStatus<T, kConfig.status_layout>;

  static constexpr int kWarps = kConfig.consumer_warps;
  static constexpr int kThreads = consumer_threads(kConfig);
  static constexpr int kVectors = kConfig.vectors_per_thread;
  static constexpr int kStages = kConfig.stages;
  static constexpr u32 kVectorItems = kVectorAlignmentBytes / sizeof(Input);
  static constexpr u32 kThreadItems = kVectors * kVectorItems;
  static constexpr u32 kWarpItems = kWarpThreads * kThreadItems;
  static constexpr u32 kTileItems = kThreads * kThreadItems;
  static constexpr u32 kNoTile = ~0u;

  template <class Item>
  struct alignas(kVectorAlignmentBytes) Vector {
    Item items[kVectorItems];
  };

 public:
  struct alignas(16) Shared {
    Vector<Input> tiles[kStages][kThreads * kVectors];
    T before_thread[kStages][kThreads];  // in its warp; nothing for lane 0
    T before_warp[kStages][kWarps];  // first a warp's total, then everything in the tile before it; nothing for warp 0
    T carry_in[kStages];             // everything before the tile
    Barrier loaded[kStages];         // the tile and its index are there
    Barrier reduced[kStages];        // so are the totals of all warps
    Barrier carried[kStages];        // so are carry_in and before_warp
    Barrier scanned[kStages];        // so are the results, in place of the items
    u32 tile_index[kStages];
    u32 tile_before[kStages];  // the CTA's tile before it
    u32 epoch;
  };

  SCANTUNE_DEVICE Pipeline(Shared& shared, const KernelArguments& arguments)
      : shared_(shared), arguments_(arguments), tiling_(arguments), lane_(thread_rank() % kWarpThreads) {}

  SCANTUNE_DEVICE void run() {
    if (thread_rank() == 0) init_barriers();
    sync_block();
    begin_kernel<kConfig.pdl != 0>();
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
      if (warp == 0) Status(arguments_.workspace, kLastEpoch).wrap(block_count(), tiling_.tiles(), lane_);
    }
  }

 private:
  // A CTA's i-th tile lies in stage i % kStages; the barriers' phases flip from one round of the ring to the next.
  class Slot {
   public:
    SCANTUNE_DEVICE void next() {
      if (++stage_ == kStages) {
        stage_ = 0;
        phase_ ^= 1;
      }
    }
    SCANTUNE_DEVICE u32 stage() const { return stage_; }
    SCANTUNE_DEVICE u32 phase() const { return phase_; }

   private:
    u32 stage_ = 0;
    u32 phase_ = 0;
  };

  SCANTUNE_DEVICE void init_barriers() {
    for (int stage = 0; stage < kStages; ++stage) {
      barrier_init(&shared_.loaded[stage], 1);
      barrier_init(&shared_.reduced[stage], kWarps);
      barrier_init(&shared_.carried[stage], 2);
      barrier_init(&shared_.scanned[stage], kWarps);
    }
    fence_barrier_init();
  }

  SCANTUNE_DEVICE bool has_carry(u32 tile) const { return tile > 0 || Problem::kHasInit || tiling_.head() > 0; }

  // Waits until the slot's tile is loaded. Returns its index, or kNoTile behind the last.
  SCANTUNE_DEVICE u32 wait_for_tile(const Slot& slot) {
    barrier_wait(&shared_.loaded[slot.stage()], slot.phase());
    return shared_.tile_index[slot.stage()];
  }

  // ---- the warp that loads and stores ----

  SCANTUNE_DEVICE void load_and_store() {
    auto* const header = static_cast<WorkspaceHeader*>(arguments_.workspace);
    const auto draw = [&] { return lane_ == 0 ? fetch_add(&header->ticket, 1) : 0; };
    u32 drawn = draw();
    if (lane_ == 0) shared_.epoch = Status::read_epoch(header);

    Slot loading, storing;
    bool more = true;
    u32 loaded = 0;
    const auto load_next = [&] {
      const u32 tile = scantune::shuffle_index(drawn, 0);
      more = tile < tiling_.tiles();
      loaded += more;
      // Drawn one ahead, so that its latency hides behind the copy.
      if (more) drawn = draw();
      load(loading.stage(), more ? tile : kNoTile);
      loading.next();
      if (!more && lane_ == 0) Status(header, shared_.epoch).leave(block_count(), tiling_.tiles());
    };
    for (int stage = 0; stage < kStages && more; ++stage) load_next();
    for (u32 stored = 0; stored < loaded; ++stored) {
      barrier_wait(&shared_.scanned[storing.stage()], storing.phase());
      store(storing.stage());
      storing.next();
      // The stage of an older store is free once that has been read.
      if (!more || stored < kConfig.refill_distance) continue;
      if (lane_ == 0) bulk_wait_read<kConfig.refill_distance>();
      sync_warp();
      load_next();
    }
    // Every warp that looks back waits for a tile of its own.
    for (int warp = 1; warp < kConfig.look_back_warps; ++warp) {
      load(loading.stage(), kNoTile);
      loading.next();
    }
    if (lane_ == 0) bulk_wait();
  }

  SCANTUNE_DEVICE void load(u32 stage, u32 tile) {
    Barrier* const loaded = &shared_.loaded[stage];
    if (lane_ == 0) {
      shared_.tile_index[stage] = tile;
      shared_.tile_before[stage] = tile_before_;
    }
    tile_before_ = tile;
    if (tile == kNoTile) {
      if (lane_ == 0) barrier_arrive(loaded);
      return;
    }
    const u32 items = tiling_.items(tile), whole = tiling_.loads_in_bulk() ? items / kVectorItems * kVectorItems : 0;
    const Input* const from = tiling_.input(tile);
    Input* const to = shared_.tiles[stage][0].items;
    for (u32 item = whole + lane_; item < items; item += kWarpThreads)
      to[item] = scantune::load_global<CacheHint::normal>(from + item);
    sync_warp();
    if (lane_ != 0) return;
    barrier_arrive_expecting(loaded, whole * sizeof(Input));
    if (whole > 0) bulk_load(to, from, whole * sizeof(Input), loaded);
  }

  SCANTUNE_DEVICE void store(u32 stage) {
    const u32 tile = shared_.tile_index[stage], items = tiling_.items(tile);
    Output* const to = tiling_.output(tile);
    const Output* const from = reinterpret_cast<const Output*>(shared_.tiles[stage]);
    const u32 whole = tiling_.stores_in_bulk() ? items / kVectorItems * kVectorItems : 0;
    if (lane_ == 0) {
      if (whole > 0) bulk_store(to, from, whole * sizeof(Output));
      bulk_commit();
    }
    for (u32 item = whole + lane_; item < items; item += kWarpThreads)
      scantune::store_global<CacheHint::normal>(to + item, from[item]);
  }

  // ---- the warps that reduce and scan ----

  // Keeps look_ahead tiles reduced beyond the one to be scanned next, and more where that one still waits for its
  // carry-in: others may be waiting for just these aggregates.
  SCANTUNE_DEVICE void consume(u32 warp) {
    Slot reducing, scanning;
    u32 ahead = 0;     // tiles reduced and not scanned
    bool more = true;  // tiles to reduce
    while (more || ahead > 0) {
      const bool wants_more = more && ahead <= kConfig.look_ahead;
      if (!wants_more && try_scan(scanning, warp)) {
        --ahead;
      } else if (more && all_lanes(barrier_test(&shared_.loaded[reducing.stage()], reducing.phase()))) {
        more = reduce(reducing, warp);
        ahead += more;
      } else if (wants_more && ahead > 0 && try_scan(scanning, warp)) {
        --ahead;
      }
    }
  }

  // Scans the slot's tile if its carry-in is there.
  SCANTUNE_DEVICE bool try_scan(Slot& slot, u32 warp) {
    const u32 stage = slot.stage();
    if (!all_lanes(barrier_test(&shared_.carried[stage], slot.phase()))) return false;
    const u32 tile = shared_.tile_index[stage];
    if (tiling_.items(tile) == kTileItems) {
      scan<true>(stage, tile, warp);
    } else {
      scan<false>(stage, tile, warp);
    }
    fence_shared_for_bulk();
    sync_warp();
    if (lane_ == 0) barrier_arrive(&shared_.scanned[stage]);
    slot.next();
    return true;
  }

  // Leaves what lies before each thread in its warp, and the total of the warp. False behind the last tile.
  SCANTUNE_DEVICE bool reduce(Slot& slot, u32 warp) {
    const u32 stage = slot.stage(), tile = shared_.tile_index[stage];
    if (tile == kNoTile) return false;
    if (const u32 items = tiling_.items(tile); items == kTileItems) {
      reduce_tile<true>(stage, warp, kTileItems);
    } else {
      reduce_tile<false>(stage, warp, items);
    }
    sync_warp();
    if (lane_ == 0) barrier_arrive(&shared_.reduced[stage]);
    slot.next();
    return true;
  }

  template <bool kFull>
  SCANTUNE_DEVICE void reduce_tile(u32 stage, u32 warp, u32 tile_items) {
    const u32 thread = warp * kWarpThreads + lane_, first = thread * kThreadItems;
    T total;
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const Vector<Input> vector = shared_.tiles[stage][thread * kVectors + v];
#pragma unroll
      for (u32 item = 0; item < kVectorItems; ++item) {
        const T value = scantune::convert<T>(vector.items[item]);
        if (v == 0 && item == 0) {
          total = value;
        } else if (kFull || first + v * kVectorItems + item < tile_items) {
          total = Op::combine(total, value);
        }
      }
    }
    const u32 lanes = kFull ? kWarpThreads : valid_lanes(warp, tile_items);
    const T inclusive =
        scantune::warp_inclusive_scan<WarpScan::kogge_stone, Op>(total, lane_, lanes, static_cast<T*>(nullptr));
    const T before = scantune::shuffle_up(inclusive, 1);
    if (lane_ > 0 && lane_ < lanes) shared_.before_thread[stage][thread] = before;
    if (lane_ + 1 == lanes) shared_.before_warp[stage][warp] = inclusive;
  }

  SCANTUNE_DEVICE u32 valid_lanes(u32 warp, u32 tile_items) const {
    if (warp * kWarpItems >= tile_items) return 0;
    const u32 lanes = ceil_div(tile_items - warp * kWarpItems, kThreadItems);
    return lanes < kWarpThreads ? lanes : kWarpThreads;
  }

  // Puts the results in place of the items.
  template <bool kFull>
  SCANTUNE_DEVICE void scan(u32 stage, u32 tile, u32 warp) {
    const u32 thread = warp * kWarpThreads + lane_, first = thread * kThreadItems;
    const u32 tile_items = kFull ? kTileItems : tiling_.items(tile);
    if (!kFull && first >= tile_items) return;

    // What lies before this thread.
    bool has_prefix = has_carry(tile);
    T prefix;
    if (has_prefix) prefix = shared_.carry_in[stage];
    if (warp > 0)
      prefix = has_prefix ? Op::combine(prefix, shared_.before_warp[stage][warp]) : shared_.before_warp[stage][warp];
    has_prefix |= warp > 0;
    if (lane_ > 0)
      prefix =
          has_prefix ? Op::combine(prefix, shared_.before_thread[stage][thread]) : shared_.before_thread[stage][thread];
    has_prefix |= lane_ > 0;

#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      Vector<Input>& place = shared_.tiles[stage][thread * kVectors + v];
      const Vector<Input> vector = place;
      Vector<Output> results;
#pragma unroll
      for (u32 item = 0; item < kVectorItems; ++item) {
        const T value = scantune::convert<T>(vector.items[item]);
        const T before = prefix;
        if (kFull || first + v * kVectorItems + item < tile_items)
          prefix = has_prefix || v > 0 || item > 0 ? Op::combine(prefix, value) : value;
        results.items[item] = scantune::convert<Output>(Problem::kExclusive ? before : prefix);
      }
      reinterpret_cast<Vector<Output>&>(place) = results;
    }
  }

  // ---- the warp that publishes ----

  SCANTUNE_DEVICE void publish() {
    for (Slot slot;; slot.next()) {
      const u32 stage = slot.stage(), tile = wait_for_tile(slot);
      if (tile == kNoTile) return;
      barrier_wait(&shared_.reduced[stage], slot.phase());

      // Scan the totals of the warps.
      const u32 warps = ceil_div(tiling_.items(tile), kWarpItems);
      T total;
      if (lane_ < warps) total = shared_.before_warp[stage][lane_];
      const T inclusive =
          scantune::warp_inclusive_scan<WarpScan::kogge_stone, Op>(total, lane_, warps, static_cast<T*>(nullptr));
      const T before = scantune::shuffle_up(inclusive, 1);
      T aggregate = scantune::shuffle_index(inclusive, warps - 1);

      // Publish the aggregate; that of tile 0 holds all that comes before it.
      if (lane_ == 0) {
        if (tile == 0 && has_carry(0)) aggregate = Op::combine(shared_.carry_in[stage] = scan_head(), aggregate);
        Status(arguments_.workspace, shared_.epoch).publish(tile, TileFlag::aggregate, aggregate);
      }
      sync_warp();
      if (lane_ > 0 && lane_ < warps) shared_.before_warp[stage][lane_] = before;
      sync_warp();
      if (lane_ == 0) barrier_arrive(&shared_.carried[stage]);
    }
  }

  // Scans the head. Returns what comes before tile 0, where there is anything.
  SCANTUNE_DEVICE T scan_head() {
    T carry = Problem::init(arguments_);
    bool has_carry = Problem::kHasInit;
    for (u32 item = 0; item < tiling_.head(); ++item) {
      const T value = scantune::convert<T>(scantune::load_global<CacheHint::normal>(tiling_.head_input() + item));
      const T before = carry;
      carry = has_carry ? Op::combine(carry, value) : value;
      has_carry = true;
      scantune::store_global<CacheHint::normal>(tiling_.head_output() + item,
                                                scantune::convert<Output>(Problem::kExclusive ? before : carry));
    }
    return carry;
  }

  // ---- the warp that looks back ----

  // Each of these warps takes every kLookBackWarps-th tile of the CTA: what lies between two tiles does not depend on
  // the carry, so only one combination of each tile waits for the tile before.
  SCANTUNE_DEVICE void look_back(u32 warp) {
    Slot slot, before;
    for (u32 skipped = 0; skipped < warp; ++skipped) slot.next();
    for (u32 skipped = 0; skipped + 1 < warp; ++skipped) before.next();
    bool has_before = warp > 0;
    while (true) {
      const u32 stage = slot.stage(), tile = wait_for_tile(slot);
      if (tile == kNoTile) return;
      wait_for_reduction(slot);
      if (tile > 0) {
        T carry = aggregates(has_before ? shared_.tile_before[stage] : 0, tile);
        if (has_before && shared_.tile_before[stage] > 0) {
          barrier_wait(&shared_.carried[before.stage()], before.phase());
          carry = Op::combine(shared_.carry_in[before.stage()], carry);
        }
        if (lane_ == 0) shared_.carry_in[stage] = carry;
      }  // else the publisher knows
      sync_warp();
      if (lane_ == 0) barrier_arrive(&shared_.carried[stage]);
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

  // The combination of the tiles [first, last), of which there is at least one.
  SCANTUNE_DEVICE T aggregates(u32 first, u32 last) {
    constexpr u32 kMostPolls = 8;
    T sum;
    for (u32 from = first; from < last; from += kMostPolls * kWarpThreads) {
      const u32 left = last - from;
      const u32 polls = left < kMostPolls * kWarpThreads ? ceil_div(left, u32{kWarpThreads}) : kMostPolls;
      const T part = scantune::shuffle_index(aggregates_of_lanes<kMostPolls>(from, polls, last), 0);
      sum = from == first ? part : Op::combine(sum, part);
    }
    return sum;
  }

  // Lane 0 gets the combination of the tiles [first, last), at most `polls` for each lane.
  template <u32 kMostPolls>
  SCANTUNE_DEVICE T aggregates_of_lanes(u32 first, u32 polls, u32 last) {
    const Status status(arguments_.workspace, shared_.epoch);
    // Neighbouring lanes look at neighbouring tiles, unless that would spoil the order.
    constexpr bool kInOrder = is_custom(Problem::kRequest.op);
    const u32 mine = kInOrder ? first + lane_ * polls : first + lane_, stride = kInOrder ? 1 : kWarpThreads;
    // Poll all at once, so that their latencies overlap.
    TileDescriptor<T> descriptors[kMostPolls];
#pragma unroll
    for (u32 poll = 0; poll < kMostPolls; ++poll)
      if (poll < polls && mine + poll * stride < last) descriptors[poll] = status.poll(mine + poll * stride);
    T sum;
#pragma unroll
    for (u32 poll = 0; poll < kMostPolls; ++poll) {
      if (poll >= polls || mine + poll * stride >= last) break;
      while (descriptors[poll].flag == TileFlag::none) {
        poll_pause<kConfig.poll_delay_ns>();
        descriptors[poll] = status.poll(mine + poll * stride);
      }
      sum = poll == 0 ? descriptors[poll].value : Op::combine(sum, descriptors[poll].value);
    }
    sync_warp();
    const u32 lanes = kInOrder ? ceil_div(last - first, polls) : last - first;
    return scantune::warp_reduce_ascending<Op>(sum, lane_, lanes < kWarpThreads ? lanes : kWarpThreads);
  }

  Shared& shared_;
  const KernelArguments& arguments_;
  const Tiling<Problem, kConfig> tiling_;
  const u32 lane_;
  u32 tile_before_ = 0;  // loader: the tile it has loaded last
};

template <class Problem, PipelinedConfig kConfig>
SCANTUNE_DEVICE void pipelined_scan(const KernelArguments& arguments) {
  using Pipe = Pipeline<Problem, kConfig>;
  static_assert(sizeof(typename Pipe::Shared) <= shared_bytes(kConfig, Problem::kRequest));
  Pipe(shared_memory<typename Pipe::Shared>(), arguments).run();
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                             \
  SCANTUNE_KERNEL(pipelined_scan, ::scantune::Family<::scantune::PipelinedConfig>::block_threads(kConfig), \
                  kConfig.ctas_per_sm) {                                                                   \
    ::scantune::pipelined_scan<Problem, kConfig>(arguments);                                               \
  }
