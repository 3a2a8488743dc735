// Values of the input as accumulators, and accumulators as values of the output.
#pragma once

#include "primitives/intrinsics.h"

namespace scantune {

template <class To>
struct ConvertTo {
  template <class From>
  SCANTUNE_DEVICE static To from(From value) {
    return static_cast<To>(value);
  }
  SCANTUNE_DEVICE static To from(To value) { return value; }
  SCANTUNE_DEVICE static To from(f16 value) { return static_cast<To>(value_of(value)); }
  SCANTUNE_DEVICE static To from(bf16 value) { return static_cast<To>(value_of(value)); }
};
template <>
struct ConvertTo<f16> {
  template <class From>
  SCANTUNE_DEVICE static f16 from(From value) {
    return round_to_f16(value);
  }
};
template <>
struct ConvertTo<bf16> {
  template <class From>
  SCANTUNE_DEVICE static bf16 from(From value) {
    return round_to_bf16(value);
  }
};

// Integers wrap, floating-point numbers round to nearest even.
template <class To, class From>
SCANTUNE_DEVICE To convert(From value) {
  return ConvertTo<To>::from(value);
}

}  // namespace scantune
