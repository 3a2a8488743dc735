// A CTA's tile of a selection: loads items, evaluates the criterion, counts and compacts each part.
#pragma once

#include "core/machine/bits.h"
#include "core/machine/shared.h"
#include "core/parts/store_run.h"
#include "core/parts/warp_reduce.h"
#include "core/parts/warp_scan.h"
#include "select/config/select_tile.h"
#include "select/parts/select_problem.h"

namespace scantune {

// How items, or vectors of them, come from where they are to registers.
template <CacheHint kHint>
struct FromGlobal {
  SCANTUNE_DEVICE static auto load(auto from) { return scantune::load_global<kHint>(from); }
};
struct FromShared {
  template <class T>
  SCANTUNE_DEVICE static T load(const T* from) {
    return scantune::load_shared(from);
  }
};

// The items of one tile, row by row: a row is one vector per lane of a warp, and a warp's rows are contiguous. Only
// places from begin to end hold items.
template <class Problem, auto kConfig>
class SelectTile {
  using Item = typename Problem::Item;
  static constexpr SelectRequest kRequest = Problem::kRequest;
  static constexpr u32 kThreads = kConfig.block_threads;
  static constexpr u32 kWarps = kThreads / kWarpThreads;
  static constexpr int kVectorItems = vector_items(kConfig, kRequest, Problem::kVariant);
  static constexpr int kBoundaryItems = boundary_items(kConfig, kRequest, Problem::kVariant);
  static constexpr int kRows = kConfig.items_per_thread / kVectorItems;
  static constexpr bool kAsksTwice =
      (has_source(kRequest.criterion) || kRequest.load != Load::none) && requires { kConfig.count_hint; };
  static constexpr bool kHasPlaces = places_bytes(kConfig, kRequest) > 0;
  using Flag = typename Problem::Flag;
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
  static constexpr int kCounted = counted_parts(kRequest);
  static constexpr u32 kTileItems = kThreads * kConfig.items_per_thread;
  // How many items each counted part has: of a tile, or of all before it.
  struct Counts {
    u64 of[kCounted];
  };
  struct alignas(16) Shared {
    // The kept items and those after them, then their places, if they are used.
    alignas(16) unsigned char staged[staged_bytes(kConfig, kRequest) + places_bytes(kConfig, kRequest)];
    u32 of_warps[kCounted][kWarpThreads];
  };
  static_assert(sizeof(Shared) == tile_shared_bytes(kConfig, kRequest));

  // Tiles begin on boundaries of vectors: the first one before the input, if that does not.
  SCANTUNE_DEVICE SelectTile(Shared& shared, const KernelArguments& arguments, u32 index)
      : shared_(shared),
        arguments_(arguments),
        lane_(thread_rank() % kWarpThreads),
        warp_(thread_rank() / kWarpThreads) {
    u32 shift = 0;
    if constexpr (Problem::kVariant == Variant::any && kBoundaryItems > 1)
      shift = static_cast<u32>(scantune::edge(Problem::input(arguments)) / sizeof(Item)) % kBoundaryItems;
    first_ = static_cast<i64>(static_cast<u64>(index) * kTileItems) - shift;
    begin_ = index == 0 ? shift : 0;
    const i64 left = static_cast<i64>(arguments.n) - first_;
    end_ = left < kTileItems ? (left > 0 ? static_cast<u32>(left) : 0) : kTileItems;
  }

  // A tile that has been staged and is to be stored: how many items each counted part has.
  SCANTUNE_DEVICE SelectTile(Shared& shared, const KernelArguments& arguments, u32 index,
                             const u32 (&counted)[kCounted])
      : SelectTile(shared, arguments, index) {
#pragma unroll
    for (int part = 0; part < kCounted; ++part) counted_[part] = counted[part];
  }

  SCANTUNE_DEVICE bool in_first_warp() const { return warp_ == 0; }
  SCANTUNE_DEVICE u32 lane() const { return lane_; }
  SCANTUNE_DEVICE u32 counted(int part) const { return counted_[part]; }
  SCANTUNE_DEVICE i64 first() const { return first_; }
  SCANTUNE_DEVICE u32 begin() const { return begin_; }
  SCANTUNE_DEVICE u32 end() const { return end_; }

