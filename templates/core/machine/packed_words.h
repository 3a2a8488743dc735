// Arithmetic on the bytes and halves of a word.
#pragma once

#include "core/machine/kernel.h"

namespace scantune {

#ifdef __CUDACC_RTC__

// sum + the dot product of four bytes with four bytes, or of two halves with the two low bytes of the weights.
template <bool kSigned>
SCANTUNE_DEVICE u32 dot_bytes(u32 bytes, u32 weights, u32 sum) {
  u32 result;
  if constexpr (kSigned) {
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(bytes), "r"(weights), "r"(sum));
  } else {
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(bytes), "r"(weights), "r"(sum));
  }
  return result;
}
template <bool kSigned>
SCANTUNE_DEVICE u32 dot_halves(u32 halves, u32 weights, u32 sum) {
  u32 result;
  if constexpr (kSigned) {
    asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(halves), "r"(weights), "r"(sum));
  } else {
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(halves), "r"(weights), "r"(sum));
  }
  return result;
}

// The lesser or greater of the low halves, and of the high halves.
inline constexpr bool kHasExtremesOfHalves = __CUDA_ARCH__ >= 900;
template <bool kSigned>
SCANTUNE_DEVICE u32 min_of_halves(u32 a, u32 b) {
  u32 result;
  if constexpr (kSigned) {
    asm("min.s16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  } else {
    asm("min.u16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  }
  return result;
}
template <bool kSigned>
SCANTUNE_DEVICE u32 max_of_halves(u32 a, u32 b) {
  u32 result;
  if constexpr (kSigned) {
    asm("max.s16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  } else {
    asm("max.u16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  }
  return result;
}

#else

template <class Part>
SCANTUNE_DEVICE Part part_of(u32 word, u32 index) {
  return static_cast<Part>(word >> 8 * sizeof(Part) * index);
}

template <bool kSigned>
SCANTUNE_DEVICE u32 dot_bytes(u32 bytes, u32 weights, u32 sum) {
  for (u32 index = 0; index < 4; ++index) {
    const i32 byte = kSigned ? scantune::part_of<i8>(bytes, index) : scantune::part_of<u8>(bytes, index);
    sum += static_cast<u32>(byte *
                            (kSigned ? scantune::part_of<i8>(weights, index) : scantune::part_of<u8>(weights, index)));
  }
  return sum;
}

template <bool kSigned>
SCANTUNE_DEVICE u32 dot_halves(u32 halves, u32 weights, u32 sum) {
  for (u32 index = 0; index < 2; ++index) {
    const i32 half = kSigned ? scantune::part_of<i16>(halves, index) : scantune::part_of<u16>(halves, index);
    sum += static_cast<u32>(half *
                            (kSigned ? scantune::part_of<i8>(weights, index) : scantune::part_of<u8>(weights, index)));
  }
  return sum;
}

inline constexpr bool kHasExtremesOfHalves = true;
template <bool kSigned>
SCANTUNE_DEVICE bool is_less(u32 a, u32 b, u32 index) {
  if constexpr (kSigned) return scantune::part_of<i16>(a, index) < scantune::part_of<i16>(b, index);
  return scantune::part_of<u16>(a, index) < scantune::part_of<u16>(b, index);
}
template <bool kSigned>
SCANTUNE_DEVICE u32 min_of_halves(u32 a, u32 b) {
  return (is_less<kSigned>(b, a, 0) ? b & 0xffff : a & 0xffff) |
         (is_less<kSigned>(b, a, 1) ? b & ~0xffffu : a & ~0xffffu);
}
template <bool kSigned>
SCANTUNE_DEVICE u32 max_of_halves(u32 a, u32 b) {
  return (is_less<kSigned>(a, b, 0) ? b & 0xffff : a & 0xffff) |
         (is_less<kSigned>(a, b, 1) ? b & ~0xffffu : a & ~0xffffu);
}

#endif

}  // namespace scantune
