// The associative operators: combine(earlier, later).
#pragma once

#include "primitives/intrinsics.h"

namespace scantune {

template <class T>
inline constexpr bool kIsFloating = static_cast<T>(0.5) != static_cast<T>(0);

template <class T, Operator kOperator>
struct OperatorOf;

template <class T>
struct OperatorOf<T, Operator::sum> {
  SCANTUNE_DEVICE static T combine(T a, T b) {
    if constexpr (kIsFloating<T>) {
      return a + b;
    } else {
      // Integer sums wrap; signed overflow would be undefined.
      return static_cast<T>(static_cast<u64>(a) + static_cast<u64>(b));
    }
  }
};

template <class T>
struct OperatorOf<T, Operator::max> {
  SCANTUNE_DEVICE static T combine(T a, T b) {
    if constexpr (kIsFloating<T>) {
      return max_nan(a, b);
    } else {
      return a < b ? b : a;
    }
  }
};

}  // namespace scantune
