#pragma once

#include "core/machine/dependents.h"

namespace scantune {

// Every kernel calls this before any access to global memory. With PDL it may have started while the kernel before it
// still writes, so every CTA waits before its first global access (a prefetch into L2 is none). It lets the kernel
// behind it start in the same way. With kPdl 2 it does so before its own wait. The kernel behind may then start while
// the one before still writes, but it waits for this kernel, which ends only after that one. prepared, which is not 0,
// depends on what the first accesses need, so that this is computed before the wait.
template <int kPdl>
SCANTUNE_DEVICE void begin_kernel(u64 prepared = 1) {
  if constexpr (kPdl == 2) release_dependents();
  if constexpr (kPdl != 0) wait_for_predecessor(prepared);
  if constexpr (kPdl == 1) release_dependents();
}

}  // namespace scantune
