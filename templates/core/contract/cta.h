// Common to the CTAs of all families: warps, cache hints, access widths, and rules of configs.
#pragma once

#include "core/contract/arch.h"
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

// Null if a CTA may have this many threads, else why not.
constexpr const char* invalid_threads_reason(int block_threads) {
  if (block_threads < kWarpThreads || block_threads > kMaxBlockThreads || block_threads % kWarpThreads != 0)
    return "block_threads must be a multiple of 32 up to 1024";
  return nullptr;
}

// Null if the register budget is that of CTAs that fit one SM, else why not.
constexpr const char* invalid_budget_reason(int min_ctas_per_sm, int block_threads, int sm) {
  if (min_ctas_per_sm < 1 || min_ctas_per_sm > limits_of(sm).threads_per_sm / block_threads)
    return "min_ctas_per_sm CTAs of block_threads threads do not fit one SM";
  return nullptr;
}

// Null if launches may overlap their predecessor in that way, else why not.
constexpr const char* invalid_pdl_reason(int pdl, int most, int sm) {
  if (pdl < 0 || pdl > most) return most == 1 ? "pdl must be 0 or 1" : "pdl must be 0, 1 or 2";
  if (pdl != 0 && !limits_of(sm).has_pdl) return "pdl needs sm_90 or newer";
  return nullptr;
}

}  // namespace scantune
