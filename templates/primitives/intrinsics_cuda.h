// Intrinsics for GPUs: the only file with PTX.
#pragma once

#define SCANTUNE_DEVICE __device__ __forceinline__

// A kernel whose operator has a state keeps that before all else. Others are as if there were no states.
#ifdef SCANTUNE_OPERATOR_STATE
#define SCANTUNE_KERNEL_BODY(name) static SCANTUNE_DEVICE void name##_body(const ::scantune::KernelArguments& arguments)
#define SCANTUNE_DECLARED(name) SCANTUNE_KERNEL_BODY(name);
#define SCANTUNE_DEFINED(name)                                          \
  name(const __grid_constant__ ::scantune::KernelArguments arguments) { \
    ::scantune::keep_operator_state(arguments);                         \
    name##_body(arguments);                                             \
  }                                                                     \
  SCANTUNE_KERNEL_BODY(name)
#else
#define SCANTUNE_DECLARED(name)
#define SCANTUNE_DEFINED(name) name(const __grid_constant__ ::scantune::KernelArguments arguments)
#endif

#define SCANTUNE_KERNEL(name, block_threads, min_ctas) \
  SCANTUNE_DECLARED(name) extern "C" __global__ void __launch_bounds__(block_threads, min_ctas) SCANTUNE_DEFINED(name)

// A kernel that is always launched in clusters of this many CTAs. Where the compiler does not know that, the kernel
// checks at every barrier whether it has been.
#if __CUDA_ARCH__ >= 900
#define SCANTUNE_CLUSTER_KERNEL(name, block_threads, min_ctas, cluster_blocks)                                 \
  SCANTUNE_DECLARED(name)                                                                                      \
  extern "C" __global__ void __cluster_dims__(cluster_blocks, 1, 1) __launch_bounds__(block_threads, min_ctas) \
      SCANTUNE_DEFINED(name)
#else
#define SCANTUNE_CLUSTER_KERNEL(name, block_threads, min_ctas, cluster_blocks) \
  SCANTUNE_KERNEL(name, block_threads, min_ctas)
#endif

