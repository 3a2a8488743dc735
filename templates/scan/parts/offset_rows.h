// Segments by offsets as a scan of pairs, of an item and the mark that a segment starts there, and the pairs that one
// thread of a tile holds: accumulators, and a bit for each that says whether a segment starts there.
//
// A warp loads vectors of neighbouring items, lane by lane. While they are on their way it marks in shared memory where
// segments begin. Then accumulators are turned there, after which each lane holds consecutive items. The first tile
// with items may have others before them. These count as starts, so that nothing is combined with them.
#pragma once

#include "core/machine/shared.h"
#include "scan/config/tile.h"
#include "scan/parts/segment_index.h"
#include "scan/parts/started_items.h"
#include "scan/parts/tile_scan.h"
#include "scan/parts/turned_vectors.h"

namespace scantune {

// Neighbouring items of an input, and the segments that begin among those of the warp.
template <class Base, u32 kWarpItems>
struct OffsetItems {
  using Index = SegmentIndex<Base, kWarpItems>;

  typename Base::InputItems items;
  SegmentInit<Base> init;
  Index index;
  typename Index::Numbers starting;
  u64 place;   // of the first item, in the order of the scan
  u32 absent;  // items at the beginning that are of no segment
};

// A result for each item of an output, except those at the beginning that are of no segment.
template <class Base>
struct OffsetResults {
  typename Base::OutputItems items;
  SegmentInit<Base> init;
  u32 absent;
};

template <class Base, u32 kWarpItems>
inline constexpr bool kHaveStarts<OffsetItems<Base, kWarpItems>> = true;

// The problem as tiles see it.
template <class Base, u32 kWarpItems>
struct OffsetProblem {
  using Op = StartedOperator<Base>;
  using Accumulator = typename Op::Value;
  using Input = Accumulator;
  using Output = Accumulator;
  using InputItems = OffsetItems<Base, kWarpItems>;
  using OutputItems = OffsetResults<Base>;
  static constexpr ScanVariant kRequest = {behind_offsets(Base::kRequest), Base::kRequest.variant};
  static_assert(sizeof(Accumulator) == kRequest.custom_bytes && alignof(Accumulator) == kRequest.custom_alignment);
};

template <class Base, TileShape kShape>
class OffsetRows {
  using T = typename Base::Accumulator;
  using Input = typename Base::Input;
  using Output = typename Base::Output;
  using Op = typename Base::Op;
  using Pair = StartedOf<Base>;
  static constexpr ScanVariant kRequest = {behind_offsets(Base::kRequest), Base::kRequest.variant};
  static constexpr bool kReadsItems = kLieInMemory<typename Base::InputItems>;  // else a map makes them
  static constexpr StartedSpace kSpace =
      started_space(kShape.items_per_thread, scan_exchange_bytes(kShape.warp_scan, kRequest), kRequest);

  static constexpr int kItems = kShape.items_per_thread;
  static constexpr u32 kWarpItems = kWarpThreads * kItems;
  using InputItems = OffsetItems<Base, kWarpItems>;
  static_assert(kItems <= 32 && kShape.layout == TileLayout::warp_transposed);

  // Neighbours that one access moves: as many as fill the config's width by the wider array.
  static constexpr int vector_items() {
    if (Base::kRequest.variant != Variant::aligned) return 1;
    const int pair_bytes = sizeof(Pair), filled = kShape.vector_items * pair_bytes;
    const int bytes = kVectorAlignmentBytes % pair_bytes == 0 ? filled : kVectorAlignmentBytes;
    const int widest = sizeof(Input) < sizeof(Output) ? sizeof(Output) : sizeof(Input);
    int items = 1;
    while (2 * items * widest <= bytes && kItems % (2 * items) == 0) items *= 2;
    return items;
  }
  static constexpr int kVectorItems = vector_items();
  static constexpr int kVectors = kItems / kVectorItems;
  template <class Item>
  using Held = HeldItems<Item, kVectorItems, Base::kRequest.variant>;
  using Turning = TurnedVectors<T, kItems, kVectorItems>;
  using Turned = typename Turning::Vector;

  // So many segments begin among a warp's items at most if it is to look at each. Of more nearly all are empty, and
  // then items ask whether one begins there.
  static constexpr u32 kMostWalked = 16 * kWarpItems;

  // A byte for each item of a thread, 1 where a segment starts.
  static constexpr int kMarksAlignment = kItems % 16 == 0 ? 16 : kItems % 4 == 0 ? 4 : 1;
  struct alignas(kMarksAlignment) Marks {
    u8 of[kItems];
  };

 public:
  static constexpr bool kPadsPartialTiles = false;

