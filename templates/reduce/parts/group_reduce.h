// Reduces a run of items by a group of neighbouring lanes of a warp.
//
// Built-in operators commute: lanes take units in turn, and the items before the first whole unit and after the last
// one. A custom operator sees its items in order: lanes take neighbouring pieces, which are combined across the group.
// A unit is the items of one vector. Where the result depends on how items are put together, units are counted from the
// start of the input; else from a vector boundary, so that all units are loaded as vectors. Units on no boundary are
// put together from the two vectors around each.
#pragma once

#include "core/parts/vector_boundary.h"
#include "core/parts/warp_reduce.h"
#include "reduce/config/share.h"
#include "reduce/parts/reduce_problem.h"
#include "reduce/parts/shifted_vector.h"
#include "reduce/parts/thread_total.h"

namespace scantune {

// The lowest lane of the group gets the combination of its first `count` lanes in order, none or some. All lanes of the
// warp call this.
template <class Op, u32 kThreads, class T>
SCANTUNE_DEVICE T group_reduce_ascending(T value, u32 rank, u32 count) {
#pragma unroll
  for (u32 offset = 1; offset < kThreads; offset *= 2) {
    const T later = scantune::shuffle_down(value, offset);
    if (rank + offset < count) value = Op::combine(value, later);
  }
  return value;
}

template <class Problem, u32 kThreads, int kUnroll, CacheHint kHint>
class GroupReduce {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Input = typename Problem::Input;
  using InputItems = typename Problem::InputItems;
  static constexpr u32 kUnitItems = unit_items(Problem::kRequest);
  static constexpr bool kPeels = Problem::kVariant == Variant::any && peels_head(Problem::kRequest);
  static constexpr bool kInVectors = Problem::kVariant == Variant::aligned || kPeels;
  static constexpr u32 kMostBeside = kUnitItems - 1;  // items before the first unit, or after the last one

  using Runs = RunsOf<Problem>;
  using Unit = Words<Input, kUnitItems>;
  static constexpr int kUnitAlignment = kUnitItems > 1
                                            ? kVectorAlignmentBytes
                                            : (alignof(Input) > alignof(u32) ? alignof(Input) : alignof(u32));
  struct alignas(kUnitAlignment) Vector : Unit {};

  // The loaded form of a unit: two vectors if it may cross a boundary. A map takes its items one by one. Of units in
  // two vectors half as many are on their way at once, in as many registers.
  static constexpr bool kShifts = !kInVectors && kUnitItems > 1 && !kIsMapped<InputItems>;
  template <bool kTwo, class One>
  struct SelectHeld {
    using Type = One;
  };
  template <class One>
  struct SelectHeld<true, One> {
    using Type = VectorHalves;
  };
  using Held = typename SelectHeld<kShifts, Vector>::Type;
  static constexpr u32 kAtOnce = kShifts ? (kUnroll + 1) / 2 : kUnroll;

 public:
  // Fewer than 2^32 items of a segment, of which the first is its item number `place`.
  struct Run {
    InputItems from;
    u64 place;
    u32 items;
    u32 head;  // of them before the first whole unit; with a custom operator that one's items before the run

    SCANTUNE_DEVICE u32 units() const {
      return Problem::kInOrder ? ceil_div(head + items, kUnitItems) : (items - head) / kUnitItems;
    }
    SCANTUNE_DEVICE u32 tail() const { return head + units() * kUnitItems; }
  };

  // The run of so many items from item `first` of the input on.
  SCANTUNE_DEVICE static Run run_of(InputItems input, u64 first, u32 items, u64 place = 0) {
    const InputItems from = input + first;
    u32 before = static_cast<u32>(first % kUnitItems);
    if constexpr (kPeels) before = (kUnitItems - scantune::bytes_before_boundary(from) / sizeof(Input)) % kUnitItems;
    if constexpr (Problem::kInOrder) return {from, place, items, before};
    const u32 head = (kUnitItems - before) % kUnitItems;
    return {from, place, items, head < items ? head : items};
  }

