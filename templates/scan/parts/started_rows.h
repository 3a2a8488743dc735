// The items that one thread of a tile holds where segments start at any item: accumulators, and a bit for each that
// says whether a segment starts there.
//
// A warp loads vectors of neighbouring items and of their entries, lane by lane, so that each is read once. Lanes get
// the entry before a vector from the lane before; only the one before the warp's first is loaded again. Then
// accumulators and bits are turned in shared memory, after which each lane holds consecutive items.
#pragma once

#include "core/machine/bits.h"
#include "core/parts/warp_reduce.h"
#include "scan/config/tile.h"
#include "scan/parts/started_items.h"
#include "scan/parts/turned_vectors.h"

namespace scantune {

template <class Base, TileShape kShape>
class StartedRows {
  using T = typename Base::Accumulator;
  using Input = typename Base::Input;
  using Output = typename Base::Output;
  using Op = typename Base::Op;
  using Pair = StartedOf<Base>;
  using Mark = decltype(Pair::starts);
  using Entry = typename Starts<Base>::Entry;
  static constexpr ScanVariant kRequest = {behind_starts(Base::kRequest), Base::kRequest.variant};
  static constexpr CacheHint kLoadHint = kShape.load_hint, kStoreHint = kShape.store_hint;
  static constexpr bool kReadsBefore = Starts<Base>::kReadsBefore;
  static constexpr bool kCounts = counts_starts(Base::kRequest);
  static constexpr bool kReadsItems = kLieInMemory<typename Base::InputItems>;  // else a map makes them
  static constexpr bool kWritesTotals = Base::kRequest.writes_totals();
  static constexpr StartedSpace kSpace =
      started_space(kShape.items_per_thread, scan_exchange_bytes(kShape.warp_scan, kRequest), kRequest);

  static constexpr int kItems = kShape.items_per_thread;
  static constexpr u32 kWarpItems = kWarpThreads * kItems;
  static_assert(kItems <= 32 && sizeof(T) <= most_started_value_bytes(kRequest));
  static_assert(kShape.layout == TileLayout::warp_transposed);

  // Entries that would take more registers are read twice, from L1.
  static constexpr bool kHoldsEntries = kItems * sizeof(Entry) <= 128;
  static constexpr bool kKeepsKeys = kHoldsEntries && keeps_keys(Base::kRequest);

  // Neighbours that one access moves: as many as fill the config's width by the widest array, and no more than a byte
  // has bits.
  static constexpr int vector_items() {
    if (Base::kRequest.variant != Variant::aligned || !kHoldsEntries) return 1;
    const int pair_bytes = sizeof(Pair), filled = kShape.vector_items * pair_bytes;
    const int bytes = kVectorAlignmentBytes % pair_bytes == 0 ? filled : kVectorAlignmentBytes;
    int widest = sizeof(Entry);
    if (kReadsItems && widest < int{sizeof(Input)}) widest = sizeof(Input);
    if (!kWritesTotals && widest < int{sizeof(Output)}) widest = sizeof(Output);
    int items = 1;
    while (items < 8 && 2 * items * widest <= bytes && kItems % (2 * items) == 0) items *= 2;
    return items;
  }
  static constexpr int kVectorItems = vector_items();
  static constexpr int kVectors = kItems / kVectorItems;
  template <class Item>
  using Held = HeldItems<Item, kVectorItems, Base::kRequest.variant>;
  using Turning = TurnedVectors<T, kItems, kVectorItems>;
  using Turned = typename Turning::Vector;

  static constexpr u32 kVectorThreads = kWarpThreads * kVectorItems;  // items that a warp moves at once

 public:
  static constexpr bool kPadsPartialTiles = false;

  // One thread brings the items of a tile into L2, and what says where segments start.
  SCANTUNE_DEVICE static void prefetch(const StartedItems<Base>& tile, u32 tile_items) {
    tile.starts.prefetch(tile.index, tile_items);
    if constexpr (kReadsItems) scantune::prefetch_items(scantune::memory_of(tile.items), tile_items);
  }

