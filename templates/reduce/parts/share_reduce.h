// Reduces one CTA's share of the input, with all of its threads.
//
// Built-in operators commute: every thread reduces units that are a CTA apart, and threads combine their results at the
// end only. A custom operator sees its items in order: each warp takes a run of the share, its lanes neighbouring
// pieces, which are repeatedly combined across the lanes.
#pragma once

#include "core/machine/status.h"
#include "core/parts/block_reduce.h"
#include "core/parts/vector_boundary.h"
#include "core/parts/warp_reduce.h"
#include "reduce/config/share.h"
#include "reduce/parts/reduce_problem.h"
#include "reduce/parts/shifted_vector.h"
#include "reduce/parts/thread_total.h"

namespace scantune {

struct ShareShape {
  int block_threads;
  int unroll;
  Deal deal;
  CacheHint load_hint;

  constexpr bool operator==(const ShareShape&) const = default;
};
template <class Config>
constexpr ShareShape share_shape(const Config& config) {
  return {config.block_threads, config.unroll, config.deal, config.load_hint};
}

// What is left to one thread, if there was anything.
template <class T>
struct Total {
  T value;
  bool exists;
};

template <class Problem, ShareShape kShape>
class ShareReduce {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Input = typename Problem::Input;
  using InputItems = typename Problem::InputItems;
  using Block = BlockReduce<Op, kShape.block_threads>;

  static constexpr int kUnroll = kShape.unroll;
  static constexpr int kUnitItems = unit_items(Problem::kRequest);
  static constexpr u64 kTileUnits = static_cast<u64>(kShape.block_threads) * kUnroll;
  static constexpr bool kPeels = Problem::kVariant == Variant::any && peels_head(Problem::kRequest);
  static constexpr bool kInVectors = Problem::kVariant == Variant::aligned || kPeels;

  using Runs = RunsOf<Problem>;
  using Unit = Words<Input, kUnitItems>;
  static constexpr int kUnitAlignment = kUnitItems > 1
                                            ? kVectorAlignmentBytes
                                            : (alignof(Input) > alignof(u32) ? alignof(Input) : alignof(u32));
  struct alignas(kUnitAlignment) Vector : Unit {};

  // The loaded form of a unit: two vectors if it may cross a boundary. A map takes its items one by one.
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

 public:
  using Shared = typename Block::Shared;

  // CTA `cta` of `ctas` takes its share of the input, or of n items from there.
  SCANTUNE_DEVICE ShareReduce(const KernelArguments& arguments, u32 cta, u32 ctas)
      : ShareReduce(Problem::input(arguments), arguments.n, cta, ctas) {}
  SCANTUNE_DEVICE ShareReduce(InputItems input, u64 n, u32 cta, u32 ctas)
      : input_(input), n_(n), cta_(cta), ctas_(ctas) {
    if constexpr (kPeels) {
      const u64 before = scantune::bytes_before_boundary(input_) / sizeof(Input);
      head_ = static_cast<u32>(before < n_ ? before : n_);
    }
    units_ = Problem::kInOrder ? ceil_div(n_, u64{kUnitItems}) : (n_ - head_) / kUnitItems;
    share_units_ = round_up(ceil_div(units_, u64{ctas}), kShareUnits);
  }

  // The first CTAs have the shares that are not empty; if n is 0, the first CTA only.
  SCANTUNE_DEVICE u32 active_ctas() const {
    const u64 active = kInTiles ? ctas_ : units_ == 0 ? 1 : ceil_div(units_, share_units_);
    return static_cast<u32>(active);
  }

  // Brings the first tile of the share into L2, as far as it fills vectors. One thread does so for all. Warps that take
  // runs of the share, in order, begin elsewhere.
  SCANTUNE_DEVICE void prefetch() const {
    if constexpr (!Problem::kInOrder && kLieInMemory<InputItems>) {
      const u64 begin = first_unit(), end = begin + kTileUnits < end_unit() ? begin + kTileUnits : end_unit();
      if (thread_rank() != 0 || begin >= end) return;
      const u64 end_item = head_ + end * kUnitItems < n_ ? head_ + end * kUnitItems : n_;
      const auto input = scantune::memory_of(input_);
      const u64 first = round_up(reinterpret_cast<u64>(input + head_ + begin * kUnitItems), u64{kVectorAlignmentBytes});
      const u64 last = reinterpret_cast<u64>(input + end_item) / kVectorAlignmentBytes * kVectorAlignmentBytes;
      if (first < last) prefetch_to_l2(reinterpret_cast<const void*>(first), static_cast<u32>(last - first));
    }
  }

