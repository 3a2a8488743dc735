// Scans runs of items by groups of neighbouring lanes of a warp, tile by tile.
//
// In a tile each lane scans neighbouring items. With a built-in operator neutral items take the place of those that a
// run has not, before its first as after its last; a custom operator gets none, so its tiles begin with the run.
#pragma once

#include "core/parts/warp_scan.h"
#include "scan/config/scan_segments.h"
#include "scan/parts/tile_rows.h"
#include "scan/parts/tile_vectors.h"

namespace scantune {

template <class Problem, ScanSegmentsConfig kConfig, u32 kThreads>
class GroupScan {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;
  using InputItems = typename Problem::InputItems;
  using OutputItems = typename Problem::OutputItems;
  static constexpr ScanRequest kRequest = Problem::kRequest;
  static constexpr bool kPads = !is_custom(kRequest.op);
  // Neutral items before a run change no item, but an initial value that the input's type has not.
  static constexpr bool kFillerShows =
      Problem::kExclusive && kRequest.input_type != kRequest.accumulator_type &&
      (kRequest.op == Operator::min || kRequest.op == Operator::max || kRequest.op == Operator::bit_and);
  static constexpr bool kBeginsWithRun = !kPads || needs_fixed_association(kRequest) || kFillerShows;
  static constexpr int kItems = kConfig.items_per_thread;
  static constexpr int kVectorItems = vector_items(kConfig.vector_bytes, {kRequest, Variant::aligned});
  static constexpr int kVectors = kItems / kVectorItems;
  static constexpr u32 kTileItems = kThreads * kItems;
  using Rows = ThreadRows<Problem, 1, kItems, kPads>;

  template <class Item>
  struct alignas(access_bytes(kVectorItems, sizeof(Item), kVectorAlignmentBytes) > int{alignof(Item)}
                     ? access_bytes(kVectorItems, sizeof(Item), kVectorAlignmentBytes)
                     : int{alignof(Item)}) Vector : VectorOf<Item, kVectorItems, kPads> {};

 public:
  // Fewer than 2^32 items of a segment, and where tiles begin, at most a vector before them.
  struct Run {
    u64 first;  // place of the first tile in the order of the scan
    u32 head;   // places of a tile before the first item
    u32 end;    // and the one after the last

    SCANTUNE_DEVICE bool has(u32 place) const { return head <= place && place < end; }
    SCANTUNE_DEVICE bool has_all(u32 place) const { return head <= place && place + kVectorItems <= end; }
  };

  SCANTUNE_DEVICE static Run run_of(const KernelArguments& arguments, u64 first, u32 items) {
    u32 head = 0;
    if constexpr (!kBeginsWithRun)
      head = static_cast<u32>(scantune::edge(Problem::input(arguments) + first) % (kVectorItems * sizeof(Input)) /
                              sizeof(Input));
    return {first - head, head, items == 0 ? 0 : head + items};
  }

  // Scans each run after what comes before it, if that exists, and stores the results. Afterwards totals[run] is the
  // combination of its items, in all lanes of the group. All lanes of the warp call this, each for its group's runs.
  template <int kRuns>
  SCANTUNE_DEVICE static void scan(const KernelArguments& arguments, const Run (&runs)[kRuns], T (&before)[kRuns],
                                   bool has_before, T (&totals)[kRuns]) {
    if (all_end(runs, 0)) return;
    GroupScan tiles[kRuns];
    load(arguments, runs, 0, tiles);
    bool is_last = false;
    for (u32 first = 0; !is_last; first += kTileItems) {
      // The next tiles are on their way while these are scanned.
      is_last = all_end(runs, first + kTileItems);
      GroupScan next[kRuns];
      if (!is_last) load(arguments, runs, first + kTileItems, next);
#pragma unroll
      for (int run = 0; run < kRuns; ++run) {
        const bool has_earlier = has_before || first > 0;
        const T aggregate = tiles[run].scan(runs[run].end, first);
        tiles[run].store(arguments, runs[run], first, before[run], has_earlier);
        if (kPads || first < runs[run].end) {
          totals[run] = first > 0 ? Op::combine(totals[run], aggregate) : aggregate;
          before[run] = has_earlier ? Op::combine(before[run], aggregate) : aggregate;
        }
        tiles[run] = next[run];
      }
    }
  }

  // Returns the combination that scan() does, without any results.
  SCANTUNE_DEVICE static T reduce(const KernelArguments& arguments, const Run& run) {
    T total;
#pragma unroll 4
    for (u32 first = 0; first < run.end; first += kTileItems) {
      GroupScan tile;
      tile.load(arguments, run, first);
      const T aggregate = tile.scan(run.end, first);
      total = first > 0 ? Op::combine(total, aggregate) : aggregate;
    }
    return total;
  }

