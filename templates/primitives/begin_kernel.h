#pragma once

#include "primitives/intrinsics.h"

namespace scantune {

// Before any access to global memory in every kernel: with PDL it may have started while the kernel before it still
// writes, so every CTA waits before its first global access (a prefetch into L2 is none), and lets the kernel behind it
// start in the same way. Before the wait (kPdl 2) that may come early by another kernel, whose writes it cannot see too
// soon: the kernel between them ends only after it. prepared: depends on what the first accesses need, so that it is
// computed before the wait; not 0.
template <int kPdl>
SCANTUNE_DEVICE void begin_kernel(u64 prepared = 1) {
  if constexpr (kPdl == 2) release_dependents();
  if constexpr (kPdl != 0) wait_for_predecessor(prepared);
  if constexpr (kPdl == 1) release_dependents();
}

}  // namespace scantune
