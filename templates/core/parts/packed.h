// Items of one or two bytes, reduced and scanned within 32-bit words.
//
// Each class here reduces words (first, add, total) and scans them (scan), given the carry. The carry is the prefix of
// a word, in the class's representation. kMostWords: how many words carries and totals have room for. kFiller: a word
// of items that change no result.
#pragma once

#include "core/contract/packing.h"
#include "core/machine/bytes.h"
#include "core/machine/packed_words.h"
#include "core/parts/neutral_item.h"

namespace scantune {

// A total of 32 bits as an accumulator.
template <class T, bool kSigned>
SCANTUNE_DEVICE T widened(u32 total) {
  return kSigned ? static_cast<T>(static_cast<i32>(total)) : static_cast<T>(total);
}

// Sums of bytes, four in a word. Even and odd items go into the 16-bit lanes of two words, so that no sum overflows
// into its neighbour; the carry is in both lanes and may grow by up to 1020 with each word, of which there are at most
// 63.
template <class Problem>
struct ByteSums {
  using T = typename Problem::Accumulator;
  static constexpr int kMostWords = 63;
  static constexpr bool kSigned = is_signed(Problem::kRun.input_type);
  static constexpr u32 kFiller = 0;

  SCANTUNE_DEVICE static u32 first(u32 word) { return add(0, word); }
  SCANTUNE_DEVICE static u32 add(u32 total, u32 word) { return dot_bytes<kSigned>(word, 0x01010101, total); }
  SCANTUNE_DEVICE static T total(u32 total) { return scantune::widened<T, kSigned>(total); }

  SCANTUNE_DEVICE static u32 no_carry() { return 0; }
  SCANTUNE_DEVICE static u32 carry_of(T prefix) { return (static_cast<u32>(prefix) & 0xff) * 0x00010001; }

  SCANTUNE_DEVICE static u32 scan(u32 word, u32& carry) {
    const u32 even = word & 0x00ff00ff, odd = permute_bytes(word, 0, 0x4341);
    const u32 pairs = even + odd;
    const u32 through_odd = pairs * 0x00010001 + carry;
    const u32 through_even = through_odd - odd;
    carry = permute_bytes(through_odd, 0, 0x3232);
    if constexpr (Problem::kExclusive) return permute_bytes(through_odd - pairs, through_even, 0x6240);
    return permute_bytes(through_even, through_odd, 0x6240);
  }
};

// Sums of 16-bit items, two in a word. Only the low half of each sum, and of the carry, counts.
template <class Problem>
struct HalfwordSums {
  using T = typename Problem::Accumulator;
  static constexpr int kMostWords = 1 << 15;
  static constexpr bool kSigned = is_signed(Problem::kRun.input_type);
  static constexpr u32 kFiller = 0;

  SCANTUNE_DEVICE static u32 first(u32 word) { return add(0, word); }
  SCANTUNE_DEVICE static u32 add(u32 total, u32 word) { return dot_halves<kSigned>(word, 0x0101, total); }
  SCANTUNE_DEVICE static T total(u32 total) { return scantune::widened<T, kSigned>(total); }

  SCANTUNE_DEVICE static u32 no_carry() { return 0; }
  SCANTUNE_DEVICE static u32 carry_of(T prefix) { return static_cast<u32>(prefix); }

  SCANTUNE_DEVICE static u32 scan(u32 word, u32& carry) {
    const u32 before = carry, through_first = before + word;
    carry = through_first + (word >> 16);
    if constexpr (Problem::kExclusive) return permute_bytes(before, through_first, 0x5410);
    return permute_bytes(through_first, carry, 0x5410);
  }
};

// Minima and maxima of inclusive scans without an initial value, which might be outside the items' range.
template <class Problem>
struct Extremes {
  using T = typename Problem::Accumulator;
  using Input = typename Problem::Input;
  static constexpr int kMostWords = 1 << 15;
  static constexpr bool kSigned = is_signed(Problem::kRun.input_type);
  static constexpr bool kBytes = sizeof(Input) == 1;
  static constexpr bool kSignedHalves = kSigned || kBytes;  // bytes fit a half with any sign
  static constexpr bool kMax = Problem::kRun.op == Operator::max;
  static constexpr u32 kNeutral = static_cast<u16>(neutral_item<Problem::kRun.op, Input, T>());
  static constexpr u32 kFiller = kBytes ? (kNeutral & 0xff) * 0x01010101 : kNeutral * 0x00010001;

  // Combines each of two lanes; bytes are widened to them.
  SCANTUNE_DEVICE static u32 of_lanes(u32 a, u32 b) {
    return kMax ? max_of_halves<kSignedHalves>(a, b) : min_of_halves<kSignedHalves>(a, b);
  }
  SCANTUNE_DEVICE static u32 even(u32 word) { return permute_bytes(word, 0, kSigned ? 0xa280 : 0x4240); }
  SCANTUNE_DEVICE static u32 odd(u32 word) { return permute_bytes(word, 0, kSigned ? 0xb391 : 0x4341); }

  SCANTUNE_DEVICE static u32 first(u32 word) {
    if constexpr (kBytes) return of_lanes(even(word), odd(word));
    return word;
  }
  SCANTUNE_DEVICE static u32 add(u32 total, u32 word) { return of_lanes(total, first(word)); }
  SCANTUNE_DEVICE static T total(u32 lanes) { return static_cast<Input>(of_lanes(lanes, lanes >> 16)); }

  SCANTUNE_DEVICE static u32 no_carry() { return kNeutral * 0x00010001; }
  SCANTUNE_DEVICE static u32 carry_of(T prefix) { return permute_bytes(static_cast<u32>(prefix), 0, 0x1010); }

  SCANTUNE_DEVICE static u32 scan(u32 word, u32& carry) {
    const u32 before = carry, lanes = first(word);
    const u32 through_lane = of_lanes(of_lanes(before, lanes), permute_bytes(lanes, 0, 0x1010));
    carry = permute_bytes(through_lane, 0, 0x3232);
    if constexpr (!kBytes) return through_lane;
    const u32 through_even = of_lanes(even(word), permute_bytes(before, through_lane, 0x5410));
    return permute_bytes(through_even, through_lane, 0x6240);
  }
};

}  // namespace scantune
