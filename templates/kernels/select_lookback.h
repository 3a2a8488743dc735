#pragma once

#include "config/select_lookback.h"
#include "primitives/begin_kernel.h"
#include "primitives/look_back.h"
#include "primitives/select_problem.h"
#include "primitives/store_run.h"
#include "primitives/warp_scan.h"

namespace scantune {

// The items of one tile, row by row: a row is a vector for each lane of a warp, and a warp has its rows one behind the
// other. Only places from begin to end hold items.
template <class Problem, SelectLookbackConfig kConfig>
class SelectTile {
  using Item = typename Problem::Item;
  static constexpr SelectRequest kRequest = Problem::kRequest;
  static constexpr u32 kThreads = kConfig.block_threads;
  static constexpr u32 kWarps = kThreads / kWarpThreads;
  static constexpr int kVectorItems = vector_items(kConfig, kRequest, Problem::kVariant);
  static constexpr int kRows = kConfig.items_per_thread / kVectorItems;
  static constexpr u32 kStagedBytes = staged_bytes(kConfig, kRequest);
  using Sum = OperatorOf<u32, Operator::sum>;

  static constexpr int vector_alignment(int bytes, int alignment) {
    if (kVectorItems == 1) return alignment;
    return kVectorItems * bytes < kVectorAlignmentBytes ? kVectorItems * bytes : kVectorAlignmentBytes;
  }
  // The items of an array that belong to one load of the input.
  template <class T>
  struct alignas(vector_alignment(sizeof(T), alignof(T))) Vector {
    T items[kVectorItems];
  };
  // A thread's part of an array.
  template <class T>
  struct Held {
    T items[kRows][kVectorItems];
  };

 public:
  static constexpr u32 kTileItems = kThreads * kConfig.items_per_thread;
  struct alignas(16) Shared {
    alignas(16) unsigned char staged[kStagedBytes];
    u32 kept_of_warps[kWarpThreads];
    u64 before;  // kept in the tiles before
    u32 tile_index;
    u32 epoch;
  };
  static_assert(sizeof(Shared) == shared_bytes(kConfig, kRequest));

  // Tiles begin on vector boundaries: the first one before the input, if that does not.
  SCANTUNE_DEVICE SelectTile(Shared& shared, const KernelArguments& arguments, u32 index)
      : shared_(shared),
        arguments_(arguments),
        lane_(thread_rank() % kWarpThreads),
        warp_(thread_rank() / kWarpThreads) {
    u32 shift = 0;
    if constexpr (Problem::kVariant == Variant::any && kVectorItems > 1)
      shift = static_cast<u32>(reinterpret_cast<u64>(arguments.input) / sizeof(Item)) % kVectorItems;
    first_ = static_cast<i64>(static_cast<u64>(index) * kTileItems) - shift;
    begin_ = index == 0 ? shift : 0;
    const i64 left = static_cast<i64>(arguments.n) - first_;
    end_ = left < kTileItems ? (left > 0 ? static_cast<u32>(left) : 0) : kTileItems;
  }

  SCANTUNE_DEVICE bool in_first_warp() const { return warp_ == 0; }
  SCANTUNE_DEVICE u32 lane() const { return lane_; }
  SCANTUNE_DEVICE u32 kept() const { return kept_; }

  // Loads the items and decides which are kept.
  SCANTUNE_DEVICE void decide() {
    if constexpr (kRequest.writes_items() || kRequest.criterion != Criterion::flagged)
      items_ = load<Item>(Problem::input(arguments_));
    if constexpr (kRequest.criterion == Criterion::flagged) {
      const Held<u8> flags = load<u8>(static_cast<const u8*>(arguments_.flags));
      keep_where([&](int row, int item) { return flags.items[row][item] != 0; });
    } else if constexpr (Problem::kComparesNeighbours) {
      Item before[kRows];
#pragma unroll
      for (int row = 0; row < kRows; ++row) before[row] = item_before(row);
      keep_where([&](int row, int item) {
        const bool is_first = first_ + static_cast<i64>(place_of(row) + item) == 0;
        return is_first || Problem::differs(item == 0 ? before[row] : items_.items[row][item == 0 ? 0 : item - 1],
                                            items_.items[row][item], arguments_);
      });
    } else {
      keep_where([&](int row, int item) { return Problem::keeps(items_.items[row][item], arguments_); });
    }
  }