  // Loads the items and decides which part each is in. kStored: they will be stored, too.
  template <CacheHint kHint, bool kStored = true>
  SCANTUNE_DEVICE void decide() {
    using From = FromGlobal<kHint>;
    if constexpr ((kStored && kRequest.writes_items()) || !kRequest.reads_flags())
      items_ = load<From, Item>(Problem::input(arguments_) + first_);
    if constexpr (kRequest.reads_flags())
      mark_flags(load<From, Flag>(arguments_.operand<const Flag>(OperandRole::flags) + first_));
    else
      mark_items([&](i64 index) {
        return scantune::load_global<CacheHint::normal>(Problem::input(arguments_) + (index - 1));
      });
  }

  // Decides on items that are in shared memory, and their flags. The pointers are to the tile's first place; before it
  // is the item before the tile, where neighbours are compared.
  SCANTUNE_DEVICE void decide_in_shared(const Item* items, const Flag* flags) {
    if constexpr (kRequest.writes_items() || !kRequest.reads_flags()) items_ = load<FromShared, Item>(items);
    if constexpr (kRequest.reads_flags())
      mark_flags(load<FromShared, Flag>(flags));
    else
      mark_items([&](i64) { return *(items + place_of(0) - 1); });
  }

  // The items of a counted part that this thread has decided on.
  SCANTUNE_DEVICE u32 decided(int part) const {
    u32 items = 0;
#pragma unroll
    for (const u32 word : marks_[part]) items += count_ones(word);
    return items;
  }

  // Counts the items of each part before each row of this thread's, and all of the tile. Every thread calls.
  SCANTUNE_DEVICE void count() {
    count_in_warps();
    sync_block();
    add_up_warps();
  }

  // The two halves of count(). Between them is a barrier of all warps that do this.
  SCANTUNE_DEVICE void count_in_warps() {
#pragma unroll
    for (int part = 0; part < kCounted; ++part) {
      const u32 of_warp = count_in_warp(part);
      if (lane_ == 0) shared_.of_warps[part][warp_] = of_warp;
    }
  }
  SCANTUNE_DEVICE void add_up_warps() {
#pragma unroll
    for (int part = 0; part < kCounted; ++part) {
      const u32 others = of_warps(part);
      counted_[part] = scantune::warp_reduce<Sum>(others, lane_);
      const u32 before_warp = scantune::warp_reduce<Sum>(lane_ < warp_ ? others : 0, lane_);
#pragma unroll
      for (int row = 0; row < kRows; ++row) before_[part][row] += before_warp;
    }
  }

  // The items of a counted part, for a warp that does not count: after the barrier.
  SCANTUNE_DEVICE u32 count_of_warps(int part) const { return scantune::warp_reduce<Sum>(of_warps(part), lane_); }

  // Puts the items of each part that is written together, and notes the places of the kept ones. Only one loop asks for
  // the marks: ptxas 13.0 would keep predicates for a second one, and lose some.
  SCANTUNE_DEVICE void stage() {
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      u32 before[kCounted];
#pragma unroll
      for (int part = 0; part < kCounted; ++part) before[part] = before_[part][row];
#pragma unroll
      for (int item = 0; item < kVectorItems; ++item) {
        const u32 place = place_of(row) + item;
        if (marks_of(0, row) >> item & 1) {
          if constexpr (kRequest.writes_items()) staged()[before[0]] = items_.items[row][item];
          if constexpr (kHasPlaces) places()[before[0]] = static_cast<u16>(place);
          ++before[0];
          continue;
        }
        if constexpr (kCounted > 1)
          if (marks_of(1, row) >> item & 1) {
            staged()[first_staged(1) + before[1]++] = items_.items[row][item];
            continue;
          }
        if (kRequest.keeps_rejected() && exists(place)) {
          u32 others = place - begin_;
#pragma unroll
          for (int part = 0; part < kCounted; ++part) others -= before[part];
          if constexpr (kRequest.rejected == Rejected::behind_reversed)
            others = end_ - begin_ - counted_[0] - 1 - others;
          staged()[first_staged(kCounted) + others] = items_.items[row][item];
        }
      }
    }
  }