  // Loads the warp's items that exist in its tile, which has tile_items. space: the warp's shared memory.
  template <bool kFull>
  SCANTUNE_DEVICE void load(const StartedItems<Base>& tile, u32 tile_items, u32 warp, u32 lane, unsigned char* space) {
    T values[kItems];
    u32 starts[kVectors];
    if constexpr (kHoldsEntries)
      load_each_once<kFull>(tile, tile_items, warp * kWarpItems, lane, space, values, starts);
    else
      load_entries_twice<kFull>(tile, tile_items, warp * kWarpItems, lane, values, starts);
    turn(values, starts, lane, space);
    if constexpr (!kReadsItems) {
      const u32 mine = warp * kWarpItems + lane * kItems;
#pragma unroll
      for (int item = 0; item < kItems; ++item)
        if (kFull || mine + item < tile_items)
          values_[item] = scantune::convert<T>(scantune::load_global<kLoadHint>(tile.items + (mine + item)));
    }
    if constexpr (Base::kHasInit && !Base::kInitOfEach) {
      const T init = tile.init.get();
#pragma unroll
      for (int item = 0; item < kItems; ++item)
        if (starts_at(item)) values_[item] = Op::combine(init, values_[item]);
    }
  }

  // Combines each item with those before it in this thread and its segment. Returns the combination of all. The
  // thread's items begin at `first` of the tile, and do not exist from `end` on.
  template <bool kFull>
  SCANTUNE_DEVICE Pair total(int, u32 first, u32 end) {
    T total = values_[0];
#pragma unroll
    for (int item = 1; item < kItems; ++item) {
      if (!kFull && first + item >= end) continue;
      if (!starts_at(item)) values_[item] = Op::combine(values_[item - 1], values_[item]);
      total = values_[item];
    }
    return {total, kCounts ? static_cast<Mark>(count_ones(starts_)) : static_cast<Mark>(starts_ != 0)};
  }

  // Combines the items before the thread's first start with what is before them.
  template <bool kFull>
  SCANTUNE_DEVICE void scan(int, Pair prefix, bool has_prefix, u32 first, u32 end) {
    before_ = prefix;
    if (!has_prefix) before_.starts = 0;
    if (!has_prefix) return;
#pragma unroll
    for (int item = 0; item < kItems; ++item)
      if ((kFull || first + item < end) && (starts_ & starts_up_to(item)) == 0)
        values_[item] = Op::combine(prefix.value, values_[item]);
  }

  // Stores the results of the warp's items.
  template <bool kFull>
  SCANTUNE_DEVICE void store(const UnmarkedItems<Base>& tile, u32 tile_items, u32 warp, u32 lane,
                             unsigned char* space) {
    const u32 first = warp * kWarpItems;
    T results[kItems];
    make_results<kFull>(tile.init, first + lane * kItems, tile_items, results);
    Turning::turn_back(results, lane, space);
    each_vector<kFull>(first, tile_items, lane, [&]<u32 kCount>(int item, u64 place) {
      if constexpr (kCount == 1) {
        scantune::store_global<kStoreHint>(tile.items + place, scantune::convert<Output>(results[item]));
      } else {
        Held<Output> held;
#pragma unroll
        for (u32 of_vector = 0; of_vector < kCount; ++of_vector)
          held.items[of_vector] = scantune::convert<Output>(results[item + of_vector]);
        scantune::store_global<kStoreHint>(scantune::vectors_of<Held<Output>>(tile.items + place), held);
      }
    });
  }

  // Stores the totals of the segments that end before one of the warp's items, and of the last one after the last item.
  // The first of a segment tells that the one before has ended, so no item after the tile is read.
  template <bool kFull>
  SCANTUNE_DEVICE void store(const TotalItems<Base>& tile, u32 tile_items, u32 warp, u32 lane, unsigned char* space) {
    const u32 first = warp * kWarpItems;
    if (!kFull && first >= tile_items) return;

    const Entry* const keys = reinterpret_cast<const Entry*>(space + kSpace.keys_at);
    const u32 count = scantune::warp_reduce<OperatorOf<u32, Operator::sum>>(count_ones(starts_), lane);
    if (count > 0) store_ended(tile, first, count, lane, space, keys);
    store_last<kFull>(tile, tile_items, first, lane, keys);
  }

