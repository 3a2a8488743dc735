// The reduction as kernels see it: types and operator of a request.
#pragma once

#include "core/parts/convert.h"
#include "core/parts/mapped_items.h"
#include "core/parts/neutral_item.h"
#include "core/parts/operator_of_request.h"
#include "core/parts/type_of.h"
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

template <bool kPlaced, class Operation, Operator kOperator>
struct ReducedBy {
  using Op = Operation;
};
template <class Operation, Operator kOperator>
struct ReducedBy<true, Operation, kOperator> {
  using Op = PlacedOp<typename Operation::Value, kOperator>;
};

// first_item: the index of the input's first item, so that indices past 2^32 can be tested without that many items.
// Maps: as of Problem.
template <ReduceRequest request, Variant variant, u64 first_item = 0, class ValueOperation = OperatorOfRequest<request>,
          class Maps = NoMaps>
struct ReduceProblem {
  using Operation = ValueOperation;
  using Item = typename Operation::Value;  // an item as it is combined
  using Op = typename ReducedBy<request.has_position(), Operation, request.op>::Op;
  using Accumulator = typename Op::Value;
  using Input = typename TypeOf<request.input_type, Item>::Type;
  using Output = typename TypeOf<request.output_type, Item>::Type;
  using InputItems = InputItemsOf<typename Maps::Load, Input>;
  using OutputItems = OutputItemsOf<typename Maps::Store, Output>;
  static constexpr ReduceRequest kRequest = request;
  static constexpr Variant kVariant = variant;
  static constexpr bool kInOrder = is_custom(request.op);
  static constexpr bool kHasInit = request.has_init();
  static constexpr bool kHasPosition = request.has_position();
  static constexpr bool kStrided = request.layout.is_strided();

  SCANTUNE_DEVICE static InputItems input(const KernelArguments& arguments) {
    if constexpr (kIsMapped<InputItems>)
      return scantune::first_mapped<InputItems, Direction::forward>(
          arguments.operand<const typename Maps::Load::Item>(OperandRole::input), arguments,
          scantune::load_state<typename Maps::Load>(arguments));
    else
      return arguments.operand<const Input>(OperandRole::input);
  }

  // What an accumulator is before anything is combined with it by a built-in operator.
  SCANTUNE_DEVICE static Accumulator neutral() {
    constexpr Item kNeutral = neutral_item<request.op, Item, Item>();
    if constexpr (kHasPosition)
      return {kNeutral, kNoPlace};
    else
      return kNeutral;
  }

  // The item at an index of the input as an accumulator.
  SCANTUNE_DEVICE static Accumulator accumulator_of(Input item, u64 index) {
    if constexpr (kHasPosition)
      return placed(scantune::convert<Item>(item), index);
    else
      return scantune::convert<Item>(item);
  }
  SCANTUNE_DEVICE static Accumulator placed(Item value, u64 index) {
    return {value, place_of<request.position>(first_item + index)};
  }

  // Puts the initial value before the total, if there is one, and stores the result of a row. Called by one thread.
  // Where there are no items the initial value alone is the result, or beside a position the identity.
  SCANTUNE_DEVICE static void store(const KernelArguments& arguments, Accumulator total, bool exists = true,
                                    u64 row = 0) {
    const auto output = ReduceProblem::output(arguments) + row;
    if constexpr (kHasPosition) {
      using Index = typename UnsignedOfWidth<request.index_width>::Type;
      if constexpr (kHasInit)
        if (!exists || total.place == kNoPlace)
          total = {scantune::convert<Item>(neutral_item<request.op, Input, Item>()), kNoPlace};
      scantune::store_global<CacheHint::normal>(arguments.operand<Index>(OperandRole::indices) + row,
                                                static_cast<Index>(index_of<request.position>(total.place)));
      scantune::store_global<CacheHint::normal>(output, scantune::convert<Output>(total.value));
    } else {
      if constexpr (kHasInit) total = exists ? Op::combine(init(arguments), total) : init(arguments);
      scantune::store_global<CacheHint::normal>(output, scantune::convert<Output>(total));
    }
  }

 private:
  SCANTUNE_DEVICE static OutputItems output(const KernelArguments& arguments) {
    if constexpr (kIsMapped<OutputItems>)
      return scantune::first_mapped<OutputItems, Direction::forward>(
          arguments.operand<typename Maps::Store::Item>(OperandRole::output), arguments,
          scantune::store_state<typename Maps::Store>(arguments));
    else
      return arguments.operand<Output>(OperandRole::output);
  }

  SCANTUNE_DEVICE static Accumulator init(const KernelArguments& arguments) {
    if constexpr (request.init == Init::memory)
      return scantune::load_global<CacheHint::normal>(arguments.operand<const Accumulator>(OperandRole::init));
    return scantune::from_bytes<Accumulator>(arguments.init);
  }
};

}  // namespace scantune