  // Thread 0 gets the total of the share, which exists if any item does.
  SCANTUNE_DEVICE Total<T> reduce(Shared& shared) const {
    if constexpr (Problem::kInOrder)
      return reduce_in_order(shared);
    else
      return {Block::reduce(shared, add_up()), true};
  }

 private:
  static constexpr bool kInTiles = kShape.deal == Deal::tiles;

  // The units of this CTA begin here, and end before end_unit(). Of tiles it takes one in ctas_.
  SCANTUNE_DEVICE u64 first_unit() const { return kInTiles ? cta_ * kTileUnits : cta_ * share_units_; }
  SCANTUNE_DEVICE u64 end_unit() const {
    const u64 end = first_unit() + share_units_;
    return kInTiles || end > units_ ? units_ : end;
  }

  // Adds up this thread's units, and in the first CTA the items that belong to none.
  SCANTUNE_DEVICE T add_up() const {
    const u64 begin = first_unit(), end = end_unit();
    ThreadTotal<Problem, Runs, kUnitItems> of_units;
    for (u64 tile = begin; tile < end; tile += kInTiles ? ctas_ * kTileUnits : kTileUnits) {
      const u64 first = tile + thread_rank();
      if (tile + kTileUnits <= end) {
        take_units<true>(of_units, first, end);
      } else {
        take_units<false>(of_units, first, end);
      }
    }
    T total = of_units.total(head_);
    if (cta_ == 0) {
      if (thread_rank() < head_) total = Op::combine(total, item(thread_rank()));
      if (const u64 index = head_ + units_ * kUnitItems + thread_rank(); index < n_)
        total = Op::combine(total, item(index));
    }
    return total;
  }

  // Adds up this thread's units of a tile, all of which exist if kFull, else those before `end`. Of units that are put
  // together from two vectors, half as many are on their way at once, in as many registers, and two where a thread has
  // but 64 registers.
  template <bool kFull>
  SCANTUNE_DEVICE void take_units(auto& of_units, u64 first, u64 end) const {
    constexpr int kHalf = (kUnroll + 1) / 2;
    constexpr bool kAll = !kShifts && !kIsMapped<InputItems>;  // a map takes registers of its own
    constexpr int kAtOnce = kAll ? kUnroll : kShape.block_threads > 512 && kHalf > 2 ? 2 : kHalf;
    const auto is_there = [&](int step, u64 unit) { return step < kUnroll && (kFull || unit < end); };
#pragma unroll 1
    for (int begin = 0; begin < kUnroll; begin += kAtOnce) {
      Held held[kAtOnce];
#pragma unroll
      for (int step = 0; step < kAtOnce; ++step)
        if (const u64 unit = first + (begin + step) * kShape.block_threads; is_there(begin + step, unit))
          held[step] = load_unit(unit);
#pragma unroll
      for (int step = 0; step < kAtOnce; ++step)
        if (const u64 unit = first + (begin + step) * kShape.block_threads; is_there(begin + step, unit))
          of_units.take(unit_of(held[step], unit), unit);
    }
  }

  // Reduces a run of the share with each warp, and puts the runs together.
  SCANTUNE_DEVICE Total<T> reduce_in_order(Shared& shared) const {
    constexpr u64 kWarps = kShape.block_threads / kWarpThreads, kWarpUnits = kWarpThreads * kUnroll;
    const u32 warp = thread_rank() / kWarpThreads, lane = thread_rank() % kWarpThreads;
    const u64 share = first_unit(), share_end = end_unit();
    if (share >= share_end) return {{}, false};
    const u64 run_units = ceil_div(share_end - share, kWarps), begin = share + warp * run_units;
    const u64 end = begin + run_units < share_end ? begin + run_units : share_end;

    T total;
    for (u64 first = begin; first < end; first += kWarpUnits) {
      const u64 left = end - first, mine = first + lane * kUnroll;
      const u32 lanes = left < kWarpUnits ? static_cast<u32>(ceil_div(left, u64{kUnroll})) : kWarpThreads;
      T piece;
      if (lane < lanes) piece = piece_of(mine, mine + kUnroll < end ? mine + kUnroll : end);
      piece = scantune::warp_reduce_ascending<Op>(piece, lane, lanes);
      if (lane == 0) total = first == begin ? piece : Op::combine(total, piece);
    }
    return {Block::reduce_warps(shared, total, static_cast<u32>(ceil_div(share_end - share, run_units))), true};
  }

