// Loads, scans and stores one tile with all threads of a CTA.
//
// A thread holds rows of consecutive items. In the striped layout each vector is a row, and a warp's lanes are
// contiguous in it; otherwise one row has all of the thread's items. In a partial tile, items that do not exist are
// either never combined, or replaced by padding (kPadsPartialTiles). Code that costs instructions per item in the first
// case is compiled twice: for full tiles (kFull) and for partial ones.
#pragma once

#include "core/parts/begin_kernel.h"
#include "core/parts/store_run.h"
#include "core/parts/warp_reduce.h"
#include "core/parts/warp_scan.h"
#include "scan/config/tile.h"
#include "scan/parts/exchange_space.h"
#include "scan/parts/started_rows.h"
#include "scan/parts/tile_rows.h"
#include "scan/parts/tile_vectors.h"

namespace scantune {

// What a thread holds between load and store.
template <class InputItems, class Problem, TileShape kShape, int kRows, int kRowItems>
struct SelectTileRows {
  using Type = ThreadRows<Problem, kRows, kRowItems, kShape.pads_tiles>;
};
template <class Base, class Problem, TileShape kShape, int kRows, int kRowItems>
struct SelectTileRows<StartedItems<Base>, Problem, kShape, kRows, kRowItems> {
  using Type = StartedRows<Base, kShape>;
};

template <class Problem, TileShape kShape>
class TileScan {
  using T = typename Problem::Accumulator;
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;
  using InputItems = typename Problem::InputItems;
  using OutputItems = typename Problem::OutputItems;
  using Op = typename Problem::Op;

  static constexpr bool kStriped = kShape.layout == TileLayout::striped;
  static constexpr bool kTransposed = kShape.layout == TileLayout::warp_transposed;
  static constexpr int kItems = kShape.items_per_thread;
  static constexpr int kVectorItems = kShape.vector_items;
  static constexpr int kVectors = kShape.vectors_per_thread();
  static constexpr int kRows = kShape.rows();
  static constexpr int kRowItems = kStriped ? kVectorItems : kItems;
  static constexpr u32 kWarpItems = kWarpThreads * kItems;
  static constexpr int kExchangeBytes = exchange_bytes_per_warp(kShape, Problem::kRequest);

  static constexpr int kTileAlignment = kShape.is_peeled ? kVectorAlignmentBytes : Problem::kRequest.alignment_bytes();

  template <class Item>
  static constexpr u64 kAccessBytes = access_bytes(
      kVectorItems, sizeof(Item), kTileAlignment > int{alignof(Item)} ? kTileAlignment : int{alignof(Item)});
  using Rows = typename SelectTileRows<InputItems, Problem, kShape, kRows, kRowItems>::Type;
  static constexpr bool kHasStarts = kHaveStarts<InputItems>;  // its rows load and store themselves
  static constexpr bool kPads = Rows::kPadsPartialTiles;
  static constexpr int kMostTotalsInTurn = 8;
  static constexpr u32 kLanesOfTotals = kShape.lanes_of_totals();
  // Rows of different lanes are added up before those between them are, so the operator must commute.
  static constexpr bool kReducesFirst =
      kShape.aggregate_from == AggregateFrom::reduction && !is_custom(Problem::kRequest.op);
  // Where there are many totals, one from every lane, they are reduced before they are scanned.
  static constexpr bool kHasManyTotals = kShape.warps() > kMostTotalsInTurn;
  static constexpr bool kScansTotalsLast = kPads && kHasManyTotals && kLanesOfTotals == kShape.warps();
  static constexpr u32 kLaneOfTotal = kPads ? kWarpThreads - 1 : 0;  // one of the lanes that have it
  template <class Item>
  struct alignas(kAccessBytes<Item>) Vector : VectorOf<Item, kVectorItems, kShape.pads_tiles> {};

 public:
  static constexpr u32 kTileItems = kShape.tile_items();

  struct alignas(16) Shared : ExchangeSpace<kShape.warps() * kExchangeBytes> {
    T warp_totals[kWarpThreads];  // totals, then, for each warp, the combination of everything before it
  };

