#pragma once

#include "primitives/intrinsics.h"

namespace scantune {

// First thing in every kernel: with PDL it may have started while the kernel before it still writes, so every CTA waits
// before its first global access, and lets the kernel behind it start in the same way.
template <bool kPdl>
SCANTUNE_DEVICE void begin_kernel() {
  if constexpr (kPdl) {
    wait_for_predecessor();
    release_dependents();
  }
}

}  // namespace scantune
