// Counters in shared memory that hand out places.
#pragma once

#include "core/machine/kernel.h"

namespace scantune {

#ifdef __CUDACC_RTC__

// Adds to a counter in shared memory, to which other threads may be adding, and returns what it was.
SCANTUNE_DEVICE u32 fetch_add_shared(u32* counter, u32 value) {
  u32 old;
  asm volatile("atom.shared::cta.add.u32 %0, [%1], %2;"
               : "=r"(old)
               : "r"(static_cast<u32>(__cvta_generic_to_shared(counter))), "r"(value)
               : "memory");
  return old;
}

#else

// No other thread runs in between.
SCANTUNE_DEVICE u32 fetch_add_shared(u32* counter, u32 value) {
  const u32 old = *counter;
  *counter += value;
  return old;
}

#endif

}  // namespace scantune
