// A vector of 16 bytes from behind any pointer: two aligned ones, shifted into one.
#pragma once

#include "primitives/intrinsics.h"

namespace scantune {

struct alignas(kVectorAlignmentBytes) VectorWords {
  u32 words[4];
};

// `from` need not be aligned. Where it is not, bytes of the two aligned vectors that it lies in are read beside the
// wanted ones: memory of the same allocation has to be there. Neighbouring lanes read them from the cache.
template <CacheHint kHint>
SCANTUNE_DEVICE VectorWords load_shifted(const void* from) {
  const u64 address = reinterpret_cast<u64>(from);
  const u32 shift = address % kVectorAlignmentBytes;
  const auto* const aligned = reinterpret_cast<const VectorWords*>(address - shift);
  const VectorWords low = scantune::load_global<kHint>(aligned);
  if (shift == 0) return low;
  const VectorWords high = scantune::load_global<kHint>(aligned + 1);

  u32 words[8] = {low.words[0],  low.words[1],  low.words[2],  low.words[3],
                  high.words[0], high.words[1], high.words[2], high.words[3]};
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
