// Values with their places, and the operators that find the least and the greatest.
#pragma once

#include "core/machine/numbers.h"
#include "core/parts/neutral_item.h"
#include "reduce/config/reduce.h"

namespace scantune {

// The signed integer of as many bytes as a floating-point number.
template <class T>
struct IntegerOf;
template <>
struct IntegerOf<f32> {
  using Type = i32;
};
template <>
struct IntegerOf<f64> {
  using Type = i64;
};

// A value and its place among the items. Of equal values the one with the lower place is the result.
template <class T>
struct Placed {
  T value;
  u64 place;
};
inline constexpr u64 kNoPlace = ~u64{0};  // of what is not an item

// A place is an index in the input, counted from the far end where the last of equal items is the result. The index of
// kNoPlace is all ones.
template <Position kPosition>
constexpr u64 place_of(u64 index) {
  return kPosition == Position::last ? kNoPlace - 1 - index : index;
}
template <Position kPosition>
constexpr u64 index_of(u64 place) {
  return place_of<kPosition>(place);
}

// Values as integers in the order in which a minimum or maximum prefers them: NaN comes before all, whatever its bits,
// and -0 is less than +0.
template <class T, Operator kOperator>
struct PreferenceOrder {
  using Key = T;
  SCANTUNE_DEVICE static Key key(T value) { return value; }
  SCANTUNE_DEVICE static T value(Key key) { return key; }
  SCANTUNE_DEVICE static bool comes_before(Key a, Key b) { return kOperator == Operator::min ? a < b : b < a; }
};
template <class T, Operator kOperator>
  requires kIsFloating<T>
struct PreferenceOrder<T, kOperator> {
  static constexpr bool kIsMin = kOperator == Operator::min;
  using Key = typename IntegerOf<T>::Type;
  static constexpr int kSignBit = 8 * sizeof(Key) - 1;
  static constexpr Key kMost = static_cast<Key>(~(u64{1} << 63) >> (63 - kSignBit));

  SCANTUNE_DEVICE static Key key(T value) { return value != value ? (kIsMin ? ~kMost : kMost) : mirrored(bits(value)); }
  SCANTUNE_DEVICE static T value(Key key) { return __builtin_bit_cast(T, mirrored(key)); }
  SCANTUNE_DEVICE static bool comes_before(Key a, Key b) { return kIsMin ? a < b : b < a; }

 private:
  SCANTUNE_DEVICE static Key bits(T value) { return __builtin_bit_cast(Key, value); }
  // Numbers below 0 are in the order of their magnitude, and turned around here.
  SCANTUNE_DEVICE static Key mirrored(Key bits) { return bits ^ (bits >> kSignBit & kMost); }
};

// Minimum or maximum of placed values.
template <class T, Operator kOperator>
struct PlacedOp {
  using Value = Placed<T>;
  using Order = PreferenceOrder<T, kOperator>;

  SCANTUNE_DEVICE static Value combine(const Value& a, const Value& b) {
    const auto first = Order::key(a.value), second = Order::key(b.value);
    const bool takes_b = Order::comes_before(second, first) || (first == second && b.place < a.place);
    return takes_b ? b : a;
  }
};

// The order of the caller's less(), or for the greatest the other way round.
template <class Comparison, Operator kOperator>
struct OrderOfSource {
  using Value = typename Comparison::Value;
  SCANTUNE_DEVICE static bool comes_before(const Value& a, const Value& b) {
    return kOperator == Operator::min ? Comparison::less(a, b) : Comparison::less(b, a);
  }
};

// Minimum or maximum of placed values in the order of the caller's less(), which is asked about items alone.
template <class Comparison, Operator kOperator>
struct PlacedBySource {
  using Value = Placed<typename Comparison::Value>;
  using Order = OrderOfSource<Comparison, kOperator>;

  SCANTUNE_DEVICE static Value combine(const Value& a, const Value& b) {
    if (a.place == kNoPlace) return b;
    if (b.place == kNoPlace) return a;
    const bool takes_b =
        b.place < a.place ? !Order::comes_before(a.value, b.value) : Order::comes_before(b.value, a.value);
    return takes_b ? b : a;
  }
};

// The least and the greatest at once.
template <class Least, class Greatest>
struct BothExtremes {
  struct Value {
    typename Least::Value least;
    typename Greatest::Value greatest;
  };

  SCANTUNE_DEVICE static Value combine(const Value& a, const Value& b) {
    return {Least::combine(a.least, b.least), Greatest::combine(a.greatest, b.greatest)};
  }
};

// The operator of a request with positions for one of its extremes. Operation: that of values, or the comparison.
template <ReduceRequest request, class Operation, Operator kOperator>
struct SelectPlacedOp {
  using Op = PlacedOp<typename Operation::Value, kOperator>;
};
template <ReduceRequest request, class Operation, Operator kOperator>
  requires(request.ordered_by == OrderedBy::less)
struct SelectPlacedOp<request, Operation, kOperator> {
  using Op = PlacedBySource<Operation, kOperator>;
};
template <ReduceRequest request, class Operation, Operator kOperator>
using PlacedOpOf = typename SelectPlacedOp<request, Operation, kOperator>::Op;

// The operator by which a request combines accumulators.
template <ReduceRequest request, class Operation>
struct SelectReducedBy {
  using Op = Operation;
};
template <ReduceRequest request, class Operation>
  requires(request.has_position() && request.extremes == ExtremeSet::one)
struct SelectReducedBy<request, Operation> {
  using Op = PlacedOpOf<request, Operation, request.op>;
};
template <ReduceRequest request, class Operation>
  requires(request.has_position() && request.extremes == ExtremeSet::both)
struct SelectReducedBy<request, Operation> {
  using Op = BothExtremes<PlacedOpOf<request, Operation, Operator::min>, PlacedOpOf<request, Operation, Operator::max>>;
};

}  // namespace scantune