namespace scantune {

SCANTUNE_DEVICE void copy_bytes(void* to, const void* from, u32 bytes) { memcpy(to, from, bytes); }

SCANTUNE_DEVICE u32 thread_rank() { return threadIdx.x; }
SCANTUNE_DEVICE u32 block_rank() { return blockIdx.x; }
SCANTUNE_DEVICE u32 block_count() { return gridDim.x; }

// The kernel's shared memory, as the one struct that describes it.
template <class Shared>
SCANTUNE_DEVICE Shared& shared_memory() {
  extern __shared__ __align__(16) unsigned char bytes[];
  return *reinterpret_cast<Shared*>(bytes);
}

SCANTUNE_DEVICE void sync_block() { __syncthreads(); }
SCANTUNE_DEVICE void sync_warp(u32 mask = ~0u) { __syncwarp(mask); }
SCANTUNE_DEVICE bool all_lanes(bool vote) { return __all_sync(~0u, vote); }
SCANTUNE_DEVICE u32 ballot(u32 mask, bool vote) { return __ballot_sync(mask, vote); }

// Shuffles a value of any type, given how a 4- or 8-byte number is shuffled.
template <class T, class Shuffle>
SCANTUNE_DEVICE T shuffle_words(T value, const Shuffle& shuffle) {
  if constexpr (kIsShuffled<T>) {
    return shuffle(value);
  } else {
    u32 words[ceil_div(static_cast<int>(sizeof(T)), 4)] = {};
    scantune::copy_bytes(words, __builtin_addressof(value), sizeof(T));
#pragma unroll
    for (u32& word : words) word = shuffle(word);
    scantune::copy_bytes(__builtin_addressof(value), words, sizeof(T));
    return value;
  }
}

template <class T>
SCANTUNE_DEVICE T shuffle_up(T value, u32 distance) {
  return scantune::shuffle_words(value, [=](auto word) { return __shfl_up_sync(~0u, word, distance); });
}
template <class T>
SCANTUNE_DEVICE T shuffle_down(T value, u32 distance) {
  return scantune::shuffle_words(value, [=](auto word) { return __shfl_down_sync(~0u, word, distance); });
}
template <class T>
SCANTUNE_DEVICE T shuffle_index(T value, u32 lane) {
  return scantune::shuffle_words(value, [=](auto word) { return __shfl_sync(~0u, word, lane); });
}

// Whether one instruction combines the lanes of a warp, for integers of 4 bytes.
#if __CUDA_ARCH__ >= 800
inline constexpr bool kReducesLanes = true;
#else
inline constexpr bool kReducesLanes = false;
#endif

// Returns every lane the combination of all, by sum, min, max, bit_and, bit_or or bit_xor. T is i32 or u32.
template <Operator kOperator, class T>
SCANTUNE_DEVICE T reduce_lanes(T value) {
  if constexpr (kOperator == Operator::sum) return __reduce_add_sync(~0u, value);
  if constexpr (kOperator == Operator::min) return __reduce_min_sync(~0u, value);
  if constexpr (kOperator == Operator::max) return __reduce_max_sync(~0u, value);
  if constexpr (kOperator == Operator::bit_and) return __reduce_and_sync(~0u, value);
  if constexpr (kOperator == Operator::bit_or) return __reduce_or_sync(~0u, value);
  if constexpr (kOperator == Operator::bit_xor) return __reduce_xor_sync(~0u, value);
}

SCANTUNE_DEVICE u32 count_ones(u32 bits) { return static_cast<u32>(__popc(static_cast<int>(bits))); }
SCANTUNE_DEVICE u32 count_trailing_zeros(u32 bits) { return __ffs(static_cast<int>(bits)) - 1; }
SCANTUNE_DEVICE u32 highest_bit(u32 bits) { return 31 - __clz(static_cast<int>(bits)); }

// Those of the lanes that come before this one, each so many places higher.
SCANTUNE_DEVICE u32 lanes_before(u32 lanes, u32 lane) { return __funnelshift_r(0, lanes, lane); }

// The lanes of the warp that have the same value, which has no more than kBits bits. The first takes a vote on each
// bit, by four instructions: compilers make seven of the same in C++.
template <int kBits>
SCANTUNE_DEVICE u32 match_by_votes(u32 value) {
  u32 same = ~0u;
#pragma unroll
  for (int bit = 0; bit < kBits; ++bit) {
    u32 alike;
    asm volatile(
        "{ .reg .pred is_set; .reg .u32 own;\n"
        "and.b32 own, %1, %2;\n"
        "setp.ne.u32 is_set, own, 0;\n"
        "vote.sync.ballot.b32 %0, is_set, 0xffffffff;\n"
        "@!is_set not.b32 %0, %0; }"
        : "=r"(alike)
        : "r"(value), "r"(1u << bit));
    same &= alike;
  }
  return same;
}
template <int kBits>
SCANTUNE_DEVICE u32 match_lanes(u32 value) {
  return __match_any_sync(~0u, value);
}

// Adds to a counter in shared memory, to which other threads may be adding, and does not wait for it.
SCANTUNE_DEVICE void add_shared(u32* counter, u32 value) {
  asm volatile("red.shared::cta.add.u32 [%0], %1;" ::"r"(static_cast<u32>(__cvta_generic_to_shared(counter))),
               "r"(value)
               : "memory");
}

template <class T>
SCANTUNE_DEVICE T from_bits(auto bits) {
  static_assert(sizeof(T) == sizeof(bits));
  T value;
  scantune::copy_bytes(__builtin_addressof(value), &bits, sizeof(T));
  return value;
}

// The value whose bytes stand at an address of any alignment.
template <class T>
SCANTUNE_DEVICE T from_bytes(const unsigned char* bytes) {
  T value;
  scantune::copy_bytes(__builtin_addressof(value), bytes, sizeof(T));
  return value;
}

#ifdef SCANTUNE_OPERATOR_STATE
// The state of the caller's operator. combine() is a static function and has no arguments of the kernel's, so the state
// is in registers with names, which all that is inlined into the kernel can read. Every access is volatile: one without
// inputs might else come before the registers are set.
SCANTUNE_DEVICE void keep_operator_state(const KernelArguments& arguments) {
  constexpr int kWords = ceil_div(SCANTUNE_OPERATOR_STATE, 8);
  u64 words[kWords];
  scantune::copy_bytes(words, arguments.states.combine, sizeof words);
  asm volatile(".reg .b64 scantune_state<4>;");
  asm volatile("mov.b64 scantune_state0, %0;" ::"l"(words[0]));
  if constexpr (kWords > 1) asm volatile("mov.b64 scantune_state1, %0;" ::"l"(words[1]));
  if constexpr (kWords > 2) asm volatile("mov.b64 scantune_state2, %0;" ::"l"(words[2]));
  if constexpr (kWords > 3) asm volatile("mov.b64 scantune_state3, %0;" ::"l"(words[3]));
}

template <class State>
SCANTUNE_DEVICE State operator_state() {
  constexpr int kWords = ceil_div(static_cast<int>(sizeof(State)), 8);
  static_assert(kWords <= 4);
  u64 words[kWords];
  asm volatile("mov.b64 %0, scantune_state0;" : "=l"(words[0]));
  if constexpr (kWords > 1) asm volatile("mov.b64 %0, scantune_state1;" : "=l"(words[1]));
  if constexpr (kWords > 2) asm volatile("mov.b64 %0, scantune_state2;" : "=l"(words[2]));
  if constexpr (kWords > 3) asm volatile("mov.b64 %0, scantune_state3;" : "=l"(words[3]));
  State state;
  scantune::copy_bytes(__builtin_addressof(state), words, sizeof state);
  return state;
}
#endif

// An unsigned integer, or a vector of two or four, of the given size: what a load or store instruction moves.
template <int kBytes>
struct Word;
template <>
struct Word<1> {
  using Type = unsigned char;
};
template <>
struct Word<2> {
  using Type = unsigned short;
};
template <>
struct Word<4> {
  using Type = unsigned int;
};
template <>
struct Word<8> {
  using Type = uint2;
};
template <>
struct Word<16> {
  using Type = uint4;
};

// A value as the words that instructions move: as wide as its alignment allows.
template <class T>
struct WordsOf {
  static_assert(alignof(T) <= kVectorAlignmentBytes);
  using Type = typename Word<alignof(T)>::Type;
  static constexpr int kCount = sizeof(T) / alignof(T);
};

template <CacheHint kHint, class Bits>
SCANTUNE_DEVICE Bits load_word(const Bits* source) {
  if constexpr (kHint == CacheHint::streaming) return __ldcs(source);
  if constexpr (kHint == CacheHint::no_allocate) return __ldcg(source);
  return *source;
}

template <CacheHint kHint, class Bits>
SCANTUNE_DEVICE void store_word(Bits* destination, Bits bits) {
  if constexpr (kHint == CacheHint::streaming) {
    __stcs(destination, bits);
  } else if constexpr (kHint == CacheHint::no_allocate) {
    __stcg(destination, bits);
  } else {
    *destination = bits;
  }
}

// Loads plain data, and never by .nc: such a load may be hoisted above the wait for the kernel before, and is wrong
// where the scan is in place.
template <CacheHint kHint, class T>
SCANTUNE_DEVICE T load_global(const T* address) {
  using Words = WordsOf<T>;
  typename Words::Type words[Words::kCount];
#pragma unroll
  for (int word = 0; word < Words::kCount; ++word)
    words[word] = scantune::load_word<kHint>(reinterpret_cast<const typename Words::Type*>(address) + word);
  T value;
  scantune::copy_bytes(__builtin_addressof(value), words, sizeof(T));
  return value;
}

template <CacheHint kHint, class T>
SCANTUNE_DEVICE void store_global(T* address, T value) {
  using Words = WordsOf<T>;
  typename Words::Type words[Words::kCount];
  scantune::copy_bytes(words, __builtin_addressof(value), sizeof(T));
#pragma unroll
  for (int word = 0; word < Words::kCount; ++word)
    scantune::store_word<kHint>(reinterpret_cast<typename Words::Type*>(address) + word, words[word]);
}

// Stores a value at an address in global memory that has been kept as a number. Compilers would take it for one in any
// memory, and keep the order of what may then be the same.
template <CacheHint kHint, class T>
SCANTUNE_DEVICE void store_global_at(u64 address, T value) {
  using Words = WordsOf<T>;
  typename Words::Type words[Words::kCount];
  scantune::copy_bytes(words, __builtin_addressof(value), sizeof(T));
  auto* const destination = reinterpret_cast<typename Words::Type*>(address);
#pragma unroll
  for (int word = 0; word < Words::kCount; ++word) {
    if constexpr (kHint == CacheHint::normal)
      __stwb(destination + word, words[word]);
    else
      scantune::store_word<kHint>(destination + word, words[word]);
  }
}

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

// Programmatic dependent launch. The wait returns once the kernel before has finished and its writes are visible.
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

// Brings memory into L2 and returns nothing of it. All kernels of the GPU see the same L2, so this may precede
// wait_for_predecessor(). The address and the bytes, of which there are some, are multiples of 16.
SCANTUNE_DEVICE void prefetch_to_l2([[maybe_unused]] const void* global, [[maybe_unused]] u32 bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(global)), "r"(bytes));
#endif
}