 private:
  SCANTUNE_DEVICE bool starts_at(int item) const { return (starts_ >> item & 1) != 0; }
  static constexpr u32 starts_up_to(int item) { return ~0u >> (31 - item); }

  // Calls use<neighbours>(item of this thread, place in the tile) for each vector of loads and stores, or for those of
  // its items that exist where not all do. Lanes are contiguous in each.
  template <bool kFull>
  SCANTUNE_DEVICE static void each_vector(u32 first, u32 tile_items, u32 lane, const auto& use) {
    const u64 mine = first + lane * kVectorItems;
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const u64 place = mine + u64{v * kVectorThreads};
      if (kFull || place + kVectorItems <= tile_items) {
        use.template operator()<kVectorItems>(v * kVectorItems, place);
      } else if constexpr (kVectorItems > 1) {
#pragma unroll
        for (int item = 0; item < kVectorItems; ++item)
          if (place + item < tile_items) use.template operator()<1>(v * kVectorItems + item, place + item);
      }
    }
  }

  template <bool kFull>
  SCANTUNE_DEVICE static void load_values(const StartedItems<Base>& tile, u32 tile_items, u32 first, u32 lane,
                                          T (&values)[kItems]) {
    each_vector<kFull>(first, tile_items, lane, [&]<u32 kCount>(int item, u64 place) {
      if constexpr (kCount == 1) {
        values[item] = scantune::convert<T>(scantune::load_global<kLoadHint>(tile.items + place));
      } else {
        const Held<Input> held =
            scantune::load_global<kLoadHint>(scantune::vectors_of<const Held<Input>>(tile.items + place));
#pragma unroll
        for (u32 of_vector = 0; of_vector < kCount; ++of_vector)
          values[item + of_vector] = scantune::convert<T>(held.items[of_vector]);
      }
    });
  }

  // Leaves in starts[v] a bit for each item of the v-th vector.
  template <bool kFull>
  SCANTUNE_DEVICE static void load_each_once(const StartedItems<Base>& tile, u32 tile_items, u32 first, u32 lane,
                                             unsigned char* space, T (&values)[kItems], u32 (&starts)[kVectors]) {
    // All loads are on their way before the first entry is compared.
    const u64 index = Starts<Base>::after(tile.index, first);
    const bool is_first = lane == 0 && index == tile.starts.first();
    const bool has_before = kReadsBefore && lane == 0 && !is_first && (kFull || first < tile_items);
    Entry before, entries[kItems];
    if (has_before) before = tile.starts.template entry<kLoadHint>(Starts<Base>::before(index));
    each_vector<kFull>(first, tile_items, lane, [&]<u32 kCount>(int item, u64 place) {
      tile.starts.template load<kLoadHint, kCount>(Starts<Base>::after(tile.index, place), entries + item);
    });
    if constexpr (kReadsItems) load_values<kFull>(tile, tile_items, first, lane, values);

    if constexpr (kKeepsKeys) {
      Entry* const keys = reinterpret_cast<Entry*>(space + kSpace.keys_at);
      using Kept = HeldItems<Entry, kVectorItems, Variant::aligned>;
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        Kept kept;  // a copy of bytes to shared memory would be one of single bytes, where keys are floats
        scantune::copy_bytes(__builtin_addressof(kept), entries + v * kVectorItems, sizeof kept);
        reinterpret_cast<Kept*>(keys)[v * kWarpThreads + lane] = kept;
      }
      if (has_before) keys[kWarpItems] = before;
    }

