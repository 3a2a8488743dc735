// The neutral item: a built-in operator that combines an accumulator with it returns the accumulator.
#pragma once

#include "core/contract/value.h"
#include "core/machine/half.h"

namespace scantune {

template <class Item>
constexpr Item floating_item(f64 value) {
  if constexpr (kIsHalf<Item>)
    return rounded_to<Item>(value);
  else
    return static_cast<Item>(value);
}

template <class T>
inline constexpr bool kIsSignedInteger = static_cast<T>(-1) < T{0};

// The greatest or the least value of an integer type.
template <class T>
constexpr T integer_bound(bool greatest) {
  constexpr u64 kHalfOfAll = u64{1} << (8 * sizeof(T) - 1);
  if (kIsSignedInteger<T>) return static_cast<T>(greatest ? kHalfOfAll - 1 : kHalfOfAll);
  return static_cast<T>(greatest ? ~u64{0} : 0);
}

// Whether integers keep their order as accumulators. Otherwise they are taken modulo the accumulator's width, and the
// bounds of their type do not bound the accumulators.
template <class Item, class T>
constexpr bool keeps_order() {
  if constexpr (kIsFloating<T>) {
    return true;
  } else if constexpr (kIsSignedInteger<Item> == kIsSignedInteger<T>) {
    return sizeof(Item) <= sizeof(T);
  } else {
    return kIsSignedInteger<T> && sizeof(Item) < sizeof(T);
  }
}

// The item that becomes the greatest, or the least, accumulator T.
template <class Item, class T>
constexpr Item extreme_item(bool greatest) {
  if constexpr (kIsFloating<Item>) {
    constexpr f64 kInfinity = __builtin_bit_cast(f64, u64{0x7ff} << 52);
    return scantune::floating_item<Item>(greatest ? kInfinity : -kInfinity);
  } else if constexpr (keeps_order<Item, T>()) {
    return integer_bound<Item>(greatest);
  } else {
    return static_cast<Item>(integer_bound<T>(greatest));
  }
}

template <Operator kOperator, class Item, class T>
constexpr Item neutral_item() {
  if constexpr (kOperator == Operator::min || kOperator == Operator::max) {
    return scantune::extreme_item<Item, T>(kOperator == Operator::min);
  } else if constexpr (kOperator == Operator::bit_and) {
    return static_cast<Item>(~u64{0});
  } else if constexpr (kIsFloating<Item>) {
    return scantune::floating_item<Item>(kOperator == Operator::product ? 1.0 : -0.0);  // 0 would change the sign of -0
  } else {
    return static_cast<Item>(kOperator == Operator::product);
  }
}

}  // namespace scantune