  // One thread brings the items of a tile into L2.
  SCANTUNE_DEVICE static void prefetch(const InputItems& tile, u32 tile_items) {
    if constexpr (kReadsItems) scantune::prefetch_items(scantune::memory_of(tile.items), tile_items);
  }

  // Loads the warp's items that exist in its tile, which has tile_items. space: the warp's shared memory.
  template <bool kFull>
  SCANTUNE_DEVICE void load(const InputItems& tile, u32 tile_items, u32 warp, u32 lane, unsigned char* space) {
    const u32 first = warp * kWarpItems;
    Held<Input> held[kVectors];
    if (kFull && tile.absent == 0)
      load_vectors<true>(tile, tile_items, first, lane, held);
    else
      load_vectors<false>(tile, tile_items, first, lane, held);
    Marks* const marks = reinterpret_cast<Marks*>(space + kSpace.starts_at);
    mark(tile, tile_items, first, lane, marks);
    starts_ = bits_of(scantune::load_shared(marks + lane));
    turn(held, lane, space);
    if constexpr (Base::kHasInit) {
      const T init = tile.init.get();
      const u32 mine = first + lane * kItems;
#pragma unroll
      for (int item = 0; item < kItems; ++item)
        if (starts_at(item) && mine + item >= tile.absent) values_[item] = Op::combine(init, values_[item]);
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
    return {total, static_cast<decltype(Pair::starts)>(starts_ != 0)};
  }

  // Combines the items before the thread's first start with what is before them.
  template <bool kFull>
  SCANTUNE_DEVICE void scan(int, Pair prefix, bool has_prefix, u32 first, u32 end) {
    before_ = prefix.value;
    if (!has_prefix) return;
#pragma unroll
    for (int item = 0; item < kItems; ++item)
      if ((kFull || first + item < end) && (starts_ & ~0u >> (31 - item)) == 0)
        values_[item] = Op::combine(prefix.value, values_[item]);
  }

  // Stores the results of the warp's items.
  template <bool kFull>
  SCANTUNE_DEVICE void store(const OffsetResults<Base>& tile, u32 tile_items, u32 warp, u32 lane,
                             unsigned char* space) {
    T results[kItems];
    make_results(tile.init, results);
    Turning::turn_back(results, lane, space);
    if (kFull && tile.absent == 0)
      store_vectors<true>(tile, tile_items, warp * kWarpItems, lane, results);
    else
      store_vectors<false>(tile, tile_items, warp * kWarpItems, lane, results);
  }

 private:
  SCANTUNE_DEVICE bool starts_at(int item) const { return (starts_ >> item & 1) != 0; }

  // Calls use<neighbours>(v, item of the vector, place in the tile) for each vector of loads and stores, or for those
  // of its items that exist where not all do. Lanes are contiguous in each.
  template <bool kAll>
  SCANTUNE_DEVICE static void each_vector(u32 absent, u32 tile_items, u32 first, u32 lane, const auto& use) {
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const u64 place = first + (v * kWarpThreads + lane) * kVectorItems;
      if (kAll || (place >= absent && place + kVectorItems <= tile_items)) {
        use.template operator()<kVectorItems>(v, 0, place);
      } else if constexpr (kVectorItems > 1) {
#pragma unroll
        for (int item = 0; item < kVectorItems; ++item)
          if (place + item >= absent && place + item < tile_items) use.template operator()<1>(v, item, place + item);
      }
    }
  }

  template <bool kAll>
  SCANTUNE_DEVICE static void load_vectors(const InputItems& tile, u32 tile_items, u32 first, u32 lane,
                                           Held<Input> (&held)[kVectors]) {
    each_vector<kAll>(tile.absent, tile_items, first, lane, [&]<u32 kCount>(int v, int item, u64 place) {
      if constexpr (kCount == 1)
        held[v].items[item] = scantune::load_global<kShape.load_hint>(tile.items + place);
      else
        held[v] = scantune::load_global<kShape.load_hint>(scantune::vectors_of<const Held<Input>>(tile.items + place));
    });
  }

  template <bool kAll>
  SCANTUNE_DEVICE static void store_vectors(const OffsetResults<Base>& tile, u32 tile_items, u32 first, u32 lane,
                                            const T (&results)[kItems]) {
    each_vector<kAll>(tile.absent, tile_items, first, lane, [&]<u32 kCount>(int v, int item, u64 place) {
      if constexpr (kCount == 1) {
        scantune::store_global<kShape.store_hint>(tile.items + place,
                                                  scantune::convert<Output>(results[v * kVectorItems + item]));
      } else {
        Held<Output> held;
#pragma unroll
        for (u32 of_vector = 0; of_vector < kCount; ++of_vector)
          held.items[of_vector] = scantune::convert<Output>(results[v * kVectorItems + of_vector]);
        scantune::store_global<kShape.store_hint>(scantune::vectors_of<Held<Output>>(tile.items + place), held);
      }
    });
  }

