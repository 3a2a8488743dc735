// Bulk copies between global and shared memory: both addresses and the bytes are multiples of 16; one thread issues
// them. A load's bytes arrive at the barrier that announced them.
#pragma once

#include "core/machine/barriers.h"

namespace scantune {

#ifdef __CUDACC_RTC__

SCANTUNE_DEVICE void bulk_load(void* shared, const void* global, u32 bytes, Barrier* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(shared)),
               "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}

SCANTUNE_DEVICE void bulk_store(void* global, const void* shared, u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(global)),
               "r"(shared_address(shared)), "r"(bytes)
               : "memory");
}

// Makes one group, possibly empty, of this thread's stores since the last commit.
SCANTUNE_DEVICE void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// Waits until all but the latest kGroups groups of this thread have read what they store.
template <int kGroups>
SCANTUNE_DEVICE void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kGroups) : "memory");
}

// Waits until all of this thread's stores are done.
SCANTUNE_DEVICE void bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// Lets bulk copies see what this thread has written to shared memory. It comes before the thread arrives where their
// issuer waits.
SCANTUNE_DEVICE void fence_shared_for_bulk() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

#else

SCANTUNE_DEVICE void bulk_load(void* shared, const void* global, u32 bytes, Barrier* barrier, SCANTUNE_SITE) {
  host::hooks->bulk_load(shared, global, bytes, barrier, site);
}
SCANTUNE_DEVICE void bulk_store(void* global, const void* shared, u32 bytes, SCANTUNE_SITE) {
  host::hooks->bulk_store(global, shared, bytes, site);
}
SCANTUNE_DEVICE void bulk_commit(SCANTUNE_SITE) { host::hooks->bulk_commit(site); }
template <int kGroups>
SCANTUNE_DEVICE void bulk_wait_read(SCANTUNE_SITE) {
  host::hooks->bulk_wait(kGroups, false, site);
}
SCANTUNE_DEVICE void bulk_wait(SCANTUNE_SITE) { host::hooks->bulk_wait(0, true, site); }
SCANTUNE_DEVICE void fence_shared_for_bulk(SCANTUNE_SITE) { host::hooks->fence_shared_for_bulk(site); }

#endif

}  // namespace scantune