// Barriers in shared memory (mbarrier): a phase ends when all arrivals, and all bytes that were announced, are in. What
// a thread did before it arrived is visible to whoever has seen the phase end.
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

// Clusters: CTAs that run at the same time and reach each other's shared memory (Launch::cluster_blocks). The cluster's
// barrier takes every thread of every CTA, arrive and wait in turn; threads that have arrived may exit. It shows that
// all CTAs have started, so that they can be sent to, and shows nothing of what they did before: an arrival that does
// waits for all writes to arrive, some hundreds of nanoseconds.
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

// Bulk copies: both addresses and the bytes are multiples of 16; one thread issues them. A load's bytes arrive at the
// barrier that announced them.
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

// Makes one group of this thread's stores since the last commit; there may be none.
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

// The bytes of a (0 to 3) and b (4 to 7) that the digits of the selector name, the lowest first. A digit plus 8 gives
// the sign of the byte instead, eight times over.
SCANTUNE_DEVICE u32 permute_bytes(u32 a, u32 b, u32 selector) {
  u32 result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
  return result;
}

// sum + the dot product of four bytes with four bytes, or of two halves with the two low bytes of the weights.
template <bool kSigned>
SCANTUNE_DEVICE u32 dot_bytes(u32 bytes, u32 weights, u32 sum) {
  u32 result;
  if constexpr (kSigned) {
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(bytes), "r"(weights), "r"(sum));
  } else {
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(bytes), "r"(weights), "r"(sum));
  }
  return result;
}
template <bool kSigned>
SCANTUNE_DEVICE u32 dot_halves(u32 halves, u32 weights, u32 sum) {
  u32 result;
  if constexpr (kSigned) {
    asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(halves), "r"(weights), "r"(sum));
  } else {
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(halves), "r"(weights), "r"(sum));
  }
  return result;
}

