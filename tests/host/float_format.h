// Floating-point formats by exact arithmetic in double. They share nothing with the conversions that they test, since
// no bit of a significand is moved here.
#pragma once

#include <cmath>
#include <limits>

#include "core/contract/types.h"

namespace scantune {

// An IEEE 754 binary interchange format of 16 bits, or one made like them.
struct FloatFormat {
  int significand_bits;  // the leading one included
  int max_exponent;      // exponent of the largest finite value

  constexpr int min_exponent() const { return 1 - max_exponent; }  // exponent of the smallest normal value
  constexpr int stored_bits() const { return significand_bits - 1; }
};

inline constexpr FloatFormat kF16{.significand_bits = 11, .max_exponent = 15};
inline constexpr FloatFormat kBf16{.significand_bits = 8, .max_exponent = 127};

// The value of a 16-bit pattern; a double holds every one.
inline f64 decoded(FloatFormat format, u16 bits) {
  const u32 exponent = (bits & 0x7fffu) >> format.stored_bits();
  const u32 fraction = bits & ((1u << format.stored_bits()) - 1);
  const u32 special = 2 * static_cast<u32>(format.max_exponent) + 1;
  f64 magnitude;
  if (exponent == special) {
    magnitude = fraction == 0 ? std::numeric_limits<f64>::infinity() : std::numeric_limits<f64>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, format.min_exponent() - format.stored_bits());
  } else {
    magnitude =
        std::ldexp(1 + std::ldexp(fraction, -format.stored_bits()), static_cast<int>(exponent) - format.max_exponent);
  }
  return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

// The pattern of the nearest value; if two are equally near, that with an even last bit. A NaN gives the pattern of a
// quiet one.
inline u16 encoded(FloatFormat format, f64 value) {
  const u32 sign = std::signbit(value) ? 0x8000u : 0u;
  const u32 infinity = (2 * static_cast<u32>(format.max_exponent) + 1) << format.stored_bits();
  if (std::isnan(value)) return static_cast<u16>(infinity | 1u << (format.stored_bits() - 1));
  if (std::isinf(value)) return static_cast<u16>(sign | infinity);
  // Counting from zero, patterns are numbers of units in the last place, whose size doubles with every exponent.
  const int exponent = std::max(value == 0 ? format.min_exponent() : std::ilogb(value), format.min_exponent());
  const f64 units = std::nearbyint(std::ldexp(std::fabs(value), format.stored_bits() - exponent));  // to even
  if (std::ldexp(units, exponent - format.stored_bits()) >= std::ldexp(1, format.max_exponent + 1))
    return static_cast<u16>(sign | infinity);
  const u32 binades = static_cast<u32>(exponent - format.min_exponent());
  return static_cast<u16>(sign | ((binades << format.stored_bits()) + static_cast<u32>(units)));
}

}  // namespace scantune
