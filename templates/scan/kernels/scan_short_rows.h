#pragma once

#include "core/parts/begin_kernel.h"
#include "core/parts/run_scan.h"
#include "core/parts/store_run.h"
#include "scan/config/scan_short_rows.h"
#include "scan/parts/load_run.h"
#include "scan/parts/segmented_scan.h"
#include "scan/parts/strided_walk.h"

namespace scantune {

// The contiguous rows of one CTA. A thread's items may belong to several of them.
template <class Problem, ScanShortRowsConfig kConfig>
class RowTile {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;
  static constexpr int kThreads = kConfig.block_threads;
  static constexpr u32 kItems = kConfig.items_per_thread;
  static constexpr u32 kTileItems = kThreads * kItems;
  static constexpr u32 kWarps = kThreads / kWarpThreads;
  static constexpr u64 kFirstItem = Problem::kFirstTile * kTileItems;
  // A built-in operator may combine values past the tile's items: no result includes them.
  static constexpr bool kLeavesOut = is_custom(Problem::kRequest.op);
  using Run = RunScan<Problem, static_cast<int>(kItems)>;
  // Whether a thread's items are whole vectors.
  static constexpr bool holds_vectors(u64 item_bytes) {
    return kVectorAlignmentBytes % item_bytes == 0 && kItems * item_bytes % kVectorAlignmentBytes == 0;
  }
  // Whole vectors of global memory need no detour through shared memory.
  static constexpr bool kByVectors = kConfig.whole_runs && Problem::kRequest.variant == Variant::aligned &&
                                     !Problem::kStrided && holds_vectors(sizeof(Input)) &&
                                     holds_vectors(sizeof(Output));
  static constexpr u32 kVectorWords = kVectorAlignmentBytes / sizeof(u32);
  template <class Item>
  static constexpr u32 kVectors = kItems * sizeof(Item) / kVectorAlignmentBytes;
  template <class Item>
  struct alignas(kVectorAlignmentBytes) Vector : Words<Item, kVectorAlignmentBytes / sizeof(Item)> {};
  // A thread's items, by the largest pieces of shared memory that all of them are cut into.
  static constexpr u64 piece_bytes(u64 item_bytes) {
    const u64 bytes = kItems * item_bytes;
    return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4;
  }
  template <class Item>
  struct alignas(piece_bytes(sizeof(Item))) Pieces : Words<Item, static_cast<int>(kItems)> {};

 public:
  struct alignas(16) Shared {
    T totals[kWarpThreads];    // of each warp, from the last start in it on
    u32 starts[kWarpThreads];  // whether a row starts in the warp
    alignas(16) unsigned char items[(kTileItems * sizeof(Input) + 16 > kTileItems * sizeof(Output)
                                         ? kTileItems * sizeof(Input) + 16
                                         : kTileItems * sizeof(Output))];
  };

  SCANTUNE_DEVICE RowTile(Shared& shared, const KernelArguments& arguments)
      : shared_(shared),
        arguments_(arguments),
        row_items_(static_cast<u32>(arguments.extents[0])),
        warp_(thread_rank() / kWarpThreads),
        lane_(thread_rank() % kWarpThreads) {
    const u64 most = arguments.extents[1];
    first_ = kFirstItem + block_rank() * most;
    const u64 left = arguments.n - first_;
    items_ = static_cast<u32>(left < most ? left : most);
    place_ = thread_rank() * kItems;
    mine_ = place_ >= items_ ? 0 : items_ - place_ < kItems ? items_ - place_ : kItems;
    column_ = place_ % row_items_;
  }

  SCANTUNE_DEVICE void scan() {
    if constexpr (kConfig.whole_runs)
      scan_runs();
    else
      scan_items();
  }

 private:
  // Scans rows of any length.
  SCANTUNE_DEVICE void scan_items() {
    const Input* const tile = load();
#pragma unroll
    for (u32 item = 0; item < kItems; ++item)
      if (!kLeavesOut || item < mine_) values_[item] = scantune::convert<T>(tile[place_ + item]);

    // Combine this thread's items, starting again at every start of a row.
    const T init = Problem::init(arguments_);
    T total;
    walk(init, total, false, [](u32, T) {});
    T before = before_thread(total, mine_ > 0 && (column_ == 0 || column_ + mine_ > row_items_));

    // Combine every item with what comes before it in its row, and put the results in place of the items.
    Output* const results = reinterpret_cast<Output*>(shared_.items) + place_;
    walk(init, before, column_ != 0, [&](u32 item, T result) { results[item] = scantune::convert<Output>(result); });
    sync_warp();
    store();
  }

