#pragma once

#include "core/machine/dependents.h"

namespace scantune {

// Every kernel calls this before any access to global memory. With PDL it may have started while its predecessor still
// writes, so every CTA waits before its first global access (a prefetch into L2 does not count). It lets its successor
// start in the same way; with kPdl 2 before its own wait. The successor may then start while the predecessor still
// writes, but it waits for this kernel, which ends only after the predecessor. prepared, which is not 0, depends on the
// values that the first accesses need, so that they are computed before the wait.
template <int kPdl>
SCANTUNE_DEVICE void begin_kernel(u64 prepared = 1) {
  if constexpr (kPdl == 2) release_dependents();
  if constexpr (kPdl != 0) wait_for_predecessor(prepared);
  if constexpr (kPdl == 1) release_dependents();
}

}  // namespace scantune