// The lesser or greater of the low halves, and of the high halves.
inline constexpr bool kHasExtremesOfHalves = __CUDA_ARCH__ >= 900;
template <bool kSigned>
SCANTUNE_DEVICE u32 min_of_halves(u32 a, u32 b) {
  u32 result;
  if constexpr (kSigned) {
    asm("min.s16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  } else {
    asm("min.u16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  }
  return result;
}
template <bool kSigned>
SCANTUNE_DEVICE u32 max_of_halves(u32 a, u32 b) {
  u32 result;
  if constexpr (kSigned) {
    asm("max.s16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  } else {
    asm("max.u16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  }
  return result;
}

// Minimum and maximum in which NaN propagates and -0 is below +0.
SCANTUNE_DEVICE f32 min_nan(f32 a, f32 b) {
#if __CUDA_ARCH__ >= 800
  f32 result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  if (a != a || b != b) return a + b;
  return fminf(a, b);
#endif
}

SCANTUNE_DEVICE f32 max_nan(f32 a, f32 b) {
#if __CUDA_ARCH__ >= 800
  f32 result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  if (a != a || b != b) return a + b;
  return fmaxf(a, b);
#endif
}

// No instruction does this. The comparison also holds for a NaN, and decides unless b is NaN. Numbers that are equal
// differ in the sign of zero at most. Three instructions in a row wait for a, which may arrive late.
#define SCANTUNE_EXTREME_OF_F64(name, precedes, of_equal)                          \
  SCANTUNE_DEVICE f64 name(f64 a, f64 b) {                                         \
    f64 result;                                                                    \
    asm("{ .reg .pred is_nan, first, equal; .reg .u32 low, high, low_a, high_a;\n" \
        "setp.nan.f64 is_nan, %2, %2;\n"                                           \
        "setp." precedes                                                           \
        ".and.f64 first, %1, %2, !is_nan;\n"                                       \
        "setp.eq.f64 equal, %1, %2;\n"                                             \
        "selp.f64 %0, %1, %2, first;\n"                                            \
        "mov.b64 {low, high}, %0;\n"                                               \
        "mov.b64 {low_a, high_a}, %1;\n"                                           \
        "@equal " of_equal                                                         \
        ".b32 high, high, high_a;\n"                                               \
        "mov.b64 %0, {low, high}; }"                                               \
        : "=&d"(result)                                                            \
        : "d"(a), "d"(b));                                                         \
    return result;                                                                 \
  }
SCANTUNE_EXTREME_OF_F64(min_nan, "ltu", "or")
SCANTUNE_EXTREME_OF_F64(max_nan, "gtu", "and")
#undef SCANTUNE_EXTREME_OF_F64

// Conversions of 16-bit floating-point numbers, to f32 and from the nearest f32 or f64.
SCANTUNE_DEVICE f32 value_of(f16 value) {
  f32 result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
  return result;
}

// The move is one permutation of the word that holds the value; a shift would first need the high half taken out.
SCANTUNE_DEVICE f32 value_of(bf16 value) {
  f32 result;
  asm("mov.b32 %0, {%1, %2};" : "=f"(result) : "h"(u16{0}), "h"(value.bits));
  return result;
}

template <>
SCANTUNE_DEVICE f16 round_to<f16>(f32 value) {
  f16 result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
  return result;
}

template <>
SCANTUNE_DEVICE f16 round_to<f16>(f64 value) {
  f16 result;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(result.bits) : "d"(value));
  return result;
}

template <>
SCANTUNE_DEVICE bf16 round_to<bf16>(f32 value) {
#if __CUDA_ARCH__ >= 800
  bf16 result;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
  return result;
#else
  const u32 bits = scantune::from_bits<u32>(value);
  const u32 rounded = bits + 0x7fff + (bits >> 16 & 1);
  return {static_cast<u16>(value != value ? 0x7fff : rounded >> 16)};
#endif
}

// Rounds to odd first, so that rounding twice is rounding once.
template <>
SCANTUNE_DEVICE bf16 round_to<bf16>(f64 value) {
  const f32 truncated = __double2float_rz(value);
  return scantune::round_to<bf16>(
      scantune::from_bits<f32>(scantune::from_bits<u32>(truncated) | (static_cast<f64>(truncated) != value)));
}

}  // namespace scantune