  // Stores all outputs of the tile, given how many items of each part are before it, and in all if the others are
  // written after the kept ones. Every thread calls, after a barrier that follows stage().
  SCANTUNE_DEVICE void store(const Counts& before, const Counts& all) {
    const u32 kept = with_room(arguments_.extents[1], before.of[0], counted_[0]);
    if constexpr (kRequest.writes_items()) store_staged(items_in(OperandRole::output, before.of[0], kept), 0, kept);
    if constexpr (kRequest.keeps_rejected()) {
      constexpr bool kIsBehind = kRequest.has_one_output();
      u64 others = static_cast<u64>(first_ + begin_) - before.of[0];
      u32 others_here = end_ - begin_ - counted_[0];
      u64 begin = kIsBehind ? all.of[0] : 0;
      if constexpr (kCounted > 1) {
        const u32 second = with_room(arguments_.scratch[0], before.of[1], counted_[1]);
        store_staged(items_in(kIsBehind ? OperandRole::output : OperandRole::second, begin + before.of[1], second),
                     first_staged(1), second);
        others -= before.of[1];
        others_here -= counted_[1];
        if constexpr (kIsBehind) begin += all.of[1];
      }
      others_here = with_room(arguments_.scratch[1], others, others_here);
      if constexpr (kRequest.rejected == Rejected::behind_reversed) {  // the first one is the last of the output
        begin = arguments_.n;
        others = -(others + others_here);
      }
      store_staged(items_in(kIsBehind ? OperandRole::output : OperandRole::rejected, begin + others, others_here),
                   first_staged(kCounted), others_here);
    }
    if constexpr (kRequest.writes_indices()) {
      using Index = typename Problem::Index;
      auto* const to =
          place_in<Index>(kRequest.writes_items() ? OperandRole::indices : OperandRole::output, before.of[0], kept);
      for (u32 item = thread_rank(); item < kept; item += kThreads)
        scantune::store_global<kConfig.store_hint>(to + item, static_cast<Index>(first_ + places()[item]));
    }
    if constexpr (kRequest.has_values()) {
      using Value = typename Problem::Value;
      if constexpr (kRequest.value_units == ValueUnits::several) {
        store_units(before.of[0], kept);
      } else {
        const Value* const values = arguments_.operand<const Value>(OperandRole::values) + first_;
        Value* const to = place_in<Value>(OperandRole::values_output, before.of[0], kept);
        for (u32 item = thread_rank(); item < kept; item += kThreads)
          scantune::store_global<kConfig.store_hint>(to + item,
                                                     scantune::load_global<kConfig.load_hint>(values + places()[item]));
      }
    }
  }

 private:
  SCANTUNE_DEVICE u32 of_warps(int part) const { return lane_ < kWarps ? shared_.of_warps[part][lane_] : 0; }

  // How many of the items from an index on are stored.
  SCANTUNE_DEVICE static u32 with_room(u64 room, u64 index, u32 items) {
    if constexpr (kRequest.is_limited()) return items_with_room(room, index, items);
    return items;
  }

  // Where items of the tile go in an array, which has room for n, or for those with room. A function of the caller's
  // that says another thing when it is asked again, after items were counted, must not send them beside it.
  SCANTUNE_DEVICE u64 index_in_room(u64 index, u32 items) const {
    if constexpr (kAsksTwice && !kRequest.is_limited())
      if (const u64 last = arguments_.n - items; index > last) index = last;
    return index;
  }
  template <class T>
  SCANTUNE_DEVICE T* place_in(OperandRole role, u64 index, u32 items) const {
    index = index_in_room(index, items);
    return arguments_.operand<T>(role) + index;
  }
  SCANTUNE_DEVICE auto items_in(OperandRole role, u64 index, u32 items) const {
    return Problem::output(role, arguments_) + index_in_room(index, items);
  }