  // Counts the kept items before each row of this thread's, and all of the tile. Every thread calls.
  SCANTUNE_DEVICE void count() {
    const u32 of_warp = count_in_warp();
    if (lane_ == 0) shared_.kept_of_warps[warp_] = of_warp;
    sync_block();
    const u32 others = lane_ < kWarps ? shared_.kept_of_warps[lane_] : 0;
    kept_ = scantune::warp_reduce<Sum>(others, lane_);
    const u32 before_warp = scantune::warp_reduce<Sum>(lane_ < warp_ ? others : 0, lane_);
#pragma unroll
    for (int row = 0; row < kRows; ++row) before_[row] += before_warp;
  }

  // Puts the kept items together, and the others behind them where they are kept apart.
  SCANTUNE_DEVICE void stage_items() {
    if constexpr (kRequest.writes_items()) stage<Item>([&](int row, int item) { return items_.items[row][item]; });
  }

  // Stores everything that is written of the tile, given how many items are kept before it. Every thread calls, behind
  // a barrier that comes after stage_items().
  SCANTUNE_DEVICE void store(u64 before) {
    if constexpr (kRequest.writes_items()) {
      store_staged<Item>(static_cast<Item*>(arguments_.output) + before, 0, kept_);
      if constexpr (kRequest.keeps_rejected())
        store_staged<Item>(static_cast<Item*>(arguments_.rejected) + (first_ + begin_ - before), first_rejected(),
                           end_ - begin_ - kept_);
    }
    if constexpr (kRequest.writes_indices()) {
      if constexpr (kRequest.writes_items()) sync_block();
      stage<u32>([&](int row, int item) { return place_of(row) + item; });
      sync_block();
      using Index = typename Problem::Index;
      auto* const to = static_cast<Index*>(kRequest.writes_items() ? arguments_.position : arguments_.output) + before;
      const u32* const places = staged<u32>();
      for (u32 item = thread_rank(); item < kept_; item += kThreads)
        store_global<kConfig.store_hint>(to + item, static_cast<Index>(first_ + places[item]));
    }
    if constexpr (kRequest.has_values()) {
      using Value = typename Problem::Value;
      const Held<Value> values = load<Value>(static_cast<const Value*>(arguments_.values));
      sync_block();
      stage<Value>([&](int row, int item) { return values.items[row][item]; });
      sync_block();
      store_staged<Value>(static_cast<Value*>(arguments_.values_output) + before, 0, kept_);
    }
  }

 private:
  // Where in the tile this thread's vector of a row lies.
  SCANTUNE_DEVICE u32 place_of(int row) const {
    return warp_ * (kWarpThreads * kRows * kVectorItems) + row * (kWarpThreads * kVectorItems) + lane_ * kVectorItems;
  }
  SCANTUNE_DEVICE bool exists(u32 place) const { return place >= begin_ && place < end_; }
  SCANTUNE_DEVICE bool is_full() const { return begin_ == 0 && end_ == kTileItems; }
  // The bits of a row's items.
  SCANTUNE_DEVICE u32 kept_of(int row) const {
    return keep_[row * kVectorItems / 32] >> row * kVectorItems % 32 & ((1u << kVectorItems) - 1);
  }

