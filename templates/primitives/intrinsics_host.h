// Intrinsics for the host device: every one is a call into the machine that runs the fibres (host_abi.h).
#pragma once

#include "primitives/host_abi.h"

#define SCANTUNE_DEVICE inline
// NOLINTNEXTLINE: two definitions, the exported one unpacks the arguments
#define SCANTUNE_KERNEL(name, block_threads, min_ctas)                                                        \
  static void name##_body(const ::scantune::KernelArguments& arguments);                                      \
  extern "C" __attribute__((visibility("default"))) void name(const ::scantune::KernelArguments* arguments) { \
    ::scantune::keep_operator_state(*arguments);                                                              \
    name##_body(*arguments);                                                                                  \
  }                                                                                                           \
  static void name##_body(const ::scantune::KernelArguments& arguments)

// A GPU refuses to launch such a kernel in clusters of another size; the host device reads the size to do so too.
#define SCANTUNE_CLUSTER_KERNEL(name, block_threads, min_ctas, cluster_blocks)                                         \
  extern "C" __attribute__((visibility("default"))) ::scantune::i32 name##_cluster_blocks() { return cluster_blocks; } \
  SCANTUNE_KERNEL(name, block_threads, min_ctas)

namespace scantune {

namespace host {
inline Hooks* hooks = nullptr;
}

extern "C" __attribute__((visibility("default"), used)) inline void scantune_bind(host::Hooks* hooks) {
  host::hooks = hooks;
}

// Default arguments name the place of the call, not this file.
#define SCANTUNE_SITE host::Site site = {__builtin_FILE(), __builtin_LINE()}

// A function, not text of the macro above: an operator's source may have made macros of any names that stand there.
SCANTUNE_DEVICE void keep_operator_state(const KernelArguments& arguments) {
  host::hooks->lane->operator_state = arguments.states.combine;
}

SCANTUNE_DEVICE u32 thread_rank() { return host::hooks->lane->thread_rank; }
SCANTUNE_DEVICE u32 block_rank() { return host::hooks->lane->block_rank; }
SCANTUNE_DEVICE u32 block_count() { return host::hooks->lane->block_count; }

template <class Shared>
SCANTUNE_DEVICE Shared& shared_memory() {
  if (sizeof(Shared) > host::hooks->lane->shared_bytes) __builtin_trap();
  return *reinterpret_cast<Shared*>(host::hooks->lane->shared);
}

SCANTUNE_DEVICE void sync_block(SCANTUNE_SITE) { host::hooks->sync_block(site); }
SCANTUNE_DEVICE void sync_warp(u32 mask = ~0u, SCANTUNE_SITE) { host::hooks->sync_warp(mask, site); }
SCANTUNE_DEVICE u32 ballot(u32 mask, bool vote, SCANTUNE_SITE) { return host::hooks->ballot(mask, vote, site); }

SCANTUNE_DEVICE bool all_lanes(bool vote, SCANTUNE_SITE) { return host::hooks->ballot(~0u, vote, site) == ~0u; }

template <class T>
SCANTUNE_DEVICE T shuffle_up(T value, u32 distance, SCANTUNE_SITE) {
  T result;
  host::hooks->shuffle(__builtin_addressof(result), __builtin_addressof(value), sizeof(T), host::Shuffle::up, distance,
                       ~0u, site);
  return result;
}
template <class T>
SCANTUNE_DEVICE T shuffle_down(T value, u32 distance, SCANTUNE_SITE) {
  T result;
  host::hooks->shuffle(__builtin_addressof(result), __builtin_addressof(value), sizeof(T), host::Shuffle::down,
                       distance, ~0u, site);
  return result;
}
template <class T>
SCANTUNE_DEVICE T shuffle_index(T value, u32 lane, SCANTUNE_SITE) {
  T result;
  host::hooks->shuffle(__builtin_addressof(result), __builtin_addressof(value), sizeof(T), host::Shuffle::index, lane,
                       ~0u, site);
  return result;
}

inline constexpr bool kReducesLanes = true;

template <Operator kOperator, class T>
SCANTUNE_DEVICE T reduce_lanes(T value, SCANTUNE_SITE) {
  for (u32 offset = 1; offset < kWarpThreads; offset *= 2) {
    const T other = scantune::shuffle_index(value, thread_rank() % kWarpThreads ^ offset, site);
    if constexpr (kOperator == Operator::sum) value = static_cast<T>(static_cast<u32>(value) + static_cast<u32>(other));
    if constexpr (kOperator == Operator::min) value = other < value ? other : value;
    if constexpr (kOperator == Operator::max) value = value < other ? other : value;
    if constexpr (kOperator == Operator::bit_and) value &= other;
    if constexpr (kOperator == Operator::bit_or) value |= other;
    if constexpr (kOperator == Operator::bit_xor) value ^= other;
  }
  return value;
}

// By adding up, where the compiler's own would call a function of its library, which a kernel is not linked with.
SCANTUNE_DEVICE u32 count_ones(u32 bits) {
  bits -= bits >> 1 & 0x55555555;
  bits = (bits & 0x33333333) + (bits >> 2 & 0x33333333);
  return ((bits + (bits >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
SCANTUNE_DEVICE u32 count_trailing_zeros(u32 bits) { return static_cast<u32>(__builtin_ctz(bits)); }
SCANTUNE_DEVICE u32 highest_bit(u32 bits) { return 31 - static_cast<u32>(__builtin_clz(bits)); }

SCANTUNE_DEVICE u32 lanes_before(u32 lanes, u32 lane) {
  return lane == 0 ? 0 : lanes << (kWarpThreads - static_cast<int>(lane));
}

template <int kBits>
SCANTUNE_DEVICE u32 match_by_votes(u32 value, SCANTUNE_SITE) {
  u32 same = ~0u;
  for (int bit = 0; bit < kBits; ++bit) {
    const bool is_set = (value >> bit & 1) != 0;
    const u32 set = host::hooks->ballot(~0u, is_set, site);
    same &= is_set ? set : ~set;
  }
  return same;
}
template <int kBits>
SCANTUNE_DEVICE u32 match_lanes(u32 value, SCANTUNE_SITE) {
  return match_by_votes<kBits>(value, site);
}

// No other thread runs in between.
SCANTUNE_DEVICE void add_shared(u32* counter, u32 value) { *counter += value; }

SCANTUNE_DEVICE void copy_bytes(void* to, const void* from, u32 bytes) { __builtin_memcpy(to, from, bytes); }

template <class T>
SCANTUNE_DEVICE T from_bytes(const unsigned char* bytes) {
  T value;
  scantune::copy_bytes(__builtin_addressof(value), bytes, sizeof(T));
  return value;
}

// The state of the caller's operator.
template <class State>
SCANTUNE_DEVICE State operator_state() {
  return scantune::from_bytes<State>(host::hooks->lane->operator_state);
}

// Words of the width that a value's alignment allows, as on a GPU.
template <CacheHint, class T>
SCANTUNE_DEVICE T load_global(const T* address, SCANTUNE_SITE) {
  T value;
  for (u32 offset = 0; offset < sizeof(T); offset += alignof(T))
    host::hooks->load(reinterpret_cast<unsigned char*>(__builtin_addressof(value)) + offset,
                      reinterpret_cast<const unsigned char*>(address) + offset, alignof(T), host::Order::plain, site);
  return value;
}

template <CacheHint, class T>
SCANTUNE_DEVICE void store_global(T* address, T value, SCANTUNE_SITE) {
  for (u32 offset = 0; offset < sizeof(T); offset += alignof(T))
    host::hooks->store(reinterpret_cast<unsigned char*>(address) + offset,
                       reinterpret_cast<const unsigned char*>(__builtin_addressof(value)) + offset, alignof(T),
                       host::Order::plain, site);
}

template <CacheHint kHint, class T>
SCANTUNE_DEVICE void store_global_at(u64 address, T value, SCANTUNE_SITE) {
  scantune::store_global<kHint>(reinterpret_cast<T*>(address), value, site);
}

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

SCANTUNE_DEVICE void wait_for_predecessor(u64 = 1, SCANTUNE_SITE) { host::hooks->wait_for_predecessor(site); }
SCANTUNE_DEVICE void release_dependents(SCANTUNE_SITE) { host::hooks->release_dependents(site); }
SCANTUNE_DEVICE void prefetch_to_l2(const void* global, u32 bytes, SCANTUNE_SITE) {
  host::hooks->prefetch(global, bytes, site);
}

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

SCANTUNE_DEVICE u32 permute_bytes(u32 a, u32 b, u32 selector) {
  const u64 bytes = u64{b} << 32 | a;
  u32 result = 0;
  for (u32 place = 0; place < 4; ++place, selector >>= 4) {
    const u32 byte = static_cast<u32>(bytes >> 8 * (selector & 7)) & 0xff;
    const u32 sign = byte >> 7 != 0 ? 0xff : 0;
    result |= ((selector & 8) != 0 ? sign : byte) << 8 * place;
  }
  return result;
}

template <class Part>
SCANTUNE_DEVICE Part part_of(u32 word, u32 index) {
  return static_cast<Part>(word >> 8 * sizeof(Part) * index);
}

template <bool kSigned>
SCANTUNE_DEVICE u32 dot_bytes(u32 bytes, u32 weights, u32 sum) {
  for (u32 index = 0; index < 4; ++index) {
    const i32 byte = kSigned ? scantune::part_of<i8>(bytes, index) : scantune::part_of<u8>(bytes, index);
    sum += static_cast<u32>(byte *
                            (kSigned ? scantune::part_of<i8>(weights, index) : scantune::part_of<u8>(weights, index)));
  }
  return sum;
}

template <bool kSigned>
SCANTUNE_DEVICE u32 dot_halves(u32 halves, u32 weights, u32 sum) {
  for (u32 index = 0; index < 2; ++index) {
    const i32 half = kSigned ? scantune::part_of<i16>(halves, index) : scantune::part_of<u16>(halves, index);
    sum += static_cast<u32>(half *
                            (kSigned ? scantune::part_of<i8>(weights, index) : scantune::part_of<u8>(weights, index)));
  }
  return sum;
}

inline constexpr bool kHasExtremesOfHalves = true;
template <bool kSigned>
SCANTUNE_DEVICE bool is_less(u32 a, u32 b, u32 index) {
  if constexpr (kSigned) return scantune::part_of<i16>(a, index) < scantune::part_of<i16>(b, index);
  return scantune::part_of<u16>(a, index) < scantune::part_of<u16>(b, index);
}
template <bool kSigned>
SCANTUNE_DEVICE u32 min_of_halves(u32 a, u32 b) {
  return (is_less<kSigned>(b, a, 0) ? b & 0xffff : a & 0xffff) |
         (is_less<kSigned>(b, a, 1) ? b & ~0xffffu : a & ~0xffffu);
}
template <bool kSigned>
SCANTUNE_DEVICE u32 max_of_halves(u32 a, u32 b) {
  return (is_less<kSigned>(a, b, 0) ? b & 0xffff : a & 0xffff) |
         (is_less<kSigned>(a, b, 1) ? b & ~0xffffu : a & ~0xffffu);
}

template <class T>
SCANTUNE_DEVICE T min_nan(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return __builtin_signbit(a) ? a : b;
  return b < a ? b : a;
}

template <class T>
SCANTUNE_DEVICE T max_nan(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return __builtin_signbit(a) ? b : a;
  return a < b ? b : a;
}

}  // namespace scantune
