// Words in global memory by which CTAs wait for each other: relaxed, acquire, release, and atomic.
#pragma once

#include "core/machine/memory.h"

namespace scantune {

#ifdef __CUDACC_RTC__

// Status words: single-copy-atomic at gpu scope.
SCANTUNE_DEVICE u32 load_relaxed(const u32* address) {
  u32 bits;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(bits) : "l"(__cvta_generic_to_global(address)) : "memory");
  return bits;
}

SCANTUNE_DEVICE u32 load_acquire(const u32* address) {
  u32 bits;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(bits) : "l"(__cvta_generic_to_global(address)) : "memory");
  return bits;
}

SCANTUNE_DEVICE void store_relaxed(u32* address, u32 bits) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(address)), "r"(bits) : "memory");
}

SCANTUNE_DEVICE void store_release(u32* address, u32 bits) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(address)), "r"(bits) : "memory");
}

// T has 8 or 16 bytes and is aligned to its size.
template <class T>
SCANTUNE_DEVICE T load_relaxed_wide(const T* address) {
  static_assert(sizeof(T) == 8 || sizeof(T) == 16);
  if constexpr (sizeof(T) == 8) {
    u64 bits;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(bits)
                 : "l"(__cvta_generic_to_global(address))
                 : "memory");
    return scantune::from_bits<T>(bits);
  } else {
    ulonglong2 bits;
    asm volatile("{ .reg .b128 word; ld.relaxed.gpu.global.b128 word, [%2]; mov.b128 {%0, %1}, word; }"
                 : "=l"(bits.x), "=l"(bits.y)
                 : "l"(__cvta_generic_to_global(address))
                 : "memory");
    return scantune::from_bits<T>(bits);
  }
}

template <class T>
SCANTUNE_DEVICE void store_relaxed_wide(T* address, T value) {
  static_assert(sizeof(T) == 8 || sizeof(T) == 16);
  if constexpr (sizeof(T) == 8) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(address)),
                 "l"(scantune::from_bits<u64>(value))
                 : "memory");
  } else {
    const ulonglong2 bits = scantune::from_bits<ulonglong2>(value);
    asm volatile("{ .reg .b128 word; mov.b128 word, {%1, %2}; st.relaxed.gpu.global.b128 [%0], word; }" ::"l"(
                     __cvta_generic_to_global(address)),
                 "l"(bits.x), "l"(bits.y)
                 : "memory");
  }
}

// Payload beside a flag: ordered by the flag's release and acquire, never served from L1.
template <class T>
SCANTUNE_DEVICE T load_payload(const T* address) {
  return scantune::load_global<CacheHint::no_allocate>(address);
}

template <class T>
SCANTUNE_DEVICE void store_payload(T* address, T value) {
  scantune::store_global<CacheHint::no_allocate>(address, value);
}

SCANTUNE_DEVICE u32 fetch_add(u32* address, u32 value) {
  u32 old;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(__cvta_generic_to_global(address)), "r"(value)
               : "memory");
  return old;
}

SCANTUNE_DEVICE u64 fetch_add(u64* address, u64 value) {
  u64 old;
  asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
               : "=l"(old)
               : "l"(__cvta_generic_to_global(address)), "l"(value)
               : "memory");
  return old;
}

// Replaces the word if it is as expected. Returns what it was.
SCANTUNE_DEVICE u64 compare_exchange(u64* address, u64 expected, u64 desired) {
  u64 old;
  asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], %2, %3;"
               : "=l"(old)
               : "l"(__cvta_generic_to_global(address)), "l"(expected), "l"(desired)
               : "memory");
  return old;
}

// Raises the word to value; does not wait for it.
SCANTUNE_DEVICE void store_max(u32* address, u32 value) {
  asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(address)), "r"(value)
               : "memory");
}

SCANTUNE_DEVICE void fence() { __threadfence(); }

template <int kDelayNs>
SCANTUNE_DEVICE void pause() {
  if constexpr (kDelayNs > 0) asm volatile("nanosleep.u32 %0;" ::"n"(kDelayNs));
}

// Pauses between polls that did not satisfy.
template <int kDelayNs>
SCANTUNE_DEVICE void poll_pause() {
  pause<kDelayNs>();
}

#else

SCANTUNE_DEVICE u32 load_relaxed(const u32* address, SCANTUNE_SITE) {
  u32 bits;
  host::hooks->load(&bits, address, sizeof bits, host::Order::relaxed, site);
  return bits;
}

SCANTUNE_DEVICE u32 load_acquire(const u32* address, SCANTUNE_SITE) {
  u32 bits;
  host::hooks->load(&bits, address, sizeof bits, host::Order::acquire, site);
  return bits;
}

SCANTUNE_DEVICE void store_relaxed(u32* address, u32 bits, SCANTUNE_SITE) {
  host::hooks->store(address, &bits, sizeof bits, host::Order::relaxed, site);
}

SCANTUNE_DEVICE void store_release(u32* address, u32 bits, SCANTUNE_SITE) {
  host::hooks->store(address, &bits, sizeof bits, host::Order::release, site);
}

template <class T>
SCANTUNE_DEVICE T load_relaxed_wide(const T* address, SCANTUNE_SITE) {
  static_assert(sizeof(T) == 8 || sizeof(T) == 16);
  T value;
  host::hooks->load(__builtin_addressof(value), address, sizeof(T), host::Order::relaxed, site);
  return value;
}

template <class T>
SCANTUNE_DEVICE void store_relaxed_wide(T* address, T value, SCANTUNE_SITE) {
  static_assert(sizeof(T) == 8 || sizeof(T) == 16);
  host::hooks->store(address, __builtin_addressof(value), sizeof(T), host::Order::relaxed, site);
}

template <class T>
SCANTUNE_DEVICE T load_payload(const T* address, SCANTUNE_SITE) {
  return scantune::load_global<CacheHint::no_allocate>(address, site);
}

template <class T>
SCANTUNE_DEVICE void store_payload(T* address, T value, SCANTUNE_SITE) {
  scantune::store_global<CacheHint::no_allocate>(address, value, site);
}

SCANTUNE_DEVICE u32 fetch_add(u32* address, u32 value, SCANTUNE_SITE) {
  return host::hooks->fetch_add(address, value, site);
}

SCANTUNE_DEVICE u64 compare_exchange(u64* address, u64 expected, u64 desired, SCANTUNE_SITE) {
  return host::hooks->compare_exchange(address, expected, desired, site);
}

SCANTUNE_DEVICE u64 fetch_add(u64* address, u64 value, SCANTUNE_SITE) {
  for (u64 found = scantune::load_relaxed_wide(address, site);;) {
    const u64 before = compare_exchange(address, found, found + value, site);
    if (before == found) return before;
    found = before;
  }
}

// Only one thread at a time may raise the word.
SCANTUNE_DEVICE void store_max(u32* address, u32 value, SCANTUNE_SITE) {
  if (load_relaxed(address, site) < value) store_relaxed(address, value, site);
}

SCANTUNE_DEVICE void fence(SCANTUNE_SITE) { host::hooks->fence(site); }

template <int kDelayNs>
SCANTUNE_DEVICE void pause() {}  // schedules decide how long anything takes

template <int kDelayNs>
SCANTUNE_DEVICE void poll_pause(SCANTUNE_SITE) {
  host::hooks->poll_pause(site);
}

#endif

}  // namespace scantune