  // The combination of the units [first, end), at least one and at most kUnroll, in order.
  SCANTUNE_DEVICE T piece_of(u64 first, u64 end) const {
    Held held[kUnroll];
    const bool whole = end - first == kUnroll && end * kUnitItems <= n_;
    if (whole) {
#pragma unroll
      for (int step = 0; step < kUnroll; ++step) held[step] = load_unit(first + step);
      T piece = total_of(unit_of(held[0], first));
#pragma unroll
      for (int step = 1; step < kUnroll; ++step)
        piece = Op::combine(piece, total_of(unit_of(held[step], first + step)));
      return piece;
    }
    const u64 last = end * kUnitItems < n_ ? end * kUnitItems : n_;
    T piece = item(first * kUnitItems);
    for (u64 index = first * kUnitItems + 1; index < last; ++index) piece = Op::combine(piece, item(index));
    return piece;
  }

  SCANTUNE_DEVICE T item(u64 index) const {
    return Problem::accumulator_of(scantune::load_global<CacheHint::normal>(input_ + index), index);
  }

  // A unit that fills a vector is loaded as one, or with an unaligned pointer as the two that contain it. The first and
  // last units are then loaded item by item, since the rest of their vectors may not be accessible.
  SCANTUNE_DEVICE Held load_unit(u64 unit) const {
    const auto from = input_ + head_ + unit * kUnitItems;
    if constexpr (kInVectors && kUnitItems > 1) {
      return scantune::load_global<kShape.load_hint>(scantune::vectors_of<const Vector>(from));
    } else if constexpr (kShifts) {
      if (is_between(unit)) return scantune::load_halves(from);
      return {__builtin_bit_cast(VectorWords, load_items(from)), {}};
    } else {
      return load_items(from);
    }
  }

  SCANTUNE_DEVICE Vector load_items(InputItems from) const {
    Input items[kUnitItems];
#pragma unroll
    for (int item = 0; item < kUnitItems; ++item) items[item] = scantune::load_global<kShape.load_hint>(from + item);
    Vector vector;
    scantune::copy_bytes(__builtin_addressof(vector), items, sizeof items);
    return vector;
  }

  // Returns what load_unit() has loaded of a unit.
  SCANTUNE_DEVICE Vector unit_of(const Held& held, u64 unit) const {
    if constexpr (kShifts) {
      const u32 shift = is_between(unit) ? reinterpret_cast<u64>(input_) % kVectorAlignmentBytes : 0;
      return __builtin_bit_cast(Vector, scantune::shifted(held, shift));
    } else {
      return held;
    }
  }

  // Whether there are units before and after one.
  SCANTUNE_DEVICE bool is_between(u64 unit) const { return unit > 0 && (unit + 2) * kUnitItems <= n_; }

  SCANTUNE_DEVICE static T total_of(const Vector& vector) { return RunScan<Runs, kUnitItems>::reduce(vector); }

  InputItems input_;
  u64 n_;
  u64 units_;        // whole ones after the head; with a custom operator the last may be partial
  u64 share_units_;  // of a CTA
  u32 cta_, ctas_;
  u32 head_ = 0;  // items before the first unit
};

// Partial results of CTAs in a workspace, each written by one thread, and folded in their order by one CTA.
template <class Op, int kBlockThreads>
class Partials {
  using T = typename Op::Value;
  using Block = BlockReduce<Op, kBlockThreads>;

 public:
  // first: in memory that is aligned to vectors.
  SCANTUNE_DEVICE explicit Partials(void* first) : first_(static_cast<T*>(first)) {}

  SCANTUNE_DEVICE void leave(u32 cta, T total) const { scantune::store_payload(first_ + cta, total); }

  // Thread 0 gets the combination of the first `count`, at least one.
  SCANTUNE_DEVICE T fold(typename Block::Shared& shared, u32 count) const {
    const u32 each = ceil_div(count, u32{kBlockThreads}), mine = thread_rank() * each;
    const u32 end = mine + each < count ? mine + each : count;
    T total;
    for (u32 partial = mine; partial < end; ++partial) {
      const T next = scantune::load_payload(first_ + partial);
      total = partial == mine ? next : Op::combine(total, next);
    }
    return Block::reduce(shared, total, ceil_div(count, each));
  }

 private:
  T* first_;
};

}  // namespace scantune