  // left: items from the start of this tile to the end of the input; the tile is partial if they do not fill it.
  SCANTUNE_DEVICE TileScan(Shared& shared, u64 left)
      : shared_(shared),
        warp_(thread_rank() / kWarpThreads),
        lane_(thread_rank() % kWarpThreads),
        tile_items_(left < kTileItems ? static_cast<u32>(left) : kTileItems) {}

  SCANTUNE_DEVICE bool in_first_warp() const { return warp_ == 0; }
  SCANTUNE_DEVICE u32 lane() const { return lane_; }

  // What load() and store() need to know beforehand, for begin_kernel().
  SCANTUNE_DEVICE u64 prepared(InputItems from, OutputItems to) const {
    return scantune::edge(from + vector_position(0)) + scantune::edge(to + vector_position(0)) + tile_items_;
  }

  // Brings the tile into L2, as far as it fills vectors. One thread does so for all.
  SCANTUNE_DEVICE void prefetch(InputItems tile) const {
    if constexpr (kHasStarts) {
      if (thread_rank() == 0) Rows::prefetch(tile, tile_items_);
    } else if constexpr (kLieInMemory<InputItems>) {
      if (thread_rank() != 0) return;
      const auto* const begin = scantune::lowest(scantune::memory_of(tile), tile_items_);
      const u64 first = round_up(reinterpret_cast<u64>(begin), u64{kVectorAlignmentBytes});
      const u64 end = reinterpret_cast<u64>(begin + tile_items_) / kVectorAlignmentBytes * kVectorAlignmentBytes;
      if (first < end) prefetch_to_l2(reinterpret_cast<const void*>(first), static_cast<u32>(end - first));
    }
  }

  // Loads the items that exist from the tile's place in the input.
  SCANTUNE_DEVICE void load(InputItems tile) {
    if constexpr (kHasStarts) {
      if (full())
        rows_.template load<true>(tile, tile_items_, warp_, lane_, exchange());
      else
        rows_.template load<false>(tile, tile_items_, warp_, lane_, exchange());
    } else {
      Vector<Input> vectors[kVectors];
      scantune::in_order(tile, [&](auto items) {
        if (full()) {
#pragma unroll
          for (int v = 0; v < kVectors; ++v)
            vectors[v] = scantune::load_global<kShape.load_hint>(
                scantune::vectors_of<const Vector<Input>>(items + vector_position(v)));
        } else {
          Vector<Input>::PartialTile::template load<kShape.load_hint, Rows>(
              vectors, items, tile_items_, [&](int item) { return item_position(item); });
        }
      });
      if constexpr (kTransposed) to_consecutive(vectors);
      rows_.take(vectors);
    }
  }

  // Scans the items of each warp and the totals of the warps. Returns the first warp the tile's aggregate; the others
  // learn what is before them from distribute().
  SCANTUNE_DEVICE T scan() {
    const T total = scan_warp();
    share(total);
    if (!in_first_warp()) return total;
    const T inclusive = scan_totals();
    before_warp_ = scantune::shuffle_up(inclusive, 1);
    return scantune::shuffle_index(inclusive, valid_warps() - 1);
  }

  // Does the same in every warp by itself, which costs instructions and saves a barrier: one is left, and none in a CTA
  // of one warp. Returns all threads the aggregate; carry_in() follows.
  SCANTUNE_DEVICE T scan_in_every_warp() {
    // Where lanes are reduced by one instruction, all warps may be scanned while their totals travel.
    if constexpr (kReducesFirst && LaneReduction<Op>::kExists) {
      const T aggregate = reduce();
      scan_reduced();
      return aggregate;
    }
    const T total = scan_warp();
    if constexpr (kShape.warps() == 1) {
      return scantune::shuffle_index(total, kLaneOfTotal);
    } else {
      share(total);
      if constexpr (kPads && kShape.warps() <= kMostTotalsInTurn) return combine_totals();
      return distribute_totals();
    }
  }

