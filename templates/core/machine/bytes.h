// Combines bytes of two words.
#pragma once

#include "core/machine/kernel.h"

namespace scantune {

#ifdef __CUDACC_RTC__

// The bytes of a (0 to 3) and b (4 to 7) that the digits of the selector name, the lowest first. A digit plus 8 gives
// the sign of the byte instead, eight times over.
SCANTUNE_DEVICE u32 permute_bytes(u32 a, u32 b, u32 selector) {
  u32 result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
  return result;
}

#else

SCANTUNE_DEVICE u32 permute_bytes(u32 a, u32 b, u32 selector) {
  const u64 bytes = u64{b} << 32 | a;
  u32 result = 0;
  for (u32 place = 0; place < 4; ++place, selector >>= 4) {
    const u32 byte = static_cast<u32>(bytes >> 8 * (selector & 7)) & 0xff;
    const u32 sign = byte >> 7 != 0 ? 0xff : 0;
    result |= ((selector & 8) != 0 ? sign : byte) << 8 * place;
  }
  return result;
}

#endif

}  // namespace scantune