  // Scans rows that are whole runs of the threads: all items of a thread exist, and only the first may start a row.
  SCANTUNE_DEVICE void scan_runs() {
    const Words<Input, kItems> run = load_run();
    const bool starts = mine_ > 0 && column_ == 0;
    T init, total;
    if (mine_ > 0) {
      total = Run::reduce(run);
      if (Problem::kHasInit && starts) {
        init = Problem::init_of(arguments_, (first_ + place_) / row_items_, ceil_div(arguments_.n, u64{row_items_}));
        total = Op::combine(init, total);
      }
    }
    const T before = before_thread(total, starts);
    typename Run::Carry carry = Run::carry_of(starts ? init : before, Problem::kHasInit || !starts);
    if (mine_ > 0) put_run(Run::scan(run, carry));
    if constexpr (!kByVectors) {
      sync_warp();
      store();
    }
  }

  // Returns the thread's items, if it has any.
  SCANTUNE_DEVICE Words<Input, kItems> load_run() {
    Words<Input, kItems> run = {};
    if constexpr (kByVectors) {
      const auto from = scantune::vectors_of<const Vector<Input>>(Problem::input(arguments_) + (first_ + place_));
#pragma unroll
      for (u32 v = 0; v < kVectors<Input>; ++v) {
        Vector<Input> vector;
        if (mine_ > 0) vector = scantune::load_global<kConfig.load_hint>(from + v);
        scantune::copy_bytes(run.words + v * kVectorWords, __builtin_addressof(vector), sizeof vector);
      }
    } else {
      const Input* const from = load() + place_;
      if (mine_ == 0) return run;
      if (reinterpret_cast<u64>(from) % alignof(Pieces<Input>) == 0)
        return *reinterpret_cast<const Pieces<Input>*>(from);
      Input items[kItems];
#pragma unroll
      for (u32 item = 0; item < kItems; ++item) items[item] = from[item];
      run = scantune::words_of(items);
    }
    return run;
  }

  // Stores the thread's results, or puts them in place of the items.
  SCANTUNE_DEVICE void put_run(const Words<Output, kItems>& run) {
    if constexpr (kByVectors) {
      const auto to = scantune::vectors_of<Vector<Output>>(Problem::output(arguments_) + (first_ + place_));
#pragma unroll
      for (u32 v = 0; v < kVectors<Output>; ++v) {
        Vector<Output> vector;
        scantune::copy_bytes(__builtin_addressof(vector), run.words + v * kVectorWords, sizeof vector);
        scantune::store_global<kConfig.store_hint>(to + v, vector);
      }
    } else {
      reinterpret_cast<Pieces<Output>&>(reinterpret_cast<Output*>(shared_.items)[place_]) = {run};
    }
  }

  // The places of every step-th item of the tile.
  SCANTUNE_DEVICE StridedWalk walk_of(const Strides& strides, u32 item, u32 step) const {
    const u64 first_row = kFirstItem == 0 ? u64{block_rank()} * (static_cast<u32>(arguments_.extents[1]) / row_items_)
                                          : first_ / row_items_;
    return {strides, arguments_.layout.plane_sequences, row_items_, first_row, item, step};
  }

  SCANTUNE_DEVICE const Input* load_apart() {
    const auto from = Problem::input(arguments_);
    StridedWalk walk = walk_of(arguments_.layout.input, thread_rank(), kThreads);
    Input held[kItems];
#pragma unroll
    for (u32 turn = 0; turn < kItems; ++turn) {
      if (turn * kThreads + thread_rank() < items_)
        held[turn] = scantune::load_global<kConfig.load_hint>(from + walk.place());
      walk.next();
    }
    Input* const to = reinterpret_cast<Input*>(shared_.items);
#pragma unroll
    for (u32 turn = 0; turn < kItems; ++turn)
      if (const u32 item = turn * kThreads + thread_rank(); item < items_) to[item] = held[turn];
    return to;
  }

  // Returns the address of the tile when all threads have loaded it.
  SCANTUNE_DEVICE const Input* load() {
    const Input* tile;
    const auto from = Problem::input(arguments_) + first_;
    if constexpr (Problem::kStrided)
      tile = load_apart();
    else if constexpr (loads_tiles_by_vectors(Problem::kRequest))
      tile = scantune::load_run_by_vectors<kConfig.load_hint, kThreads, kTileItems>(shared_.items, from, items_);
    else
      tile = scantune::load_run_itemwise<kConfig.load_hint, kThreads>(shared_.items, from, items_);
    sync_block();
    return tile;
  }

