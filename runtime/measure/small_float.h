// f16 and bf16 on the CPU, by arithmetic on their values. Kernels convert in other ways, so that each checks the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "config/types.h"

namespace scantune {

// A binary floating-point number of 16 bits: sign, exponent, kMantissaBits of mantissa.
template <int kMantissaBits>
struct SmallFloat {
  static constexpr unsigned kExponents = 1u << (15 - kMantissaBits);
  static constexpr unsigned kInfinity = (kExponents - 1) << kMantissaBits;
  static constexpr int kLeastExponent = 2 - static_cast<int>(kExponents / 2);  // of a normal number in [1, 2) * 2^x
  static constexpr int kLeastUnit = kLeastExponent - kMantissaBits;            // the least number is 2^kLeastUnit

  u16 bits = 0;

  SmallFloat() = default;

  // Rounds to nearest even; too large a value to infinity.
  explicit SmallFloat(long double value) {
    const unsigned sign = std::signbit(value) ? 0x8000 : 0;
    bits = static_cast<u16>(sign | (std::isnan(value) ? kInfinity + 1 : magnitude_bits(std::abs(value))));
  }

  explicit operator long double() const {
    const unsigned exponent = (bits & kInfinity) >> kMantissaBits, mantissa = bits & ((1u << kMantissaBits) - 1);
    const long double magnitude =
        exponent == kExponents - 1 ? (mantissa == 0 ? std::numeric_limits<long double>::infinity()
                                                    : std::numeric_limits<long double>::quiet_NaN())
        : exponent == 0            ? scaled(mantissa, kLeastUnit)
                        : scaled(mantissa + (1u << kMantissaBits), kLeastUnit + static_cast<int>(exponent) - 1);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
  }

 private:
  static long double scaled(unsigned units, int exponent) {
    return std::ldexp(static_cast<long double>(units), exponent);
  }

  static unsigned magnitude_bits(long double magnitude) {
    if (magnitude == 0) return 0;
    if (std::isinf(magnitude)) return kInfinity;
    int exponent = 0;  // magnitude < 2^exponent
    std::frexp(magnitude, &exponent);
    const int unit = std::max(exponent - 1 - kMantissaBits, kLeastUnit);
    const auto units = static_cast<u64>(std::nearbyint(std::ldexp(magnitude, -unit)));
    // A unit one larger is an exponent field one larger. What rounds up to the next power of two carries into it.
    const u64 rounded = (static_cast<u64>(unit - kLeastUnit) << kMantissaBits) + units;
    return rounded < kInfinity ? static_cast<unsigned>(rounded) : kInfinity;
  }
};

using Float16 = SmallFloat<10>;
using BFloat16 = SmallFloat<7>;

}  // namespace scantune
