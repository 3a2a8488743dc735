// Counting and finding bits of a word.
#pragma once

#include "core/contract/cta.h"
#include "core/machine/kernel.h"

namespace scantune {

#ifdef __CUDACC_RTC__

SCANTUNE_DEVICE u32 count_ones(u32 bits) { return static_cast<u32>(__popc(static_cast<int>(bits))); }
SCANTUNE_DEVICE u32 count_trailing_zeros(u32 bits) { return __ffs(static_cast<int>(bits)) - 1; }
SCANTUNE_DEVICE u32 highest_bit(u32 bits) { return 31 - __clz(static_cast<int>(bits)); }

// Those of the lanes that come before this one, each so many places higher.
SCANTUNE_DEVICE u32 lanes_before(u32 lanes, u32 lane) { return __funnelshift_r(0, lanes, lane); }

#else

// By adding up, where the compiler's own would call a function of its library, which a kernel is not linked with.
SCANTUNE_DEVICE u32 count_ones(u32 bits) {
  bits -= bits >> 1 & 0x55555555;
  bits = (bits & 0x33333333) + (bits >> 2 & 0x33333333);
  return ((bits + (bits >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
SCANTUNE_DEVICE u32 count_trailing_zeros(u32 bits) { return static_cast<u32>(__builtin_ctz(bits)); }
SCANTUNE_DEVICE u32 highest_bit(u32 bits) { return 31 - static_cast<u32>(__builtin_clz(bits)); }

SCANTUNE_DEVICE u32 lanes_before(u32 lanes, u32 lane) {
  return lane == 0 ? 0 : lanes << (kWarpThreads - static_cast<int>(lane));
}

#endif

}  // namespace scantune