  // Returns all threads the aggregate, by a reduction before anything is scanned. scan_reduced() follows, and
  // carry_in().
  SCANTUNE_DEVICE T reduce() {
    if constexpr (!kReducesFirst) {
      return scan_in_every_warp();
    } else {
      static_assert(kPads);
      reduce_all_rows();
      T total = prefix_[0];
#pragma unroll
      for (int row = 1; row < kRows; ++row) total = Op::combine(prefix_[row], total);
      total = scantune::warp_reduce<Op>(total, lane_);
      if constexpr (kShape.warps() == 1) return total;
      share(total);
      if constexpr (kShape.warps() <= kMostTotalsInTurn) return combine_totals();
      if constexpr (kScansTotalsLast)
        return scantune::warp_reduce<Op, kLanesOfTotals>(shared_.warp_totals[lane_ % kLanesOfTotals], lane_);
      return distribute_totals();
    }
  }

  // Does the rest of the scan after reduce().
  SCANTUNE_DEVICE void scan_reduced() {
    if constexpr (!kReducesFirst) return;
    scan_row_totals();
    if constexpr (kScansTotalsLast) distribute_totals();
  }

  // The first warp hands every warp the combination of all items before it; carry_in counts if has_carry.
  SCANTUNE_DEVICE void distribute(T carry_in, bool has_carry) {
    if (in_first_warp() && lane_ < kShape.warps()) {
      if (has_carry) {
        const bool exists = kPads || lane_ * kWarpItems < tile_items_;
        before_warp_ = lane_ == 0 ? carry_in : combine_if(exists, carry_in, before_warp_);
      }
      shared_.warp_totals[lane_] = before_warp_;
    }
    sync_block();
    before_warp_ = shared_.warp_totals[warp_];
  }

  // Takes what comes before the tile, which every thread passes.
  SCANTUNE_DEVICE void carry_in(T carry) {
    const bool exists = kPads || warp_ * kWarpItems < tile_items_;
    before_warp_ = warp_ == 0 ? carry : combine_if(exists, carry, before_warp_);
  }

  // Combines every item with what is before it and stores the results.
  SCANTUNE_DEVICE void store(OutputItems tile, bool has_carry) {
    if (kPads || full()) {
      scan_rows<true>(has_carry);
    } else {
      scan_rows<false>(has_carry);
    }
    if constexpr (kHasStarts) {
      if (full())
        rows_.template store<true>(tile, tile_items_, warp_, lane_, exchange());
      else
        rows_.template store<false>(tile, tile_items_, warp_, lane_, exchange());
    } else {
      Vector<Output> vectors[kVectors];
      rows_.give(vectors);
      if constexpr (kTransposed) to_striped(vectors);
      scantune::in_order(tile, [&](auto items) {
        if constexpr (kShape.is_peeled) {
          const bool fits_vectors =
              kAreNeighbours<decltype(items)> && scantune::edge(items) % alignof(Vector<Output>) == 0;
          full() && fits_vectors ? store_vectors(items, vectors) : store_staged(items, vectors);
        } else if (full()) {
#pragma unroll
          for (int v = 0; v < kVectors; ++v)
            scantune::store_global<kShape.store_hint>(scantune::vectors_of<Vector<Output>>(items + vector_position(v)),
                                                      vectors[v]);
        } else {
          Vector<Output>::PartialTile::template store<kShape.store_hint>(vectors, items, tile_items_,
                                                                         [&](int item) { return item_position(item); });
        }
      });
    }
  }

 private:
  // Scans the items of this warp. Returns one lane the warp's total.
  SCANTUNE_DEVICE T scan_warp() {
    reduce_all_rows();
    return scan_row_totals();
  }

  // Scans the totals of this warp's rows. Returns one lane the warp's total.
  SCANTUNE_DEVICE T scan_row_totals() {
    T carry;
    scan_row_totals_from<0>(carry);
    return carry;
  }

