// A vector of 16 bytes from an unaligned address: two aligned ones, shifted into one.
#pragma once

#include "core/machine/memory.h"

namespace scantune {

struct alignas(kVectorAlignmentBytes) VectorWords {
  u32 words[4];
};

// The two aligned vectors that contain an unaligned one. Load them for many addresses before shifting any, so that the
// latencies overlap.
struct VectorHalves {
  VectorWords low, high;
};

// `from` need not be aligned. If it is not, the two aligned vectors around it are read as a whole: they must be in the
// same allocation. Neighbouring lanes read them from the cache.
SCANTUNE_DEVICE VectorHalves load_halves(const void* from) {
  const u64 address = reinterpret_cast<u64>(from);
  const auto* const aligned = reinterpret_cast<const VectorWords*>(address - address % kVectorAlignmentBytes);
  const bool is_split = address % kVectorAlignmentBytes != 0;  // else the first vector is loaded twice
  return {scantune::load_global<CacheHint::normal>(aligned),
          scantune::load_global<CacheHint::normal>(aligned + (is_split ? 1 : 0))};
}

// Combines the vector whose address is `shift` bytes past a boundary.
SCANTUNE_DEVICE VectorWords shifted(const VectorHalves& halves, u32 shift) {
  u32 words[8];
#pragma unroll
  for (int word = 0; word < 4; ++word) {
    words[word] = halves.low.words[word];
    words[word + 4] = halves.high.words[word];
  }
#pragma unroll
  for (int word = 0; word < 6; ++word) words[word] = (shift & 8) != 0 ? words[word + 2] : words[word];
#pragma unroll
  for (int word = 0; word < 5; ++word) words[word] = (shift & 4) != 0 ? words[word + 1] : words[word];
  VectorWords result;
#pragma unroll
  for (int word = 0; word < 4; ++word)
    result.words[word] = static_cast<u32>((u64{words[word + 1]} << 32 | words[word]) >> (shift % 4 * 8));
  return result;
}

}  // namespace scantune
