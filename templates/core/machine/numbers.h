// Minima and maxima of floating-point numbers, and conversions of 16-bit ones.
#pragma once

#include "core/machine/half.h"
#include "core/machine/kernel.h"

namespace scantune {

#ifdef __CUDACC_RTC__

// Minimum and maximum in which NaN propagates and -0 is below +0.
SCANTUNE_DEVICE f32 min_nan(f32 a, f32 b) {
#if __CUDA_ARCH__ >= 800
  f32 result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  if (a != a || b != b) return a + b;
  return fminf(a, b);
#endif
}

SCANTUNE_DEVICE f32 max_nan(f32 a, f32 b) {
#if __CUDA_ARCH__ >= 800
  f32 result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  if (a != a || b != b) return a + b;
  return fmaxf(a, b);
#endif
}

// No instruction does this. The comparison also holds for a NaN, and decides unless b is NaN. Numbers that are equal
// differ in the sign of zero at most. Three instructions in a row wait for a, which may arrive late.
#define SCANTUNE_EXTREME_OF_F64(name, precedes, of_equal)                          \
  SCANTUNE_DEVICE f64 name(f64 a, f64 b) {                                         \
    f64 result;                                                                    \
    asm("{ .reg .pred is_nan, first, equal; .reg .u32 low, high, low_a, high_a;\n" \
        "setp.nan.f64 is_nan, %2, %2;\n"                                           \
        "setp." precedes                                                           \
        ".and.f64 first, %1, %2, !is_nan;\n"                                       \
        "setp.eq.f64 equal, %1, %2;\n"                                             \
        "selp.f64 %0, %1, %2, first;\n"                                            \
        "mov.b64 {low, high}, %0;\n"                                               \
        "mov.b64 {low_a, high_a}, %1;\n"                                           \
        "@equal " of_equal                                                         \
        ".b32 high, high, high_a;\n"                                               \
        "mov.b64 %0, {low, high}; }"                                               \
        : "=&d"(result)                                                            \
        : "d"(a), "d"(b));                                                         \
    return result;                                                                 \
  }
SCANTUNE_EXTREME_OF_F64(min_nan, "ltu", "or")
SCANTUNE_EXTREME_OF_F64(max_nan, "gtu", "and")
#undef SCANTUNE_EXTREME_OF_F64

// Conversions of 16-bit floating-point numbers, to f32 and from the nearest f32 or f64.
SCANTUNE_DEVICE f32 value_of(f16 value) {
  f32 result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
  return result;
}

// The move is one permutation of the word that holds the value; a shift would first need the high half taken out.
SCANTUNE_DEVICE f32 value_of(bf16 value) {
  f32 result;
  asm("mov.b32 %0, {%1, %2};" : "=f"(result) : "h"(u16{0}), "h"(value.bits));
  return result;
}

template <>
SCANTUNE_DEVICE f16 round_to<f16>(f32 value) {
  f16 result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
  return result;
}

template <>
SCANTUNE_DEVICE f16 round_to<f16>(f64 value) {
  f16 result;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(result.bits) : "d"(value));
  return result;
}

template <>
SCANTUNE_DEVICE bf16 round_to<bf16>(f32 value) {
#if __CUDA_ARCH__ >= 800
  bf16 result;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
  return result;
#else
  const u32 bits = scantune::from_bits<u32>(value);
  const u32 rounded = bits + 0x7fff + (bits >> 16 & 1);
  return {static_cast<u16>(value != value ? 0x7fff : rounded >> 16)};
#endif
}

// Rounds to odd first, so that rounding twice is rounding once.
template <>
SCANTUNE_DEVICE bf16 round_to<bf16>(f64 value) {
  const f32 truncated = __double2float_rz(value);
  return scantune::round_to<bf16>(
      scantune::from_bits<f32>(scantune::from_bits<u32>(truncated) | (static_cast<f64>(truncated) != value)));
}

#else

template <class T>
SCANTUNE_DEVICE T min_nan(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return __builtin_signbit(a) ? a : b;
  return b < a ? b : a;
}

template <class T>
SCANTUNE_DEVICE T max_nan(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return __builtin_signbit(a) ? b : a;
  return a < b ? b : a;
}

#endif

}  // namespace scantune