  // This recurses, since the compiler may split a loop into two, one for the first lane. One shuffle then waits for
  // both.
  template <int kRow>
  SCANTUNE_DEVICE void scan_row_totals_from(T& carry) {
    const u32 valid_lanes = this->valid_lanes(kRow);
    if (kRow > 0 && valid_lanes == 0) return;
    const T inclusive = scantune::warp_inclusive_scan<kShape.warp_scan, Op, kWarpThreads>(prefix_[kRow], lane_,
                                                                                          valid_lanes, scan_exchange());
    const T before_lane = scantune::shuffle_up(inclusive, 1);
    prefix_[kRow] = kRow == 0 ? before_lane : lane_ == 0 ? carry : combine_if(lane_ < valid_lanes, carry, before_lane);
    const bool is_last = kPads && kRow == kRows - 1;
    const T total = is_last ? inclusive : scantune::shuffle_index(inclusive, valid_lanes - 1);
    carry = kRow == 0 ? total : Op::combine(carry, total);
    if constexpr (kRow + 1 < kRows) scan_row_totals_from<kRow + 1>(carry);
  }

  // Lets all warps know this one's total.
  SCANTUNE_DEVICE void share(T total) {
    if (lane_ == kLaneOfTotal) shared_.warp_totals[warp_] = total;
    sync_block();
  }

  // Combines one total after the other: for so few, shuffles would take longer. Returns the aggregate, to which warps
  // without items add neutral ones.
  SCANTUNE_DEVICE T combine_totals() {
    T sum = shared_.warp_totals[0];
#pragma unroll
    for (u32 warp = 1; warp < kShape.warps(); ++warp) {
      if (warp_ == warp) before_warp_ = sum;
      sum = Op::combine(sum, shared_.warp_totals[warp]);
    }
    return sum;
  }

  // Gives every warp what is before it. Returns the aggregate.
  SCANTUNE_DEVICE T distribute_totals() {
    const T inclusive = scan_totals();
    before_warp_ = scantune::shuffle_index(inclusive, warp_ - 1);
    return scantune::shuffle_index(inclusive, valid_warps() - 1);
  }

  // Lane i of the calling warp gets the combination of the warps 0..i.
  SCANTUNE_DEVICE T scan_totals() {
    return scantune::warp_inclusive_scan<kShape.warp_scan, Op, kLanesOfTotals>(shared_.warp_totals[lane_], lane_,
                                                                               valid_warps(), scan_exchange());
  }

  SCANTUNE_DEVICE bool full() const { return tile_items_ == kTileItems; }

  SCANTUNE_DEVICE static T combine_if(bool condition, T earlier, T later) {
    if (condition) later = Op::combine(earlier, later);
    return later;
  }

  // The place in the tile of this thread's v-th vector access.
  SCANTUNE_DEVICE u32 vector_position(int v) const {
    if constexpr (kShape.layout == TileLayout::direct) return warp_ * kWarpItems + lane_ * kItems + v * kVectorItems;
    return warp_ * kWarpItems + (v * kWarpThreads + lane_) * kVectorItems;
  }

  SCANTUNE_DEVICE u32 item_position(int item) const {
    return vector_position(item / kVectorItems) + item % kVectorItems;
  }

  SCANTUNE_DEVICE u32 row_position(int row, u32 lane) const {
    return warp_ * kWarpItems + (row * kWarpThreads + lane) * kRowItems;
  }

  // How many of kUnits neighbouring units of kUnitItems items, starting at `first`, hold at least one item; with
  // padding all do.
  template <u32 kUnitItems, u32 kUnits>
  SCANTUNE_DEVICE u32 valid_units(u32 first) const {
    if (kPads) return kUnits;
    if (first >= tile_items_) return 0;
    const u32 units = ceil_div(tile_items_ - first, kUnitItems);
    return units < kUnits ? units : kUnits;
  }

  SCANTUNE_DEVICE u32 valid_lanes(int row) const { return valid_units<kRowItems, kWarpThreads>(row_position(row, 0)); }
  SCANTUNE_DEVICE u32 valid_warps() const { return valid_units<kWarpItems, kShape.warps()>(0); }

  SCANTUNE_DEVICE void reduce_all_rows() {
    if (kPads || full()) {
      reduce_rows<true>();
    } else {
      reduce_rows<false>();
    }
  }

  // Leaves each row's total in prefix_.
  template <bool kFull>
  SCANTUNE_DEVICE void reduce_rows() {
#pragma unroll
    for (int row = 0; row < kRows; ++row)
      prefix_[row] = rows_.template total<kFull>(row, row_position(row, lane_), tile_items_);
  }

