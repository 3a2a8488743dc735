// Checks of outputs on the device: in chunks, one thread each.
#pragma once

#include "core/contract/value.h"

namespace scantune {

inline constexpr u64 kCheckedItems = 4096;  // items of one chunk
inline constexpr int kCheckThreads = 128;   // threads of a CTA

// The arrays that a check writes, contiguous: the total of each chunk, the carry into each chunk, and the number of its
// outputs before the first wrong one.
struct CheckWorkspace {
  u64 chunks;

  static constexpr CheckWorkspace of(u64 items) { return {ceil_div(items, kCheckedItems)}; }
  constexpr u64 totals() const { return 0; }
  constexpr u64 carries() const { return chunks * kMaxValueBytes; }
  constexpr u64 counts() const { return 2 * carries(); }
  constexpr u64 bytes() const { return counts() + chunks * sizeof(u32); }
};

}  // namespace scantune
