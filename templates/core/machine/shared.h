// Loads of vectors from shared memory.
#pragma once

#include "core/machine/memory.h"

namespace scantune {

#ifdef __CUDACC_RTC__

// Loads words as wide as the alignment of the value allows. A copy of a struct would load each member by itself, and
// lanes that are a vector apart would then meet in the same banks.
template <class T>
SCANTUNE_DEVICE T load_shared(const T* address) {
  using Words = WordsOf<T>;
  typename Words::Type words[Words::kCount];
#pragma unroll
  for (int word = 0; word < Words::kCount; ++word)
    words[word] = reinterpret_cast<const typename Words::Type*>(address)[word];
  T value;
  scantune::copy_bytes(__builtin_addressof(value), words, sizeof(T));
  return value;
}

#else

template <class T>
SCANTUNE_DEVICE T load_shared(const T* address) {
  return *address;
}

#endif

}  // namespace scantune
