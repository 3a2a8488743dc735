// Barriers in shared memory (mbarrier): a phase ends when all arrivals and all announced bytes have come. Writes of a
// thread before its arrival are visible to every thread that has seen the phase end.
#pragma once

#include "core/machine/kernel.h"

namespace scantune {

#ifdef __CUDACC_RTC__

using Barrier = u64;

SCANTUNE_DEVICE u32 shared_address(const void* pointer) { return static_cast<u32>(__cvta_generic_to_shared(pointer)); }

SCANTUNE_DEVICE void barrier_init(Barrier* barrier, u32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

// Comes after the last barrier_init, and before the CTA's barrier that shows them to other threads.
SCANTUNE_DEVICE void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

SCANTUNE_DEVICE void barrier_arrive(Barrier* barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(shared_address(barrier))
               : "memory");
}

SCANTUNE_DEVICE void barrier_arrive_expecting(Barrier* barrier, u32 bytes) {
  asm volatile(
      "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1; }" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

// Whether the phase of this parity has ended; the one before a barrier's first counts as ended.
SCANTUNE_DEVICE bool barrier_test(Barrier* barrier, u32 parity) {
  u32 done;
  asm volatile("{ .reg .pred done; mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
               : "=r"(done)
               : "r"(shared_address(barrier)), "r"(parity)
               : "memory");
  return done != 0;
}

// Returns once that phase has ended.
SCANTUNE_DEVICE void barrier_wait(Barrier* barrier, u32 parity) {
  asm volatile(
      "{ .reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

#else

using Barrier = u64;

SCANTUNE_DEVICE void barrier_init(Barrier* barrier, u32 arrivals, SCANTUNE_SITE) {
  host::hooks->barrier_init(barrier, arrivals, site);
}
SCANTUNE_DEVICE void fence_barrier_init(SCANTUNE_SITE) { host::hooks->fence_barrier_init(site); }
SCANTUNE_DEVICE void barrier_arrive(Barrier* barrier, SCANTUNE_SITE) { host::hooks->barrier_arrive(barrier, 0, site); }
SCANTUNE_DEVICE void barrier_arrive_expecting(Barrier* barrier, u32 bytes, SCANTUNE_SITE) {
  host::hooks->barrier_arrive(barrier, bytes, site);
}
SCANTUNE_DEVICE bool barrier_test(Barrier* barrier, u32 parity, SCANTUNE_SITE) {
  return host::hooks->barrier_test(barrier, parity, site);
}
SCANTUNE_DEVICE void barrier_wait(Barrier* barrier, u32 parity, SCANTUNE_SITE) {
  host::hooks->barrier_wait(barrier, parity, host::Scope::cta, site);
}

#endif

}  // namespace scantune
