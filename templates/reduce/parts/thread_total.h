// The total of one thread over the units of items that it loads.
#pragma once

#include "core/parts/run_scan.h"
#include "reduce/parts/reduce_problem.h"

namespace scantune {

// The operator that finds a value without its place: the request's own one, or the built-in one of kOperator.
template <bool kIsOwn, class Operation, Operator kOperator>
struct SelectValueOp {
  using Op = Operation;
};
template <class Operation, Operator kOperator>
struct SelectValueOp<false, Operation, kOperator> {
  using Op = OperatorOf<typename Operation::Value, kOperator>;
};

// The runs of a reduction by its operator, or by another one. They are packed as those of a scan whose results are as
// wide as the items.
template <class Problem, Operator kOperator = Problem::kRequest.op>
struct RunsOf {
  using Op = typename SelectValueOp<kOperator == Problem::kRequest.op, typename Problem::Operation, kOperator>::Op;
  using Accumulator = typename Op::Value;
  using Input = typename Problem::Input;
  using Output = Input;
  static constexpr bool kExclusive = false;
  static constexpr Run kRun = {Problem::kRequest.input_type,
                               Problem::kRequest.accumulator_type,
                               Problem::kRequest.input_bytes(),
                               Problem::kRequest.input_bytes(),
                               kOperator,
                               false};
};

// The combination of all items of the units. Runs: those of the problem.
template <class Problem, class Runs, int kItems, bool kHasPosition = Problem::kHasPosition>
class ThreadTotal {
  using T = typename Problem::Accumulator;

 public:
  template <class Unit>
  SCANTUNE_DEVICE void take(const Unit& unit, u64) {
    total_ = Problem::Op::combine(total_, RunScan<Runs, kItems>::reduce(unit));
  }

  SCANTUNE_DEVICE T total(u64) const { return total_; }

 private:
  T total_ = Problem::neutral();
};

// The first or last minimum or maximum, and its position. A unit is reduced to its value, as without positions. Only if
// that value comes before all values so far, or is equal to them where the last counts, its place in the unit is
// searched: that is rare, unless many items are equal.
template <class Problem, Operator kOperator, int kItems, bool kBySource = Problem::kBySource>
class ThreadExtreme {
  using Item = typename Problem::Item;
  using Input = typename Problem::Input;
  using Runs = RunsOf<Problem, kOperator>;
  using Order = PreferenceOrder<Item, kOperator>;
  static constexpr u64 kNone = ~u64{0};
  static constexpr bool kLast = Problem::kRequest.position == Position::last;

 public:
  // A later call has a unit of a higher number.
  template <class Unit>
  SCANTUNE_DEVICE void take(const Unit& unit, u64 number) {
    const auto key = Order::key(RunScan<Runs, kItems>::reduce(unit));
    if (unit_ != kNone && (kLast ? Order::comes_before(key_, key) : !Order::comes_before(key, key_))) return;
    key_ = key;
    unit_ = number;
    item_ = kLast ? last_with(unit, key) : first_with(unit, key);
  }

  // head: items before the unit of number 0.
  SCANTUNE_DEVICE Placed<Item> total(u64 head) const {
    if (unit_ == kNone) return Problem::template nothing<kOperator>();
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

  template <class Unit>
  SCANTUNE_DEVICE static u32 last_with(const Unit& unit, typename Order::Key key) {
    Input items[kItems];
    scantune::copy_bytes(items, __builtin_addressof(unit), sizeof items);
    u32 last = 0;
#pragma unroll
    for (u32 item = 1; item < kItems; ++item)
      if (Order::key(scantune::convert<Item>(items[item])) == key) last = item;
    return last;
  }

  typename Order::Key key_ = {};
  u64 unit_ = kNone;
  u32 item_ = 0;  // of the unit
};

// A thread's extreme in the order of the caller's less(), item by item.
template <class Problem, Operator kOperator, int kItems>
class ThreadExtreme<Problem, kOperator, kItems, true> {
  using Item = typename Problem::Item;
  using Input = typename Problem::Input;
  using Order = OrderOfSource<typename Problem::Operation, kOperator>;
  static constexpr u64 kNone = ~u64{0};
  static constexpr bool kLast = Problem::kRequest.position == Position::last;

 public:
  template <class Unit>
  SCANTUNE_DEVICE void take(const Unit& unit, u64 number) {
    Input items[kItems];
    scantune::copy_bytes(items, __builtin_addressof(unit), sizeof items);
#pragma unroll
    for (u32 item = 0; item < kItems; ++item) {
      const Item value = scantune::convert<Item>(items[item]);
      if (place_ != kNone && (kLast ? Order::comes_before(best_, value) : !Order::comes_before(value, best_))) continue;
      best_ = value;
      place_ = number * kItems + item;
    }
  }

  SCANTUNE_DEVICE Placed<Item> total(u64 head) const {
    if (place_ == kNone) return Problem::template nothing<kOperator>();
    return Problem::placed(best_, head + place_);
  }

 private:
  Item best_ = Item();
  u64 place_ = kNone;  // after the head
};

template <class Problem, class Runs, int kItems>
  requires(!Problem::kHasBoth)
class ThreadTotal<Problem, Runs, kItems, true> : public ThreadExtreme<Problem, Problem::kRequest.op, kItems> {};

template <class Problem, class Runs, int kItems>
  requires(Problem::kHasBoth)
class ThreadTotal<Problem, Runs, kItems, true> {
 public:
  template <class Unit>
  SCANTUNE_DEVICE void take(const Unit& unit, u64 number) {
    least_.take(unit, number);
    greatest_.take(unit, number);
  }

  SCANTUNE_DEVICE typename Problem::Accumulator total(u64 head) const {
    return {least_.total(head), greatest_.total(head)};
  }

 private:
  ThreadExtreme<Problem, Operator::min, kItems> least_;
  ThreadExtreme<Problem, Operator::max, kItems> greatest_;
};

}  // namespace scantune
