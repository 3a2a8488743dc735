// Values that are computed once.
#pragma once

#include "core/machine/kernel.h"

namespace scantune {

// Returns the value. The compiler does not see where it comes from, so it keeps it in registers where it would compute
// it again for each use.
#ifdef __CUDACC_RTC__
SCANTUNE_DEVICE u32 known(u32 value) {
  asm("mov.b32 %0, %0;" : "+r"(value));
  return value;
}
template <class Item>
SCANTUNE_DEVICE Item* known(Item* address) {
  asm("mov.b64 %0, %0;" : "+l"(address));
  return address;
}
#else
template <class Value>
SCANTUNE_DEVICE Value known(Value value) {
  return value;
}
#endif

}  // namespace scantune
