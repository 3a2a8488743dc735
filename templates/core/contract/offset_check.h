// How offsets are checked (kernels/check_offsets.h of their algorithm): not by a family, but by a kernel that runs
// before one where a call asks for it.
#pragma once

#include "core/contract/types.h"

namespace scantune {

inline constexpr int kOffsetCheckThreads = 256;    // of a CTA
inline constexpr u64 kMostOffsetCheckCtas = 8192;  // which go through more offsets than they have threads

constexpr u32 offset_check_ctas(u64 offsets) {
  const u64 ctas = ceil_div(offsets, static_cast<u64>(kOffsetCheckThreads));
  return static_cast<u32>(ctas < kMostOffsetCheckCtas ? ctas : kMostOffsetCheckCtas);
}

}  // namespace scantune
