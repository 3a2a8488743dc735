// What one thread makes of the units of items that it loads one after the other.
#pragma once

#include "primitives/reduce_problem.h"
#include "primitives/run_scan.h"

namespace scantune {

// The combination of all items of the units. Scanned: the scan that packs what the reduction packs.
template <class Problem, class Scanned, int kItems, bool kHasPosition = Problem::kHasPosition>
class ThreadTotal {
  using T = typename Problem::Accumulator;

 public:
  template <class Unit>
  SCANTUNE_DEVICE void take(const Unit& unit, u64) {
    total_ = Problem::Op::combine(total_, RunScan<Scanned, kItems>::reduce(unit));
  }

  SCANTUNE_DEVICE T total(u64) const { return total_; }

 private:
  T total_ = Problem::neutral();
};

// The first minimum or maximum, and its position. A unit is reduced to its value, as without positions. Only where that
// comes before all values so far, which is seldom, its place in the unit is looked for.
template <class Problem, class Scanned, int kItems>
class ThreadTotal<Problem, Scanned, kItems, true> {
  using Item = typename Problem::Item;
  using Input = typename Problem::Input;
  using Order = typename Problem::Op::Order;
  static constexpr u64 kNone = ~u64{0};

 public:
  // A later call has a unit of a higher number.
  template <class Unit>
  SCANTUNE_DEVICE void take(const Unit& unit, u64 number) {
    const auto key = Order::key(RunScan<Scanned, kItems>::reduce(unit));
    if (unit_ != kNone && !Order::comes_before(key, key_)) return;
    key_ = key;
    unit_ = number;
    item_ = first_with(unit, key);
  }

  // head: items before the unit of number 0.
  SCANTUNE_DEVICE typename Problem::Accumulator total(u64 head) const {
    if (unit_ == kNone) return Problem::neutral();
    return Problem::placed(Order::value(key_), head + unit_ * kItems + item_);
  }

 private:
  // Backwards, so that the first of equal items stays.
  template <class Unit>
  SCANTUNE_DEVICE static u32 first_with(const Unit& unit, typename Order::Key key) {
    Input items[kItems];
    scantune::copy_bytes(items, __builtin_addressof(unit), sizeof items);
    u32 first = 0;
#pragma unroll
    for (u32 item = kItems - 1; item > 0; --item)
      if (Order::key(scantune::convert<Item>(items[item])) == key) first = item;
    return Order::key(scantune::convert<Item>(items[0])) == key ? 0 : first;
  }

  typename Order::Key key_ = {};
  u64 unit_ = kNone;
  u32 item_ = 0;  // of the unit
};

}  // namespace scantune
