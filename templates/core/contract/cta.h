// What is the same for the CTAs of all families: warps, hints to caches, widths of accesses.
#pragma once

#include "core/contract/value.h"

namespace scantune {

enum class CacheHint {
  normal,
  streaming,   // evict first (.cs)
  no_allocate  // bypass L1 (.cg)
};
template <>
struct Tokens<CacheHint> {
  static constexpr const char* kNames[] = {"normal", "streaming", "no_allocate"};
};

inline constexpr int kWarpThreads = 32;

// The widest word that moves `items` neighbouring items, given how their first one is aligned.
constexpr int access_bytes(int items, int item_bytes, int alignment) {
  int bytes = kVectorAlignmentBytes;
  while (bytes > alignment || items * item_bytes % bytes != 0) bytes /= 2;
  return bytes;
}

}  // namespace scantune
