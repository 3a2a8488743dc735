// 16-bit floating-point values. They are loaded and stored, never computed with: accumulators are wider.
#pragma once

#include "core/contract/types.h"

namespace scantune {

struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};

// Exponent bits of a 16-bit format, whose other bits are sign and significand; 0 for any other type.
template <class T>
inline constexpr int kExponentBits = 0;
template <>
inline constexpr int kExponentBits<f16> = 5;
template <>
inline constexpr int kExponentBits<bf16> = 8;

template <class T>
inline constexpr bool kIsHalf = kExponentBits<T> != 0;

// A number rounded to nearest even in a 16-bit format, in integer arithmetic; every NaN becomes the canonical one. It
// serves machines without an instruction for it.
template <int kExponentBits>
constexpr u16 rounded_to_half(f64 value) {
  constexpr int kSignificandBits = 15 - kExponentBits;  // without the implicit one
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  constexpr u32 kInfinity = ((1u << kExponentBits) - 1) << kSignificandBits;
  const u64 bits = __builtin_bit_cast(u64, value);
  const u32 sign = static_cast<u32>(bits >> 63) << 15;
  const u64 magnitude = bits & ~(u64{1} << 63);
  if (magnitude > u64{0x7ff} << 52) return 0x7fff;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent > kBias) return static_cast<u16>(sign | kInfinity);

  const bool subnormal = exponent < 1 - kBias;
  const int dropped = 52 - kSignificandBits + (subnormal ? 1 - kBias - exponent : 0);
  if (dropped > 53) return static_cast<u16>(sign);
  const u64 significand = (magnitude & ((u64{1} << 52) - 1)) | u64{1} << 52;
  const u64 kept = significand >> dropped, rest = significand & ((u64{1} << dropped) - 1);
  const u64 half = u64{1} << (dropped - 1);
  const u32 rounded = static_cast<u32>(kept + (rest > half || (rest == half && (kept & 1) != 0)));
  // The implicit one, or a carry into it, adds to the exponent.
  const u32 scale = subnormal ? 0 : static_cast<u32>(exponent + kBias - 1) << kSignificandBits;
  return static_cast<u16>(sign | (scale + rounded));
}

template <class Half>
constexpr Half rounded_to(f64 value) {
  return {rounded_to_half<kExponentBits<Half>>(value)};
}

// The number that the bits stand for.
constexpr f32 exact_value_of(bf16 value) { return __builtin_bit_cast(f32, static_cast<u32>(value.bits) << 16); }

template <class Half>
constexpr f32 exact_value_of(Half value) {
  constexpr u32 kFractionBits = 15 - kExponentBits<Half>, kBias = (1u << (kExponentBits<Half> - 1)) - 1;
  constexpr u32 kLastExponent = (1u << kExponentBits<Half>)-1;
  const u32 sign = static_cast<u32>(value.bits & 0x8000) << 16;
  const u32 exponent = value.bits >> kFractionBits & kLastExponent, fraction = value.bits & ((1u << kFractionBits) - 1);
  if (exponent == 0) {
    constexpr u32 kLeast = (127 + 1 - kBias - kFractionBits) << 23;  // the bits of the least number above 0
    const f32 magnitude = static_cast<f32>(fraction) * __builtin_bit_cast(f32, kLeast);
    return __builtin_bit_cast(f32, __builtin_bit_cast(u32, magnitude) | sign);
  }
  const u32 widened = exponent == kLastExponent ? 0xff : exponent + 127 - kBias;
  return __builtin_bit_cast(f32, sign | widened << 23 | fraction << (23 - kFractionBits));
}

// Both conversions, for which machines may have instructions.
template <class Half>
  requires kIsHalf<Half>
constexpr f32 value_of(Half value) {
  return exact_value_of(value);
}
template <class Half, class From>
constexpr Half round_to(From value) {
  return rounded_to<Half>(value);
}

template <>
inline constexpr bool kIsFloating<f16> = true;
template <>
inline constexpr bool kIsFloating<bf16> = true;

}  // namespace scantune
