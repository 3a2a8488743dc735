// Floating-point numbers of 16 bits on the CPU.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/machine/half.h"

namespace scantune {

// A binary floating-point number of 16 bits: sign, exponent, kMantissaBits of mantissa.
template <int kMantissaBits>
struct SmallFloat {
  static constexpr unsigned kExponents = 1u << (15 - kMantissaBits);
  static constexpr unsigned kInfinity = (kExponents - 1) << kMantissaBits;
  static constexpr unsigned kQuietNaN = kInfinity | 1u << (kMantissaBits - 1);
  static constexpr int kLeastExponent = 2 - static_cast<int>(kExponents / 2);  // normal numbers are in [1, 2) * 2^x

  static constexpr int kDigits = kMantissaBits + 1;

  u16 bits = 0;

  SmallFloat() = default;

  // Rounds to nearest even; too large a value to infinity.
  explicit SmallFloat(double value) {
    const unsigned sign = std::signbit(value) ? 0x8000 : 0;
    bits = static_cast<u16>(sign | (std::isnan(value) ? kQuietNaN : magnitude_bits(value)));
  }
  explicit SmallFloat(long double value) : SmallFloat(rounded_to_odd(value)) {}

  explicit operator long double() const {
    const unsigned exponent = (bits & kInfinity) >> kMantissaBits, mantissa = bits & ((1u << kMantissaBits) - 1);
    const double significand = std::ldexp(1.0, -kMantissaBits) * mantissa + (exponent != 0);
    double magnitude = power_of_two(kLeastExponent + std::max(static_cast<int>(exponent) - 1, 0)) * significand;
    if (exponent == kExponents - 1)
      magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
  }

 private:
  static constexpr int kDoubleMantissaBits = 52;
  static constexpr int kDoubleBias = 1023;

  static double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<u64>(exponent + kDoubleBias) << kDoubleMantissaBits);
  }

  // The double whose last bit is odd where it is not the value itself: rounding that again rounds once.
  static double rounded_to_odd(long double value) {
    const auto nearest = static_cast<double>(value);
    const u64 nearest_bits = std::bit_cast<u64>(nearest);
    if (static_cast<long double>(nearest) == value || (nearest_bits & 1) != 0) return nearest;
    const bool is_beyond = std::abs(static_cast<long double>(nearest)) > std::abs(value);
    return std::bit_cast<double>(is_beyond ? nearest_bits - 1 : nearest_bits + 1);
  }

  static unsigned magnitude_bits(double value) {
    const u64 double_bits = std::bit_cast<u64>(value);
    const int exponent = static_cast<int>(double_bits >> kDoubleMantissaBits & 0x7ff) - kDoubleBias;
    const u64 mantissa = double_bits & ((u64{1} << kDoubleMantissaBits) - 1);
    if (exponent > kDoubleBias) return kInfinity;
    if (exponent < kLeastExponent - kMantissaBits - 1) return 0;
    // Units of the last place: below the least normal exponent they shrink no further.
    const int dropped_bits = kDoubleMantissaBits - kMantissaBits + std::max(kLeastExponent - exponent, 0);
    const u64 significand = mantissa | u64{1} << kDoubleMantissaBits;
    const u64 units = significand >> dropped_bits, rest = significand & ((u64{1} << dropped_bits) - 1);
    const u64 half = u64{1} << (dropped_bits - 1);
    const u64 nearest = units + (rest > half || (rest == half && (units & 1) != 0));
    // A unit one larger is an exponent field one larger. What rounds up to the next power of two carries into it.
    const u64 rounded = (static_cast<u64>(std::max(exponent - kLeastExponent, 0)) << kMantissaBits) + nearest;
    return rounded < kInfinity ? static_cast<unsigned>(rounded) : kInfinity;
  }
};

// What the numbers of a built-in type are on the CPU.
template <class T>
struct NumberOf {
  using Type = T;
};
template <class T>
  requires kIsHalf<T>
struct NumberOf<T> {
  using Type = SmallFloat<15 - kExponentBits<T>>;
};

}  // namespace scantune
