// The associative operators: combine(earlier, later) of two accumulators.
#pragma once

#include "core/machine/numbers.h"

namespace scantune {

template <class T, Operator kOperator>
struct OperatorOf;

// Integers wrap; signed overflow would be undefined.
template <class T>
struct OperatorOf<T, Operator::sum> {
  using Value = T;
  SCANTUNE_DEVICE static T combine(T a, T b) {
    if constexpr (kIsFloating<T>) return a + b;
    return static_cast<T>(static_cast<u64>(a) + static_cast<u64>(b));
  }
};

template <class T>
struct OperatorOf<T, Operator::product> {
  using Value = T;
  SCANTUNE_DEVICE static T combine(T a, T b) {
    if constexpr (kIsFloating<T>) return a * b;
    return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
  }
};

template <class T>
struct OperatorOf<T, Operator::min> {
  using Value = T;
  SCANTUNE_DEVICE static T combine(T a, T b) {
    if constexpr (kIsFloating<T>) return scantune::min_nan(a, b);
    return b < a ? b : a;
  }
};

template <class T>
struct OperatorOf<T, Operator::max> {
  using Value = T;
  SCANTUNE_DEVICE static T combine(T a, T b) {
    if constexpr (kIsFloating<T>) return scantune::max_nan(a, b);
    return a < b ? b : a;
  }
};

template <class T>
struct OperatorOf<T, Operator::bit_and> {
  using Value = T;
  SCANTUNE_DEVICE static T combine(T a, T b) { return a & b; }
};

template <class T>
struct OperatorOf<T, Operator::bit_or> {
  using Value = T;
  SCANTUNE_DEVICE static T combine(T a, T b) { return a | b; }
};

template <class T>
struct OperatorOf<T, Operator::bit_xor> {
  using Value = T;
  SCANTUNE_DEVICE static T combine(T a, T b) { return a ^ b; }
};

}  // namespace scantune
