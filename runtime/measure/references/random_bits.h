// Bits that are a function of seed and index.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "core/contract/types.h"

namespace scantune {

// SplitMix64: a bijection of the index, so neighbouring seeds share nothing.
constexpr u64 random_bits(u64 seed, u64 index) {
  u64 x = seed * 0x9e3779b97f4a7c15u + index * 0xd1342543de82ef95u + 0x632be59bd9b4e019u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

inline void fill_random(u64 seed, u64 index, int bytes, std::byte* out) {
  for (int done = 0; done < bytes; done += static_cast<int>(sizeof(u64))) {
    const u64 word = random_bits(seed + static_cast<u64>(done), index);
    std::memcpy(out + done, &word, static_cast<std::size_t>(std::min<int>(sizeof word, bytes - done)));
  }
}

}  // namespace scantune