  // Marks the items of the warp, from one of the tile on, at which segments start or which are of none.
  SCANTUNE_DEVICE static void mark(const InputItems& tile, u32 tile_items, u32 first, u32 lane, Marks* marks) {
    marks[lane] = Marks{};
    const u32 mine = first + lane * kItems;
#pragma unroll 1
    for (u32 item = 0; item < kItems && mine + item < tile.absent; ++item) marks[lane].of[item] = 1;
    sync_warp();
    if (first < tile_items && tile.starting.end - tile.starting.first > kMostWalked) {
      const u64 count = tile.index.count();
#pragma unroll 1
      for (u32 item = 0; item < kItems && mine + item < tile_items; ++item)
        if (starts_at_place(tile, count, tile.place + mine + item)) marks[lane].of[item] = 1;
    } else if (first < tile_items) {
      const u64 count = Base::kRequest.direction == Direction::reverse ? tile.index.count() : 0;
      u8* const bytes = marks[0].of;
#pragma unroll 1
      for (u64 number = u64{tile.starting.first} + lane; number < tile.starting.end; number += kWarpThreads) {
        // Empty segments at the end begin where no item is, and there may be any number of them.
        const u64 place = tile.index.place_of(number, count) - tile.place - first;
        if (place >= tile_items - first) break;
        bytes[place] = 1;
      }
    }
    sync_warp();
  }

  // Whether one of the segments that begin among the warp's items begins at a place, in the order of the scan.
  SCANTUNE_DEVICE static bool starts_at_place(const InputItems& tile, u64 count, u64 place) {
    u64 low = tile.starting.first, high = tile.starting.end;
    while (low < high) {
      const u64 middle = (low + high) / 2;
      if (tile.index.place_of(middle, count) < place)
        low = middle + 1;
      else
        high = middle;
    }
    return low < tile.starting.end && tile.index.place_of(low, count) == place;
  }

  SCANTUNE_DEVICE static u32 bits_of(const Marks& marks) {
    u32 bits = 0;
    if constexpr (kItems % 4 == 0) {
      u32 words[kItems / 4];
      scantune::copy_bytes(words, __builtin_addressof(marks), sizeof words);
#pragma unroll
      for (int word = 0; word < kItems / 4; ++word) bits |= (words[word] * 0x01020408 >> 24) << 4 * word;
    } else {
#pragma unroll
      for (int item = 0; item < kItems; ++item) bits |= u32{marks.of[item]} << item;
    }
    return bits;
  }

  // Gives each lane consecutive items for vectors that are a warp apart.
  SCANTUNE_DEVICE void turn(const Held<Input> (&held)[kVectors], u32 lane, unsigned char* space) {
    Turned* const turned = reinterpret_cast<Turned*>(space);
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      T values[kVectorItems];
#pragma unroll
      for (int item = 0; item < kVectorItems; ++item) values[item] = scantune::convert<T>(held[v].items[item]);
      T* const to = kVectors == 1 ? values_ : turned[Turning::slot(v * kWarpThreads + lane)].items;
      scantune::copy_bytes(to, values, sizeof values);
    }
    if constexpr (kVectors == 1) return;
    sync_warp();
#pragma unroll
    for (int v = 0; v < kVectors; ++v)
      scantune::copy_bytes(values_ + v * kVectorItems, turned + Turning::slot(lane * kVectors + v), sizeof(Turned));
    sync_warp();
  }

  // The first result of a segment in an exclusive scan is the initial value.
  SCANTUNE_DEVICE void make_results(const SegmentInit<Base>& init, T (&results)[kItems]) const {
    T its_init;
    if constexpr (Base::kExclusive) its_init = init.get();
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      results[item] = values_[item];
      if constexpr (Base::kExclusive)
        results[item] = starts_at(item) ? its_init : item == 0 ? before_ : values_[item == 0 ? 0 : item - 1];
    }
  }

  T values_[kItems];  // combined, after total(), from the thread's last start on, after scan() from that of the segment
  u32 starts_;        // a bit for each item
  T before_;          // all that is before the thread's items
};

template <class Base, u32 kWarpItems, class Problem, TileShape kShape, int kRows, int kRowItems>
struct SelectTileRows<OffsetItems<Base, kWarpItems>, Problem, kShape, kRows, kRowItems> {
  using Type = OffsetRows<Base, kShape>;
};

}  // namespace scantune
