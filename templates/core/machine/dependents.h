// Programmatic dependent launch: waits for the previous kernel, and lets the next one start.
#pragma once

#include "core/machine/kernel.h"

namespace scantune {

#ifdef __CUDACC_RTC__

// Returns once the kernel before has finished and its writes are visible.
// prepared, which is not 0, is computed before: the compiler would put off what nothing needs yet.
SCANTUNE_DEVICE void wait_for_predecessor([[maybe_unused]] u64 prepared = 1) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "{ .reg .pred is_prepared; setp.ne.u64 is_prepared, %0, 0; @is_prepared griddepcontrol.wait; }" ::"l"(prepared)
      : "memory");
#endif
}

SCANTUNE_DEVICE void release_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#else

SCANTUNE_DEVICE void wait_for_predecessor(u64 = 1, SCANTUNE_SITE) { host::hooks->wait_for_predecessor(site); }
SCANTUNE_DEVICE void release_dependents(SCANTUNE_SITE) { host::hooks->release_dependents(site); }

#endif

}  // namespace scantune