  // The lowest lane of the group gets the total of each run that has items. All lanes of the
  // warp call this, each for its group's runs.
  template <int kRuns>
  SCANTUNE_DEVICE static void reduce(const Run (&runs)[kRuns], u32 rank, T (&totals)[kRuns]) {
    if constexpr (Problem::kInOrder) {
#pragma unroll
      for (int run = 0; run < kRuns; ++run) totals[run] = reduce_in_order(runs[run], rank);
    } else {
      add_up(runs, rank, totals);
#pragma unroll
      for (int run = 0; run < kRuns; ++run)
        totals[run] = scantune::warp_reduce<Op, kThreads>(totals[run], thread_rank() % kWarpThreads);
    }
  }
  SCANTUNE_DEVICE static T reduce(const Run& run, u32 rank) {
    const Run runs[1] = {run};
    T totals[1];
    reduce(runs, rank, totals);
    return totals[0];
  }

 private:
  // Loads of all runs are on their way before any are combined.
  template <int kRuns>
  SCANTUNE_DEVICE static void add_up(const Run (&runs)[kRuns], u32 rank, T (&totals)[kRuns]) {
    Input heads[kRuns], tails[kRuns];
    u32 most_units = 0;
#pragma unroll
    for (int run = 0; run < kRuns; ++run) {
      if (most_units < runs[run].units()) most_units = runs[run].units();
      if constexpr (kMostBeside > 0) {
        if (rank < runs[run].head) heads[run] = load_item(runs[run].from + rank);
        if (const u32 tail = runs[run].tail() + rank; tail < runs[run].items)
          tails[run] = load_item(runs[run].from + tail);
      }
    }
    ThreadTotal<Problem, Runs, kUnitItems> of_units[kRuns];
#pragma unroll 1
    for (u32 first = rank; first < most_units; first += kThreads * kAtOnce) {
      Held held[kRuns][kAtOnce];
#pragma unroll
      for (int run = 0; run < kRuns; ++run)
#pragma unroll
        for (u32 step = 0; step < kAtOnce; ++step)
          if (const u32 unit = first + step * kThreads; unit < runs[run].units())
            held[run][step] = load_unit(runs[run], runs[run].head + unit * kUnitItems);
#pragma unroll
      for (int run = 0; run < kRuns; ++run)
#pragma unroll
        for (u32 step = 0; step < kAtOnce; ++step)
          if (const u32 unit = first + step * kThreads; unit < runs[run].units())
            of_units[run].take(unit_of(held[run][step], runs[run], runs[run].head + unit * kUnitItems), unit);
    }
#pragma unroll
    for (int run = 0; run < kRuns; ++run) {
      totals[run] = of_units[run].total(runs[run].place + runs[run].head);
      if constexpr (kMostBeside > 0) add_beside(runs[run], rank, heads[run], tails[run], totals[run]);
    }
  }

  SCANTUNE_DEVICE static void add_beside(const Run& run, u32 rank, Input head, Input tail, T& total) {
    const u32 at = run.tail() + rank;
    if (rank < run.head) total = Op::combine(total, Problem::accumulator_of(head, run.place + rank));
    if (at < run.items) total = Op::combine(total, Problem::accumulator_of(tail, run.place + at));
      // Groups of few threads have more items beside the units than these.
#pragma unroll
    for (u32 more = kThreads; more < kMostBeside; more += kThreads) {
      if (rank + more < run.head) total = Op::combine(total, item(run, rank + more));
      if (at + more < run.items) total = Op::combine(total, item(run, at + more));
    }
  }