  // An array beside the items has its vectors where they have theirs, but only in one variant on boundaries.
  template <class T>
  SCANTUNE_DEVICE Held<T> load(const T* array) const {
    constexpr bool kByVectors =
        kVectorItems > 1 && (Problem::kVariant == Variant::aligned || sizeof(T) == sizeof(Item));
    const T* const tile = array + first_;
    Held<T> held;
    if (kByVectors && is_full() && is_on_boundary(tile)) {
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
        const auto vector =
            scantune::load_global<kConfig.load_hint>(reinterpret_cast<const Vector<T>*>(tile + place_of(row)));
        scantune::copy_bytes(held.items[row], &vector, sizeof vector);
      }
    } else {
#pragma unroll
      for (int row = 0; row < kRows; ++row)
#pragma unroll
        for (int item = 0; item < kVectorItems; ++item)
          if (const u32 place = place_of(row) + item; exists(place))
            held.items[row][item] = scantune::load_global<kConfig.load_hint>(tile + place);
    }
    return held;
  }

  // The items' vectors lie on boundaries. Values as wide may lie otherwise.
  template <class T>
  SCANTUNE_DEVICE static bool is_on_boundary(const T* tile) {
    if constexpr (Problem::kVariant == Variant::aligned) return true;
    return reinterpret_cast<u64>(tile) % sizeof(Vector<T>) == 0;
  }

  // The item before this thread's vector of a row: the last one of the lane before, which the first lane has to look
  // up.
  SCANTUNE_DEVICE Item item_before(int row) const {
    const Item last = items_.items[row][kVectorItems - 1];
    Item before = scantune::shuffle_up(last, 1);
    if (row > 0) {
      const Item of_row_before =
          scantune::shuffle_index(items_.items[row == 0 ? 0 : row - 1][kVectorItems - 1], kWarpThreads - 1);
      if (lane_ == 0) before = of_row_before;
    } else if (lane_ == 0) {
      const i64 index = first_ + place_of(0);
      if (index > 0 && index <= static_cast<i64>(arguments_.n))
        before = scantune::load_global<CacheHint::normal>(Problem::input(arguments_) + (index - 1));
    }
    return before;
  }

  // Asks for items that exist, and no others.
  SCANTUNE_DEVICE void keep_where(const auto& keeps) {
#pragma unroll
    for (u32& bits : keep_) bits = 0;
    const auto ask = [&](const auto& may_ask) {
#pragma unroll
      for (int row = 0; row < kRows; ++row)
#pragma unroll
        for (int item = 0; item < kVectorItems; ++item)
          if (may_ask(place_of(row) + item) && keeps(row, item)) {
            const int bit = row * kVectorItems + item;
            keep_[bit / 32] |= 1u << bit % 32;
          }
    };
    if (is_full())
      ask([](u32) { return true; });
    else
      ask([&](u32 place) { return exists(place); });
  }

