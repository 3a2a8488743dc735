// Converts input values to accumulators, and accumulators to output values.
#pragma once

#include "core/machine/numbers.h"

namespace scantune {

template <class To>
struct ConvertTo {
  template <class From>
  SCANTUNE_DEVICE static To from(From value) {
    if constexpr (kIsHalf<From>)
      return static_cast<To>(scantune::value_of(value));
    else
      return static_cast<To>(value);
  }
  SCANTUNE_DEVICE static To from(To value) { return value; }
};
template <class To>
  requires kIsHalf<To>
struct ConvertTo<To> {
  template <class From>
  SCANTUNE_DEVICE static To from(From value) {
    return scantune::round_to<To>(value);
  }
};

// Integers wrap, floating-point numbers round to nearest even.
template <class To, class From>
SCANTUNE_DEVICE To convert(From value) {
  return ConvertTo<To>::from(value);
}

}  // namespace scantune