  // Walks over this thread's items, and begins again at every start of a row. carry: the prefix of the first item, if
  // it exists; after the walk, the prefix of the next thread.
  template <class Visit>
  SCANTUNE_DEVICE void walk(T init, T& carry, bool exists, const Visit& visit) const {
    u32 start = column_ == 0 ? 0 : row_items_ - column_;
    u64 row = 0;  // the next that starts, where that matters
    if constexpr (Problem::kInitOfEach) row = first_ / row_items_ + ceil_div(place_, row_items_);
#pragma unroll
    for (u32 item = 0; item < kItems; ++item) {
      if (kLeavesOut && item >= mine_) continue;
      const bool starts = item == start;
      if (starts) start += row_items_;
      if (Problem::kHasInit && starts) carry = init;
      if constexpr (Problem::kInitOfEach)
        if (starts && item < mine_)
          carry = Problem::init_of(arguments_, row++, ceil_div(arguments_.n, u64{row_items_}));
      const bool has_before = starts ? Problem::kHasInit : item > 0 || exists;
      const T before = carry;
      carry = values_[item];
      if (has_before) carry = Op::combine(before, carry);
      visit(item, Problem::kExclusive ? before : carry);
    }
  }

  // Returns the prefix of this thread in its row, if the row began in another thread. total: the thread's total since
  // the last start of a row in it. It includes a barrier, after which results may replace the items.
  SCANTUNE_DEVICE T before_thread(T total, bool starts) {
    const u32 starting = ballot(~0u, starts);
    const T through = scantune::segmented_warp_scan<Op>(total, starting, lane_, mine_ > 0);
    const T before_lane = scantune::shuffle_up(through, 1);
    if (lane_ == kWarpThreads - 1) {
      shared_.totals[warp_] = through;
      shared_.starts[warp_] = starting;
    }
    sync_block();

    // Each warp scans what the warps pass, from the last start in them on.
    const bool passes = lane_ < kWarps && (lane_ + 1) * kWarpThreads * kItems - kItems < items_;
    T passed;
    if (passes) passed = shared_.totals[lane_];
    const u32 warps_with_starts = ballot(~0u, passes && shared_.starts[lane_] != 0);
    passed = scantune::segmented_warp_scan<Op, kWarps>(passed, warps_with_starts, lane_, passes);
    const T before_warp = scantune::shuffle_index(passed, warp_ == 0 ? 0 : warp_ - 1);

    const bool starts_in_warp = (starting & ((1u << lane_) - 1)) != 0;
    if (mine_ == 0 || column_ == 0 || warp_ == 0 || starts_in_warp) return before_lane;
    return lane_ == 0 ? before_warp : Op::combine(before_warp, before_lane);
  }

  // Stores what the threads of this warp have put into the tile.
  SCANTUNE_DEVICE void store() const {
    constexpr u32 kWarpItems = kWarpThreads * kItems;
    const u32 first = warp_ * kWarpItems;
    if (first >= items_) return;
    const u32 items = items_ - first < kWarpItems ? items_ - first : kWarpItems;
    const auto to = Problem::output(arguments_) + first_ + first;
    const Output* const from = reinterpret_cast<const Output*>(shared_.items) + first;
    if constexpr (Problem::kStrided) {
      StridedWalk walk = walk_of(arguments_.layout.output, first + lane_, kWarpThreads);
      for (u32 item = lane_; item < items; item += kWarpThreads, walk.next())
        scantune::store_global<kConfig.store_hint>(Problem::output(arguments_) + walk.place(), from[item]);
    } else if constexpr (kVectorAlignmentBytes % sizeof(Output) == 0) {
      scantune::store_run<kConfig.store_hint>(to, from, items, lane_);
    } else {
      scantune::store_itemwise<kConfig.store_hint>(to, from, items, lane_);
    }
  }

  Shared& shared_;
  const KernelArguments& arguments_;
  const u32 row_items_;
  const u32 warp_, lane_;
  u64 first_;   // item of the tile
  u32 items_;   // of the tile
  u32 place_;   // of this thread's first item in the tile
  u32 mine_;    // items of this thread
  u32 column_;  // place of this thread's first item in its row
  T values_[kItems];
};

template <class Problem, ScanShortRowsConfig kConfig>
SCANTUNE_DEVICE void scan_short_rows(const KernelArguments& arguments) {
  using Tile = RowTile<Problem, kConfig>;
  static_assert(sizeof(typename Tile::Shared) <= shared_bytes(kConfig, Problem::kRequest));
  begin_kernel<kConfig.pdl>();
  Tile(shared_memory<typename Tile::Shared>(), arguments).scan();
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                 \
  SCANTUNE_KERNEL(scan_short_rows, kConfig.block_threads, 1) { \
    ::scantune::scan_short_rows<Problem, kConfig>(arguments);  \
  }