  // Returns how many items the warp keeps, and counts those before each row of this lane's.
  SCANTUNE_DEVICE u32 count_in_warp() {
    u32 total = 0;
    if constexpr (kVectorItems == 1) {
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
        const u32 votes = ballot(~0u, kept_of(row) != 0);
        before_[row] = total + count_ones(votes & ((1u << lane_) - 1));
        total += count_ones(votes);
      }
    } else {
      // Several rows are counted in the fields of one word, none of which overflows.
      constexpr int kFieldBits = kWarpThreads * kVectorItems < 256 ? 8 : 16, kFields = 32 / kFieldBits;
      constexpr u32 kMask = (1u << kFieldBits) - 1;
#pragma unroll
      for (int first = 0; first < kRows; first += kFields) {
        u32 counts = 0;
#pragma unroll
        for (int row = first; row < kRows && row < first + kFields; ++row)
          counts |= count_ones(kept_of(row)) << ((row - first) * kFieldBits);
        const u32 through = scantune::scan_by_kogge_stone<Sum, kWarpThreads, 2>(counts, static_cast<i32>(lane_));
        const u32 before = through - counts, totals = scantune::shuffle_index(through, kWarpThreads - 1);
#pragma unroll
        for (int row = first; row < kRows && row < first + kFields; ++row) {
          before_[row] = total + (before >> ((row - first) * kFieldBits) & kMask);
          total += totals >> ((row - first) * kFieldBits) & kMask;
        }
      }
    }
    return total;
  }

  template <class T>
  SCANTUNE_DEVICE T* staged() const {
    return reinterpret_cast<T*>(shared_.staged);
  }
  // Where the first rejected item is staged: on a vector boundary behind the kept ones.
  SCANTUNE_DEVICE u32 first_rejected() const {
    constexpr u32 kItems = kVectorAlignmentBytes % sizeof(Item) == 0 ? kVectorAlignmentBytes / sizeof(Item) : 1;
    return (kept_ + kItems - 1) / kItems * kItems;
  }

  template <class T>
  SCANTUNE_DEVICE void stage(const auto& item_at) {
    T* const to = staged<T>();
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      u32 kept = before_[row];
#pragma unroll
      for (int item = 0; item < kVectorItems; ++item) {
        const u32 place = place_of(row) + item;
        if (kept_of(row) >> item & 1)
          to[kept++] = item_at(row, item);
        else if (kRequest.keeps_rejected() && exists(place))
          to[first_rejected() + (place - begin_ - kept)] = item_at(row, item);
      }
    }
  }

  template <class T>
  SCANTUNE_DEVICE void store_staged(T* to, u32 first, u32 items) const {
    const T* const from = staged<T>() + first;
    if constexpr (sizeof(T) < sizeof(u32) && alignof(T) == sizeof(T))
      scantune::store_by_words<kConfig.store_hint, kThreads>(to, from, items, thread_rank());
    else
      scantune::store_itemwise<kConfig.store_hint, kThreads>(to, from, items, thread_rank());
  }

  Shared& shared_;
  const KernelArguments& arguments_;
  const u32 lane_, warp_;
  i64 first_;        // index of the item in the tile's first place
  u32 begin_, end_;  // places that hold items
  Held<Item> items_;
  u32 keep_[ceil_div(kConfig.items_per_thread, 32)];  // a bit for each item
  u32 before_[kRows];                                 // kept items of the tile before the vector
  u32 kept_;                                          // of the tile
};

template <class Problem, SelectLookbackConfig kConfig>
SCANTUNE_DEVICE void select_lookback(const KernelArguments& arguments) {
  using Tile = SelectTile<Problem, kConfig>;
  using Status = TileStatus<u64, kConfig.status_layout>;
  using Sum = OperatorOf<u64, Operator::sum>;
  auto& shared = shared_memory<typename Tile::Shared>();
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
  Tile tile(shared, arguments, index);

  // Decide on its items, and count the kept ones.
  tile.decide();
  if (thread_rank() == 0) shared.epoch = epoch;  // kept out of registers; visible after the barrier of count()
  tile.count();

  // Publish the count, put the kept items together, look back for those before. In place, another tile may write over
  // this one's items as soon as the count is known, so each must have come: it has when it is staged, since a store
  // waits for what it stores.
  const bool in_place = Problem::kRequest.writes_items() && arguments.input == arguments.output;
  const auto publish = [&](TileFlag flag, u64 value) {
    if (tiles > 1 && thread_rank() == 0) Status(arguments.workspace, shared.epoch).publish(index, flag, value);
  };
  const TileFlag own = index == 0 ? TileFlag::prefix : TileFlag::aggregate;
  if (!in_place) publish(own, tile.kept());
  tile.stage_items();
  if (in_place) {
    sync_block();
    publish(own, tile.kept());
  }
  if (tile.in_first_warp()) {
    u64 before = 0;
    if (tiles > 1) {
      const Status status(arguments.workspace, shared.epoch);
      if (index > 0) before = scantune::look_back<Sum, kConfig>(status, index, tile.lane());
      if (index > 0) publish(TileFlag::prefix, before + tile.kept());
      status.finish(index, tiles, tiles, tile.lane());
    }
    if (tile.lane() == 0) {
      shared.before = before;
      if (index == tiles - 1) store_global<CacheHint::normal>(static_cast<u64*>(arguments.count), before + tile.kept());
    }
  }
  sync_block();

  // Store them.
  tile.store(shared.before);
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                       \
  SCANTUNE_KERNEL(select_lookback, kConfig.block_threads, kConfig.min_ctas_per_sm) { \
    ::scantune::select_lookback<Problem, kConfig>(arguments);                        \
  }