    Entry last;  // of the vectors before, in the first lane
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      Entry earlier;
      if constexpr (kReadsBefore) {
        const Entry turned = scantune::shuffle_index(entries[v * kVectorItems + kVectorItems - 1],
                                                     (lane + kWarpThreads - 1) % kWarpThreads);
        if (lane != 0)
          earlier = turned;
        else if (v == 0)
          earlier = before;
        else
          earlier = last;
        last = turned;
      }
      starts[v] = 0;
#pragma unroll
      for (int item = 0; item < kVectorItems; ++item) {
        const u32 place = first + (v * kWarpThreads + lane) * kVectorItems + item;
        const Entry& entry = entries[v * kVectorItems + item];
        if (item > 0) earlier = entries[v * kVectorItems + item - (item > 0)];
        if ((kFull || place < tile_items) && ((v == 0 && item == 0 && is_first) || tile.starts.start(earlier, entry)))
          starts[v] |= 1u << item;
      }
    }
  }

  template <bool kFull>
  SCANTUNE_DEVICE static void load_entries_twice(const StartedItems<Base>& tile, u32 tile_items, u32 first, u32 lane,
                                                 T (&values)[kItems], u32 (&starts)[kVectors]) {
    static_assert(kVectorItems == 1);
    if constexpr (kReadsItems) load_values<kFull>(tile, tile_items, first, lane, values);
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const u32 place = first + v * kWarpThreads + lane;
      starts[v] = 0;
      if (!kFull && place >= tile_items) continue;
      const u64 index = Starts<Base>::after(tile.index, place);
      if (index == tile.starts.first() ||
          tile.starts.start(tile.starts.template entry<kLoadHint>(Starts<Base>::before(index)),
                            tile.starts.template entry<kLoadHint>(index)))
        starts[v] = 1;
    }
  }

  // Gives each lane consecutive items for vectors that are a warp apart. A lane's only vector is that already.
  SCANTUNE_DEVICE void turn(const T (&values)[kItems], const u32 (&starts)[kVectors], u32 lane, unsigned char* space) {
    if constexpr (kVectors == 1) {
      scantune::copy_bytes(values_, values, sizeof values_);
      starts_ = starts[0];
    } else {
      Turned* const turned = reinterpret_cast<Turned*>(space);
      unsigned char* const bytes = space + kSpace.starts_at;
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        if constexpr (kReadsItems)
          scantune::copy_bytes(turned + Turning::slot(v * kWarpThreads + lane), values + v * kVectorItems,
                               sizeof(Turned));
        bytes[v * kWarpThreads + lane] = static_cast<unsigned char>(starts[v]);
      }
      sync_warp();
      starts_ = 0;
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        if constexpr (kReadsItems)
          scantune::copy_bytes(values_ + v * kVectorItems, turned + Turning::slot(lane * kVectors + v), sizeof(Turned));
        starts_ |= starts_of_vector(bytes + lane * kVectors, v) << v * kVectorItems;
      }
      sync_warp();
    }
  }

  SCANTUNE_DEVICE static u32 starts_of_vector(const unsigned char* bytes, int v) {
    if constexpr (kVectors % 4 == 0)
      return reinterpret_cast<const u32*>(bytes)[v / 4] >> v % 4 * 8 & ((1u << kVectorItems) - 1);
    else
      return bytes[v];
  }

  // The first result of a segment in an exclusive scan is the initial value. One of each segment is combined only here,
  // since only here the segment's number is known.
  template <bool kFull>
  SCANTUNE_DEVICE void make_results(const SegmentInit<Base>& init, u32 first, u32 end, T (&results)[kItems]) const {
    T its_init;
    if constexpr (Base::kExclusive && !Base::kInitOfEach) its_init = init.get();
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      if (!kFull && first + item >= end) continue;
      if constexpr (Base::kInitOfEach)
        its_init = init.get(u64{before_.starts} + count_ones(starts_ & starts_up_to(item)) - 1);
      const bool is_init = Base::kExclusive && starts_at(item);
      T value = !Base::kExclusive ? values_[item] : item == 0 ? before_.value : values_[item == 0 ? 0 : item - 1];
      if constexpr (Base::kInitOfEach)
        if (!is_init) value = Op::combine(its_init, value);
      if constexpr (Base::kExclusive)
        if (is_init) value = its_init;
      results[item] = value;
    }
  }

  SCANTUNE_DEVICE static void store_total(const TotalItems<Base>& tile, u64 segment, T total) {
    if (segment >= tile.arguments->extents[0]) return;  // there is no room
    if constexpr (Base::kInitOfEach) total = Op::combine(SegmentInit<Base>(*tile.arguments).get(segment), total);
    scantune::store_global<CacheHint::normal>(tile.items + segment, scantune::convert<Output>(total));
  }
  SCANTUNE_DEVICE static void store_key(const TotalItems<Base>& tile, u64 segment, const Entry& key) {
    if (segment < tile.arguments->extents[0])
      scantune::store_global<CacheHint::normal>(
          tile.arguments->template operand<Entry>(OperandRole::keys_output) + segment, key);
  }
  SCANTUNE_DEVICE static void store_key_of(const TotalItems<Base>& tile, u64 segment, u64 index) {
    if (segment < tile.arguments->extents[0])
      store_key(tile, segment, tile.starts.template entry<CacheHint::normal>(index));
  }
  SCANTUNE_DEVICE static void store_total(const TotalItems<Base>& tile, u64 segment, T total, const Entry& key) {
    store_total(tile, segment, total);
    store_key(tile, segment, key);
  }

  // Stores the totals of the segments that end before one of the warp's `count` starts.
  SCANTUNE_DEVICE void store_ended(const TotalItems<Base>& tile, u32 first, u32 count, u32 lane, unsigned char* space,
                                   const Entry* keys) const {
    // Bring them side by side.
    T* const totals = reinterpret_cast<T*>(space);
    u16* const places = reinterpret_cast<u16*>(space + kSpace.starts_at);
    const Mark before_warp = scantune::shuffle_index(before_.starts, 0);
    u32 own = static_cast<u32>(before_.starts - before_warp);
#pragma unroll
    for (int item = 0; item < kItems; ++item)
      if (starts_at(item)) {
        totals[own] = item == 0 ? before_.value : values_[item == 0 ? 0 : item - 1];
        places[own] = static_cast<u16>(lane * kItems + item);
        ++own;
      }
    sync_warp();

    const u64 warp_index = tile.index + first;
    for (u32 start = lane; start < count; start += kWarpThreads) {
      const u64 segment = u64{before_warp} + start;  // begins here
      const u32 place = places[start];
      if constexpr (kKeepsKeys) {
        if (segment > 0) store_total(tile, segment - 1, totals[start], keys[place == 0 ? kWarpItems : place - 1]);
      } else {
        if (segment > 0) store_total(tile, segment - 1, totals[start]);
        if constexpr (TotalItems<Base>::kWritesFirstKeys) {
          store_key_of(tile, segment, warp_index + place);
        } else if constexpr (TotalItems<Base>::kHasKeys) {
          if (segment > 0) store_key_of(tile, segment - 1, warp_index + place - 1);
        }
      }
    }
  }

  // The thread with the last of all items stores the total of its segment, and how many segments there are.
  template <bool kFull>
  SCANTUNE_DEVICE void store_last(const TotalItems<Base>& tile, u32 tile_items, u32 first, u32 lane,
                                  const Entry* keys) const {
    using Count = typename TotalItems<Base>::Count;
    const u32 mine = first + lane * kItems;
    if (mine >= tile_items || mine + kItems < tile_items) return;
    const u64 end = tile.index + tile_items;
    if (end != Base::counted(*tile.arguments).n) return;
    T total = values_[0];
#pragma unroll
    for (int item = 1; item < kItems; ++item)
      if (kFull || mine + item < tile_items) total = values_[item];
    const u64 segments = u64{before_.starts} + count_ones(starts_);
    scantune::store_global<CacheHint::normal>(tile.arguments->template operand<Count>(OperandRole::count),
                                              static_cast<Count>(segments));
    if constexpr (kKeepsKeys) {
      store_total(tile, segments - 1, total, keys[tile_items - 1 - first]);
    } else {
      store_total(tile, segments - 1, total);
      if constexpr (TotalItems<Base>::kHasKeys && !TotalItems<Base>::kWritesFirstKeys)
        store_key_of(tile, segments - 1, end - 1);
    }
  }

  T values_[kItems];  // combined, after total(), from the thread's last start on, after scan() from that of the segment
  u32 starts_;        // a bit for each item
  Pair before_;       // all that is before the thread's items
};

}  // namespace scantune
