// Clusters: CTAs that run at the same time and reach each other's shared memory (Launch::cluster_blocks). The cluster's
// barrier takes every thread of every CTA, arrive and wait in turn; threads that have arrived may exit. After it all
// CTAs have started, so that others can send to them. It makes no earlier writes visible: an arrival that does so waits
// for all writes, some hundreds of nanoseconds.
#pragma once

#include "core/machine/barriers.h"
#include "core/machine/memory.h"

namespace scantune {

#ifdef __CUDACC_RTC__

// Waits for bytes that other CTAs of the cluster send. They become visible at the cluster's scope alone; barrier_wait()
// keeps to that of the CTA.
SCANTUNE_DEVICE void barrier_wait_for_sends(Barrier* barrier, u32 parity) {
  asm volatile(
      "{ .reg .pred done;\n"
      "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

SCANTUNE_DEVICE u32 cluster_rank() {
  u32 rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

SCANTUNE_DEVICE void cluster_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); }
SCANTUNE_DEVICE void cluster_wait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }

// The place of mine in the shared memory of the cluster's CTA of that rank.
SCANTUNE_DEVICE u32 address_in_cta(const void* mine, u32 cta) {
  u32 theirs;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(shared_address(mine)), "r"(cta));
  return theirs;
}

SCANTUNE_DEVICE void send_word(u32 address, unsigned int bits, u32 barrier) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(address), "r"(bits),
               "r"(barrier)
               : "memory");
}
SCANTUNE_DEVICE void send_word(u32 address, uint2 bits, u32 barrier) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %2}, [%3];" ::"r"(address),
               "r"(bits.x), "r"(bits.y), "r"(barrier)
               : "memory");
}
SCANTUNE_DEVICE void send_word(u32 address, uint4 bits, u32 barrier) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(address),
      "r"(bits.x), "r"(bits.y), "r"(bits.z), "r"(bits.w), "r"(barrier)
      : "memory");
}

// Stores a value at the place of mine in the shared memory of that CTA, which must have started. Its bytes arrive at
// that CTA's barrier, which has announced them: whoever has waited for them sees the value. A CTA that has seen all
// that is sent to it may exit. T is aligned to at least 4 bytes.
template <class T>
SCANTUNE_DEVICE void send_to_cta(T* mine, u32 cta, const T& value, Barrier* barrier) {
  using Words = WordsOf<T>;
  static_assert(sizeof(typename Words::Type) >= 4);
  typename Words::Type words[Words::kCount];
  scantune::copy_bytes(words, __builtin_addressof(value), sizeof(T));
  const u32 theirs = scantune::address_in_cta(mine, cta), their_barrier = scantune::address_in_cta(barrier, cta);
#pragma unroll
  for (int word = 0; word < Words::kCount; ++word)
    scantune::send_word(theirs + word * static_cast<u32>(sizeof words[0]), words[word], their_barrier);
}

#else

SCANTUNE_DEVICE void barrier_wait_for_sends(Barrier* barrier, u32 parity, SCANTUNE_SITE) {
  host::hooks->barrier_wait(barrier, parity, host::Scope::cluster, site);
}

SCANTUNE_DEVICE u32 cluster_rank() { return host::hooks->lane->cluster_rank; }
SCANTUNE_DEVICE void cluster_arrive_relaxed(SCANTUNE_SITE) { host::hooks->cluster_arrive(site); }
SCANTUNE_DEVICE void cluster_wait(SCANTUNE_SITE) { host::hooks->cluster_wait(site); }

// Words of the width that a value's alignment allows, as on a GPU.
template <class T>
SCANTUNE_DEVICE void send_to_cta(T* mine, u32 cta, const T& value, Barrier* barrier, SCANTUNE_SITE) {
  static_assert(alignof(T) >= 4);
  for (u32 offset = 0; offset < sizeof(T); offset += alignof(T))
    host::hooks->send_to_cta(reinterpret_cast<unsigned char*>(mine) + offset, cta,
                             reinterpret_cast<const unsigned char*>(__builtin_addressof(value)) + offset, alignof(T),
                             barrier, site);
}

#endif

}  // namespace scantune
