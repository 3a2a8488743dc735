// How radix sorts cut keys into digits, and rank them.
//
// Keys are unsigned numbers of the same order (core/parts/ordered_bits.h). Each warp counts the digits of its own
// items; its lanes find those with the same digit by votes or by match.any (sort/parts/digit_ranks.h). A scan over
// digits and warps tells where each item goes, so equal digits keep their order.
#pragma once

#include "core/contract/cta.h"
#include "sort/config/sort.h"

namespace scantune {

// How the lanes of a warp find those with the same digit.
enum class Matching {
  votes,       // on each bit
  instruction  // match.any
};
template <>
struct Tokens<Matching> {
  static constexpr const char* kNames[] = {"votes", "instruction"};
};

inline constexpr int kLeastDigitBits = 4;
inline constexpr int kMostDigitBits = 8;

// The digits of a key, from the lowest to the highest, that a sort has to look at.
constexpr int passes(int digit_bits, const SortRequest& request) { return ceil_div(request.sorted_bits(), digit_bits); }

// The first bit and the one after the last, as launches hold them.
constexpr u64 packed_bits(const SortRequest& request) {
  return static_cast<u64>(request.first_bit()) | static_cast<u64>(request.last_bit()) << 8;
}

// Rows that have keys: all but the last ones may.
constexpr u64 filled_rows(const SortRequest& request) {
  const u64 items = row_items(request);
  return items == 0 ? 0 : ceil_div(request.n, items);
}

// Bytes of shared memory in which the warps of a CTA or of a part of it count digits.
constexpr u64 rank_bytes(int threads, int digit_bits) {
  return static_cast<u64>(threads / kWarpThreads) * (u64{1} << digit_bits) * sizeof(u32) + kWarpThreads * sizeof(u32);
}

// A tile of keys that threads of one CTA sort together, in registers and shared memory.
struct SortShape {
  int threads;
  int items_per_thread;
  int digit_bits;
  Matching matching;
  CacheHint load_hint;
  CacheHint store_hint;

  constexpr u64 items() const { return static_cast<u64>(threads) * static_cast<u64>(items_per_thread); }

  constexpr bool operator==(const SortShape&) const = default;
};

// Its bytes of shared memory. Keys are moved as the numbers that are compared. A value that is wider than an index
// waits until its key has come to rest.
constexpr u64 sorted_tile_bytes(const SortShape& shape, const SortRequest& request) {
  const u64 keys = shape.items(), key_bytes = request.input_bytes() == 8 ? 8 : 4;
  return round_up(
      keys * key_bytes + (request.has_payload() ? keys : 1) * sizeof(u32) + rank_bytes(shape.threads, shape.digit_bits),
      kVectorAlignmentBytes);
}

// Null if so many threads can rank digits of so many bits, else why not.
constexpr const char* invalid_digits_reason(int threads, int digit_bits) {
  if (digit_bits < kLeastDigitBits || digit_bits > kMostDigitBits) return "digit_bits must be between 4 and 8";
  if (threads < kWarpThreads || threads % kWarpThreads != 0) return "digits are ranked by whole warps";
  return nullptr;
}

}  // namespace scantune