  // Stores the values of the first kept items, of several units each: a warp stores units that are neighbours.
  SCANTUNE_DEVICE void store_units(u64 index, u32 items) const {
    using Unit = typename Problem::Value;
    const u32 units = static_cast<u32>(arguments_.scratch[0]);
    const Unit* const from = arguments_.operand<const Unit>(OperandRole::values) + first_ * static_cast<i64>(units);
    Unit* const to = arguments_.operand<Unit>(OperandRole::values_output) + index_in_room(index, items) * units;
    u32 item = thread_rank() / units, unit = thread_rank() % units;
    for (u32 place = thread_rank(); place < items * units; place += kThreads) {
      scantune::store_global<kConfig.store_hint>(
          to + place, scantune::load_global<kConfig.load_hint>(from + places()[item] * units + unit));
      item += kThreads / units;
      unit += kThreads % units;
      if (unit >= units) {
        unit -= units;
        ++item;
      }
    }
  }

  // The place in the tile of this thread's vector of a row.
  SCANTUNE_DEVICE u32 place_of(int row) const {
    return warp_ * (kWarpThreads * kRows * kVectorItems) + row * (kWarpThreads * kVectorItems) + lane_ * kVectorItems;
  }
  SCANTUNE_DEVICE bool exists(u32 place) const { return place >= begin_ && place < end_; }
  SCANTUNE_DEVICE bool is_full() const { return begin_ == 0 && end_ == kTileItems; }
  // A bit for each of a row's items, set where it is of that part.
  SCANTUNE_DEVICE u32 marks_of(int part, int row) const {
    return marks_[part][row * kVectorItems / 32] >> row * kVectorItems % 32 & ((1u << kVectorItems) - 1);
  }