  template <bool kFull>
  SCANTUNE_DEVICE void scan_rows(bool has_carry) {
    const bool warp_has_prefix = has_carry || warp_ > 0;
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      const u32 first = row_position(row, lane_);
      if (!kFull && first >= tile_items_) break;
      const bool has_row_prefix = row > 0 || lane_ > 0;
      T prefix = prefix_[row];
      if (warp_has_prefix) prefix = has_row_prefix ? Op::combine(before_warp_, prefix) : before_warp_;
      rows_.template scan<kFull>(row, prefix, warp_has_prefix || has_row_prefix, first, tile_items_);
    }
  }

  // Slot of the k-th vector of a warp in exchange space, where each lane owns consecutive vectors.
  SCANTUNE_DEVICE static u32 slot(u32 k) { return k / kVectors * kShape.exchange_stride_vectors() + k % kVectors; }

  template <class Item>
  SCANTUNE_DEVICE void to_consecutive(Vector<Item> (&vectors)[kVectors]) {
    Vector<Item>* const space = reinterpret_cast<Vector<Item>*>(shared_.at(warp_ * kExchangeBytes));
#pragma unroll
    for (int v = 0; v < kVectors; ++v) space[slot(v * kWarpThreads + lane_)] = vectors[v];
    sync_warp();
#pragma unroll
    for (int v = 0; v < kVectors; ++v) vectors[v] = space[slot(lane_ * kVectors + v)];
    sync_warp();
  }

  template <class Item>
  SCANTUNE_DEVICE void to_striped(Vector<Item> (&vectors)[kVectors]) {
    Vector<Item>* const space = reinterpret_cast<Vector<Item>*>(shared_.at(warp_ * kExchangeBytes));
#pragma unroll
    for (int v = 0; v < kVectors; ++v) space[slot(lane_ * kVectors + v)] = vectors[v];
    sync_warp();
#pragma unroll
    for (int v = 0; v < kVectors; ++v) vectors[v] = space[slot(v * kWarpThreads + lane_)];
  }

  // Addresses are made by the index of the vector. Where they are made of items, at an offset that is known late, the
  // compiler stores a vector word by word.
  template <class Items>
  SCANTUNE_DEVICE void store_vectors(Items tile, const Vector<Output> (&vectors)[kVectors]) {
#pragma unroll
    for (int v = 0; v < kVectors; ++v)
      scantune::store_global<kShape.store_hint>(
          scantune::vectors_of<Vector<Output>>(tile) + vector_position(v) / kVectorItems, vectors[v]);
  }

  // Stores through shared memory, to any address and as many items as there are.
  template <class Items>
  SCANTUNE_DEVICE void store_staged(Items tile, const Vector<Output> (&vectors)[kVectors]) {
    Vector<Output>* const space = reinterpret_cast<Vector<Output>*>(shared_.at(warp_ * kExchangeBytes));
    if constexpr (kTransposed) sync_warp();  // every lane has read its turned items
#pragma unroll
    for (int v = 0; v < kVectors; ++v) space[(vector_position(v) - warp_ * kWarpItems) / kVectorItems] = vectors[v];
    sync_warp();
    const u32 first = warp_ * kWarpItems;
    if (first >= tile_items_) return;
    const u32 items = tile_items_ - first < kWarpItems ? tile_items_ - first : kWarpItems;
    scantune::store_run<kShape.store_hint>(tile + first, reinterpret_cast<const Output*>(space), items, lane_);
  }

  SCANTUNE_DEVICE unsigned char* exchange() { return shared_.at(warp_ * kExchangeBytes); }
  SCANTUNE_DEVICE T* scan_exchange() { return reinterpret_cast<T*>(shared_.at(warp_ * kExchangeBytes)); }

  Shared& shared_;
  const u32 warp_;
  const u32 lane_;
  const u32 tile_items_;  // items that exist
  Rows rows_;
  T prefix_[kRows];  // total of each row, then everything in this warp before this thread's row; nothing for lane 0 of
                     // row 0
  T before_warp_;  // everything before this warp; between scan() and distribute() of the first warp: before warp `lane`
};

}  // namespace scantune
