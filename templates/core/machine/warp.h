// Exchange between the lanes of a warp.
#pragma once

#include "core/contract/cta.h"
#include "core/contract/value.h"
#include "core/machine/kernel.h"

namespace scantune {

#ifdef __CUDACC_RTC__

// The types that shuffles move as they are; others go word by word.
template <class T>
inline constexpr bool kIsShuffled = false;
template <>
inline constexpr bool kIsShuffled<i32> = true;
template <>
inline constexpr bool kIsShuffled<u32> = true;
template <>
inline constexpr bool kIsShuffled<i64> = true;
template <>
inline constexpr bool kIsShuffled<u64> = true;
template <>
inline constexpr bool kIsShuffled<f32> = true;
template <>
inline constexpr bool kIsShuffled<f64> = true;

SCANTUNE_DEVICE void sync_warp(u32 mask = ~0u) { __syncwarp(mask); }
SCANTUNE_DEVICE bool all_lanes(bool vote) { return __all_sync(~0u, vote); }
SCANTUNE_DEVICE u32 ballot(u32 mask, bool vote) { return __ballot_sync(mask, vote); }

// Shuffles a value of any type, given how a 4- or 8-byte number is shuffled.
template <class T, class Shuffle>
SCANTUNE_DEVICE T shuffle_words(T value, const Shuffle& shuffle) {
  if constexpr (kIsShuffled<T>) {
    return shuffle(value);
  } else {
    constexpr int kWords = ceil_div(static_cast<int>(sizeof(T)), 4);
    u32 words[kWords] = {};
    scantune::copy_bytes(words, __builtin_addressof(value), sizeof(T));
#pragma unroll
    for (int word = 0; word < kWords; ++word) words[word] = shuffle(words[word]);
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

#else

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

#endif

}  // namespace scantune