  // An array beside the items has its vectors where they have theirs, but only in one variant on boundaries.
  template <class From, class T, class Array>
  SCANTUNE_DEVICE Held<T> load(Array tile) const {
    constexpr bool kByVectors =
        kVectorItems > 1 && (Problem::kVariant == Variant::aligned || sizeof(T) == sizeof(Item));
    Held<T> held;
    if (kByVectors && is_full() && is_on_boundary(tile)) {
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
        const auto vector = From::load(scantune::vectors_of<const Vector<T>>(tile + place_of(row)));
        scantune::copy_bytes(held.items[row], __builtin_addressof(vector), sizeof vector);
      }
    } else {
#pragma unroll
      for (int row = 0; row < kRows; ++row)
#pragma unroll
        for (int item = 0; item < kVectorItems; ++item)
          if (const u32 place = place_of(row) + item; exists(place)) held.items[row][item] = From::load(tile + place);
    }
    return held;
  }

  // The items' vectors are on boundaries. Values of the same width may be aligned differently.
  template <class T>
  SCANTUNE_DEVICE static bool is_on_boundary(const T* tile) {
    if constexpr (Problem::kVariant == Variant::aligned) return true;
    return reinterpret_cast<u64>(tile) % sizeof(Vector<T>) == 0;
  }
  // Of mapped items a tile begins where their own vectors do.
  template <class Items>
    requires kIsMapped<Items>
  SCANTUNE_DEVICE static bool is_on_boundary(Items) {
    return true;
  }

  SCANTUNE_DEVICE void mark_flags(const Held<Flag>& flags) {
    mark([&](int row, int item) { return Problem::part(flags.items[row][item], arguments_); });
  }

  // look_up: gives the item before an index, that of the first place of the warp.
  SCANTUNE_DEVICE void mark_items(const auto& look_up) {
    if constexpr (Problem::kComparesNeighbours) {
      Item before[kRows];
#pragma unroll
      for (int row = 0; row < kRows; ++row) before[row] = item_before(row, look_up);
      mark([&](int row, int item) {
        const bool is_first = first_ + static_cast<i64>(place_of(row) + item) == 0;
        const bool is_kept =
            is_first || Problem::differs(item == 0 ? before[row] : items_.items[row][item == 0 ? 0 : item - 1],
                                         items_.items[row][item], arguments_);
        return is_kept ? 0 : kCounted;
      });
    } else {
      mark([&](int row, int item) { return Problem::part(items_.items[row][item], arguments_); });
    }
  }

  // The item before this thread's vector of a row: the last one of the lane before, which the first lane has to look
  // up.
  SCANTUNE_DEVICE Item item_before(int row, const auto& look_up) const {
    const Item last = items_.items[row][kVectorItems - 1];
    Item before = scantune::shuffle_up(last, 1);
    if (row > 0) {
      const Item of_row_before =
          scantune::shuffle_index(items_.items[row == 0 ? 0 : row - 1][kVectorItems - 1], kWarpThreads - 1);
      if (lane_ == 0) before = of_row_before;
    } else if (lane_ == 0) {
      const i64 index = first_ + place_of(0);
      if (index > 0 && index <= static_cast<i64>(arguments_.n)) before = look_up(index);
    }
    return before;
  }

  // Asks for the parts of items that exist, and no others.
  SCANTUNE_DEVICE void mark(const auto& part_of) {
#pragma unroll
    for (auto& part : marks_)
#pragma unroll
      for (u32& bits : part) bits = 0;
    const auto ask = [&](const auto& may_ask) {
#pragma unroll
      for (int row = 0; row < kRows; ++row)
#pragma unroll
        for (int item = 0; item < kVectorItems; ++item)
          if (may_ask(place_of(row) + item)) {
            const int bit = row * kVectorItems + item, its = part_of(row, item);
#pragma unroll
            for (int part = 0; part < kCounted; ++part)
              if (its == part) marks_[part][bit / 32] |= 1u << bit % 32;
          }
    };
    if (is_full())
      ask([](u32) { return true; });
    else
      ask([&](u32 place) { return exists(place); });
  }

  // Returns how many items of a part the warp has, and counts those before each row of this lane's.
  SCANTUNE_DEVICE u32 count_in_warp(int part) {
    u32 total = 0;
    if constexpr (kVectorItems == 1) {
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
        const u32 votes = ballot(~0u, marks_of(part, row) != 0);
        before_[part][row] = total + count_ones(votes & ((1u << lane_) - 1));
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
          counts |= count_ones(marks_of(part, row)) << ((row - first) * kFieldBits);
        const u32 through = scantune::scan_by_kogge_stone<Sum, kWarpThreads, 2>(counts, static_cast<i32>(lane_));
        const u32 before = through - counts, totals = scantune::shuffle_index(through, kWarpThreads - 1);
#pragma unroll
        for (int row = first; row < kRows && row < first + kFields; ++row) {
          before_[part][row] = total + (before >> ((row - first) * kFieldBits) & kMask);
          total += totals >> ((row - first) * kFieldBits) & kMask;
        }
      }
    }
    return total;
  }

  SCANTUNE_DEVICE Item* staged() const { return reinterpret_cast<Item*>(shared_.staged); }
  SCANTUNE_DEVICE u16* places() const {
    return reinterpret_cast<u16*>(shared_.staged + staged_bytes(kConfig, kRequest));
  }
  // Where the first item of a part is staged: on a vector boundary after the parts before.
  SCANTUNE_DEVICE u32 first_staged(int part) const {
    constexpr u32 kItems = kVectorAlignmentBytes % sizeof(Item) == 0 ? kVectorAlignmentBytes / sizeof(Item) : 1;
    u32 first = 0;
#pragma unroll
    for (int before = 0; before < kCounted; ++before)
      if (before < part) first += (counted_[before] + kItems - 1) / kItems * kItems;
    return first;
  }

  SCANTUNE_DEVICE void store_staged(typename Problem::OutputItems to, u32 first, u32 items) const {
    const Item* const from = staged() + first;
    if constexpr (sizeof(Item) < sizeof(u32) && alignof(Item) == sizeof(Item))
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
  u32 marks_[kCounted][ceil_div(kConfig.items_per_thread, 32)];  // a bit for each item
  u32 before_[kCounted][kRows];                                  // items of the tile before the vector
  u32 counted_[kCounted];                                        // of the tile
};

// Writes how many items each counted part has in all.
template <class Count, class Counts>
SCANTUNE_DEVICE void store_counts(const KernelArguments& arguments, const Counts& all) {
  auto* const counts = arguments.operand<Count>(OperandRole::count);
#pragma unroll
  for (u32 part = 0; part < sizeof all / sizeof(u64); ++part)
    scantune::store_global<CacheHint::normal>(counts + part, static_cast<Count>(all.of[part]));
}

}  // namespace scantune
