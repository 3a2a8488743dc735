// Loads and stores in global memory, with the word size and cache hint that a kernel chooses.
#pragma once

#include "core/contract/cta.h"
#include "core/machine/kernel.h"

namespace scantune {

#ifdef __CUDACC_RTC__

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

// Brings memory into L2 and returns nothing of it. All kernels of the GPU see the same L2, so this may precede
// wait_for_predecessor(). The address and the bytes, of which there are some, are multiples of 16.
SCANTUNE_DEVICE void prefetch_to_l2([[maybe_unused]] const void* global, [[maybe_unused]] u32 bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(global)), "r"(bytes));
#endif
}

#else

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

SCANTUNE_DEVICE void prefetch_to_l2(const void* global, u32 bytes, SCANTUNE_SITE) {
  host::hooks->prefetch(global, bytes, site);
}

#endif

}  // namespace scantune