 private:
  template <int kRuns>
  SCANTUNE_DEVICE static bool all_end(const Run (&runs)[kRuns], u32 first) {
    bool end = true;
#pragma unroll
    for (int run = 0; run < kRuns; ++run) end = end && first >= runs[run].end;
    return all_lanes(end);
  }

  SCANTUNE_DEVICE static u32 lane() { return thread_rank() % kWarpThreads; }
  SCANTUNE_DEVICE static u32 rank() { return thread_rank() % kThreads; }

  template <int kRuns>
  SCANTUNE_DEVICE static void load(const KernelArguments& arguments, const Run (&runs)[kRuns], u32 first,
                                   GroupScan (&tiles)[kRuns]) {
#pragma unroll
    for (int run = 0; run < kRuns; ++run) tiles[run].load(arguments, runs[run], first);
  }

  // Loads this lane's items of the tile that begins there.
  SCANTUNE_DEVICE void load(const KernelArguments& arguments, const Run& run, u32 first) {
    const InputItems from = Problem::input(arguments) + run.first;
    const bool in_vectors = comes_in_vectors<Input>(from);
    Vector<Input> vectors[kVectors];
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const u32 place = first + rank() * kItems + v * kVectorItems;
      if (in_vectors && run.has_all(place)) {
        vectors[v] = scantune::load_global<kConfig.load_hint>(scantune::vectors_of<const Vector<Input>>(from + place));
        continue;
      }
      Input items[kVectorItems];
#pragma unroll
      for (int item = 0; item < kVectorItems; ++item) {
        if constexpr (kPads) scantune::copy_bytes(__builtin_addressof(items[item]), &Rows::kFiller, sizeof(Input));
        if (run.has(place + item)) items[item] = scantune::load_global<kConfig.load_hint>(from + (place + item));
      }
      scantune::copy_bytes(__builtin_addressof(vectors[v]), items, sizeof items);
    }
    rows_.take(vectors);
  }

  // Leaves in each lane what is before it in the tile. Returns the combination of the tile's items.
  SCANTUNE_DEVICE T scan(u32 end, u32 first) {
    const T total = rows_.template total<kPads>(0, first + rank() * kItems, end);
    if constexpr (kThreads == 1) return total;
    u32 lanes = kThreads;
    if constexpr (!kPads) {
      const u32 left = first < end ? ceil_div(end - first, u32{kItems}) : 0;
      if (left < lanes) lanes = left;
    }
    const T inclusive = scantune::warp_inclusive_scan<WarpScan::kogge_stone_2, Op, kThreads>(total, rank(), lanes,
                                                                                             static_cast<T*>(nullptr));
    prefix_ = scantune::shuffle_up(inclusive, 1);
    return scantune::shuffle_index(inclusive, lane() - rank() + lanes - 1);
  }

  // Combines this lane's items with what is before them, and stores the results.
  SCANTUNE_DEVICE void store(const KernelArguments& arguments, const Run& run, u32 first, T before, bool has_before) {
    const u32 mine = first + rank() * kItems;
    if (mine >= run.end) return;
    if (rank() == 0)
      prefix_ = before;
    else if (has_before)
      prefix_ = Op::combine(before, prefix_);
    rows_.template scan<kPads>(0, prefix_, has_before || rank() > 0, mine, run.end);
    Vector<Output> vectors[kVectors];
    rows_.give(vectors);
    const OutputItems to = Problem::output(arguments) + run.first;
    const bool in_vectors = comes_in_vectors<Output>(to);
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const u32 place = mine + v * kVectorItems;
      if (in_vectors && run.has_all(place)) {
        scantune::store_global<kConfig.store_hint>(scantune::vectors_of<Vector<Output>>(to + place), vectors[v]);
        continue;
      }
      Output items[kVectorItems];
      scantune::copy_bytes(items, __builtin_addressof(vectors[v]), sizeof items);
#pragma unroll
      for (int item = 0; item < kVectorItems; ++item)
        if (run.has(place + item)) scantune::store_global<kConfig.store_hint>(to + (place + item), items[item]);
    }
  }

  // Whether vectors begin where tiles do.
  template <class Item, class Items>
  SCANTUNE_DEVICE static bool comes_in_vectors(Items tiles) {
    if constexpr (alignof(Vector<Item>) == alignof(Item)) return true;
    return scantune::edge(tiles) % alignof(Vector<Item>) == 0;
  }

  Rows rows_;
  T prefix_;
};

}  // namespace scantune