  // Groups of a warp go through as many rounds as the longest run takes.
  SCANTUNE_DEVICE static T reduce_in_order(const Run& run, u32 rank) {
    T total;
    const u32 all = run.items == 0 ? 0 : run.units();
    for (u32 first = 0; !all_lanes(first >= all); first += kThreads * kUnroll) {
      const u32 left = first < all ? ceil_div(all - first, u32{kUnroll}) : 0, mine = first + rank * kUnroll;
      const u32 lanes = left < kThreads ? left : kThreads;
      T piece;
      if (rank < lanes) piece = piece_of(run, mine, all - mine < kUnroll ? all : mine + kUnroll);
      piece = scantune::group_reduce_ascending<Op, kThreads>(piece, rank, lanes);
      if (rank == 0 && lanes > 0) total = first == 0 ? piece : Op::combine(total, piece);
    }
    return total;
  }

  // The combination of the units [first, end), at least one and at most kUnroll, in order. Of the first and the last
  // unit of a run some items may be outside.
  SCANTUNE_DEVICE static T piece_of(const Run& run, u32 first, u32 end) {
    const u32 begin = first * kUnitItems, whole = end * kUnitItems;
    if (end - first == kUnroll && begin >= run.head && whole <= run.head + run.items) {
      const u32 place = begin - run.head;
      Held held[kUnroll];
#pragma unroll
      for (u32 step = 0; step < kUnroll; ++step) held[step] = load_unit(run, place + step * kUnitItems);
      T piece = total_of(unit_of(held[0], run, place));
#pragma unroll
      for (u32 step = 1; step < kUnroll; ++step)
        piece = Op::combine(piece, total_of(unit_of(held[step], run, place + step * kUnitItems)));
      return piece;
    }
    const u32 from = begin < run.head ? 0 : begin - run.head;
    const u32 to = whole - run.head < run.items ? whole - run.head : run.items;
    T piece = item(run, from);
    for (u32 place = from + 1; place < to; ++place) piece = Op::combine(piece, item(run, place));
    return piece;
  }

  SCANTUNE_DEVICE static T item(const Run& run, u32 place) {
    return Problem::accumulator_of(load_item(run.from + place), run.place + place);
  }
  SCANTUNE_DEVICE static Input load_item(InputItems from) { return scantune::load_global<CacheHint::normal>(from); }

  // The unit from an item of the run on. Where the rest of its two vectors may not be accessible it is loaded item by
  // item.
  SCANTUNE_DEVICE static Held load_unit(const Run& run, u32 place) {
    const InputItems from = run.from + place;
    if constexpr (kInVectors && kUnitItems > 1) {
      return scantune::load_global<kHint>(scantune::vectors_of<const Vector>(from));
    } else if constexpr (kShifts) {
      if (is_between(run, place)) return scantune::load_halves(from);
      return {__builtin_bit_cast(VectorWords, load_items(from)), {}};
    } else {
      return load_items(from);
    }
  }

  SCANTUNE_DEVICE static Vector load_items(InputItems from) {
    Input items[kUnitItems];
#pragma unroll
    for (int item = 0; item < kUnitItems; ++item) items[item] = scantune::load_global<kHint>(from + item);
    Vector vector;
    scantune::copy_bytes(__builtin_addressof(vector), items, sizeof items);
    return vector;
  }

  // Returns what load_unit() has loaded.
  SCANTUNE_DEVICE static Vector unit_of(const Held& held, const Run& run, u32 place) {
    if constexpr (kShifts)
      return __builtin_bit_cast(Vector, scantune::shifted(held, is_between(run, place) ? shift_of(run, place) : 0));
    else
      return held;
  }

  // How many bytes past a boundary a unit begins. It is the same for all units of an input.
  SCANTUNE_DEVICE static u32 shift_of(const Run& run, u32 place) {
    return static_cast<u32>(reinterpret_cast<u64>(run.from + place) % kVectorAlignmentBytes);
  }

  // Whether the two vectors around a unit hold items of the run alone.
  SCANTUNE_DEVICE static bool is_between(const Run& run, u32 place) {
    return place >= kUnitItems && run.items - place >= 2 * kUnitItems;
  }

  SCANTUNE_DEVICE static T total_of(const Vector& vector) { return RunScan<Runs, kUnitItems>::reduce(vector); }
};

}  // namespace scantune
