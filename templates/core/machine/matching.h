// Lanes with the same value, and counters in shared memory, to rank the digits of a sort.
#pragma once

#include "core/machine/kernel.h"

namespace scantune {

#ifdef __CUDACC_RTC__

// The lanes of the warp that have the same value, which has no more than kBits bits. The first takes a vote on each
// bit, by four instructions: compilers make seven of the same in C++.
template <int kBits>
SCANTUNE_DEVICE u32 match_by_votes(u32 value) {
  u32 same = ~0u;
#pragma unroll
  for (int bit = 0; bit < kBits; ++bit) {
    u32 alike;
    asm volatile(
        "{ .reg .pred is_set; .reg .u32 own;\n"
        "and.b32 own, %1, %2;\n"
        "setp.ne.u32 is_set, own, 0;\n"
        "vote.sync.ballot.b32 %0, is_set, 0xffffffff;\n"
        "@!is_set not.b32 %0, %0; }"
        : "=r"(alike)
        : "r"(value), "r"(1u << bit));
    same &= alike;
  }
  return same;
}
template <int kBits>
SCANTUNE_DEVICE u32 match_lanes(u32 value) {
  return __match_any_sync(~0u, value);
}

// Adds to a counter in shared memory, to which other threads may be adding, and does not wait for it.
SCANTUNE_DEVICE void add_shared(u32* counter, u32 value) {
  asm volatile("red.shared::cta.add.u32 [%0], %1;" ::"r"(static_cast<u32>(__cvta_generic_to_shared(counter))),
               "r"(value)
               : "memory");
}

#else

template <int kBits>
SCANTUNE_DEVICE u32 match_by_votes(u32 value, SCANTUNE_SITE) {
  u32 same = ~0u;
  for (int bit = 0; bit < kBits; ++bit) {
    const bool is_set = (value >> bit & 1) != 0;
    const u32 set = host::hooks->ballot(~0u, is_set, site);
    same &= is_set ? set : ~set;
  }
  return same;
}
template <int kBits>
SCANTUNE_DEVICE u32 match_lanes(u32 value, SCANTUNE_SITE) {
  return match_by_votes<kBits>(value, site);
}

// No other thread runs in between.
SCANTUNE_DEVICE void add_shared(u32* counter, u32 value) { *counter += value; }

#endif

}  // namespace scantune
