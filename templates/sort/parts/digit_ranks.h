// The place of each item when a tile is sorted by a digit, stably. Each warp counts the digits of its own items, which
// also ranks items of equal digits; a scan over digits, and for each digit over warps, gives the start of a warp's
// items (Merrill and Grimshaw, "High performance and scalable radix sorting", 2011).
#pragma once

#include "core/machine/bits.h"
#include "core/machine/matching.h"
#include "core/parts/warp_reduce.h"
#include "core/parts/warp_scan.h"
#include "sort/config/digits.h"

namespace scantune {

// The lanes of the warp that have the same digit.
template <int kDigitBits, Matching kMatching>
SCANTUNE_DEVICE u32 lanes_with(u32 digit) {
  if constexpr (kMatching == Matching::instruction)
    return match_lanes<kDigitBits>(digit);
  else
    return match_by_votes<kDigitBits>(digit);
}

// Places of a thread's items, two to a word: a tile has fewer than 2^16.
template <int kItems>
class TilePlaces {
 public:
  static constexpr int kBits = 16;

  SCANTUNE_DEVICE void set(int step, u32 place) {
    u32& word = words_[step / 2];
    word = step % 2 == 0 ? place : word | place << kBits;
  }
  SCANTUNE_DEVICE void add(int step, u32 places) { words_[step / 2] += step % 2 == 0 ? places : places << kBits; }
  SCANTUNE_DEVICE u32 operator[](int step) const {
    return step % 2 == 0 ? words_[step / 2] & ((1u << kBits) - 1) : words_[step / 2] >> kBits;
  }

 private:
  u32 words_[(kItems + 1) / 2];
};

// kThreads threads have a tile together: a CTA, or an equal part of one, all of whose parts call. An item's place in
// the tile is the warp's items, then a row of lanes, then the lane.
template <int kThreads, int kItems, int kDigitBits, Matching kMatching>
class DigitRanks {
  static constexpr u32 kWarps = kThreads / kWarpThreads;
  using Sum = OperatorOf<u32, Operator::sum>;

 public:
  static constexpr u32 kDigits = 1u << kDigitBits;
  static constexpr u32 kDigitsPerThread = ceil_div(kDigits, u32{kThreads});

  struct Shared {
    u32 counts[kWarps][kDigits];
    u32 totals[kWarpThreads];  // of the digits that each warp adds up
  };
  static_assert(sizeof(Shared) == rank_bytes(kThreads, kDigitBits));
  static_assert(kThreads * kItems < 1 << TilePlaces<kItems>::kBits, "one place would carry into the other");

  // How many items of the tile have a digit of this thread's, and how many have lower ones.
  struct Digit {
    u32 count;
    u32 before;
  };

  SCANTUNE_DEVICE explicit DigitRanks(Shared& shared)
      : shared_(shared),
        thread_(thread_rank() % kThreads),
        warp_(thread_ / kWarpThreads),
        lane_(thread_ % kWarpThreads) {}

  // The place of item `step` of this thread's.
  SCANTUNE_DEVICE u32 place(int step) const {
    return warp_ * (kItems * kWarpThreads) + static_cast<u32>(step) * kWarpThreads + lane_;
  }

  // The number of digit `index` of this thread's, which exists if it is less than kDigits.
  SCANTUNE_DEVICE u32 digit(u32 index) const { return thread_ * kDigitsPerThread + index; }

  // Counts the digits of the warp's items. ranks: for each item how many of its warp have the same digit and come
  // before it.
  SCANTUNE_DEVICE void count(const u32 (&digits)[kItems], TilePlaces<kItems>& ranks) const {
    u32* const counts = shared_.counts[warp_];
#pragma unroll
    for (u32 digit = lane_; digit < kDigits; digit += kWarpThreads) counts[digit] = 0;
    sync_warp();
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      const u32 same = scantune::lanes_with<kDigitBits, kMatching>(digits[step]);
      const u32 before = counts[digits[step]], earlier = count_ones(lanes_before(same, lane_));
      ranks.set(step, before + earlier);
      sync_warp();
      if (same >> lane_ == 1) counts[digits[step]] = before + earlier + 1;  // the last of them
      sync_warp();
    }
  }

  // Adds up what the warps have counted.
  SCANTUNE_DEVICE void add_up(Digit (&mine)[kDigitsPerThread]) const {
    sync();
    u32 total = 0;
#pragma unroll
    for (u32 index = 0; index < kDigitsPerThread; ++index) {
      mine[index] = {0, total};
      if (digit(index) < kDigits) {
#pragma unroll
        for (u32 warp = 0; warp < kWarps; ++warp) mine[index].count += shared_.counts[warp][digit(index)];
      }
      total += mine[index].count;
    }
    const u32 through = scantune::scan_by_kogge_stone<Sum, kWarpThreads, 2>(total, static_cast<i32>(lane_));
    u32 before = through - total;
    if constexpr (kWarps > 1) {
      if (lane_ == kWarpThreads - 1) shared_.totals[warp_] = through;
      sync();
      before += scantune::warp_reduce<Sum>(lane_ < warp_ ? shared_.totals[lane_] : 0, lane_);
    }
#pragma unroll
    for (u32 index = 0; index < kDigitsPerThread; ++index) mine[index].before += before;
  }

  // Makes ranks in the warp such in the tile.
  SCANTUNE_DEVICE void place_in_tile(const Digit (&mine)[kDigitsPerThread], const u32 (&digits)[kItems],
                                     TilePlaces<kItems>& ranks) const {
#pragma unroll
    for (u32 index = 0; index < kDigitsPerThread; ++index) {
      if (digit(index) >= kDigits) break;
      u32 before = mine[index].before;
#pragma unroll
      for (u32 warp = 0; warp < kWarps; ++warp) {
        u32& count = shared_.counts[warp][digit(index)];
        const u32 of_warp = count;
        count = before;
        before += of_warp;
      }
    }
    sync();
#pragma unroll
    for (int step = 0; step < kItems; ++step) ranks.add(step, shared_.counts[warp_][digits[step]]);
  }

  // What one thread of the tile wrote to shared memory, the others may read afterwards.
  SCANTUNE_DEVICE static void sync() {
    if constexpr (kWarps == 1)
      sync_warp();
    else
      sync_block();
  }

 private:
  Shared& shared_;
  const u32 thread_, warp_, lane_;
};

}  // namespace scantune
