// The number of a rank among numbers, by counts of their digits, the highest first.
#pragma once

#include "core/machine/bits.h"
#include "core/machine/matching.h"
#include "core/machine/shared.h"
#include "core/parts/warp_reduce.h"
#include "core/parts/warp_scan.h"
#include "top_k/config/top_k.h"

namespace scantune {

template <class Number>
SCANTUNE_DEVICE u32 highest_bit_of(Number number) {
  if constexpr (sizeof(Number) == 8)
    return number >> 32 != 0 ? 32 + highest_bit(static_cast<u32>(number >> 32)) : highest_bit(static_cast<u32>(number));
  else
    return highest_bit(number);
}

// Counters of digits. A warp counts together, since most numbers may have the same digit.
template <u32 kDigits>
struct alignas(kVectorAlignmentBytes) DigitCounters {
  u32 counts[kDigits];

  SCANTUNE_DEVICE void count(bool has, u32 digit) {
    const u32 voters = ballot(~0u, has);
    if (voters == 0) return;
    const u32 leader = count_trailing_zeros(voters), common = scantune::shuffle_index(digit, leader);
    const bool is_common = has && digit == common;
    const u32 alike = ballot(~0u, is_common);
    if (thread_rank() % kWarpThreads == leader) scantune::add_shared(&counts[common], count_ones(alike));
    if (has && !is_common) scantune::add_shared(&counts[digit], 1);
  }
};

// A digit, how many numbers have lesser ones, and how many have this one.
struct RankedDigit {
  u32 digit, before, count;
};

// Finds the digit of the number that has so many numbers up to it, at least 1. Every lane gets it.
SCANTUNE_DEVICE RankedDigit find_digit(const DigitCounters<kRankDigits>& counters, u32 rank) {
  constexpr u32 kOfLane = kRankDigits / kWarpThreads;
  struct alignas(kVectorAlignmentBytes) Counts {
    u32 counts[kOfLane];
  };
  const u32 lane = thread_rank() % kWarpThreads;
  const Counts own = scantune::load_shared(reinterpret_cast<const Counts*>(counters.counts) + lane);
  u32 sum = 0;
#pragma unroll
  for (const u32 count : own.counts) sum += count;
  const u32 up_to =
      scantune::scan_by_kogge_stone<OperatorOf<u32, Operator::sum>, kWarpThreads, 2>(sum, static_cast<i32>(lane));
  RankedDigit found{lane * kOfLane, up_to - sum, own.counts[0]};
#pragma unroll
  for (u32 step = 1; step < kOfLane; ++step)
    if (found.before + found.count < rank && found.digit == lane * kOfLane + step - 1)
      found = {lane * kOfLane + step, found.before + found.count, own.counts[step]};
  const u32 owner = count_trailing_zeros(ballot(~0u, up_to >= rank));
  return scantune::shuffle_index(found, owner);
}

// All threads of a CTA.
template <class Number, int kThreads>
class RankSelect {
  static constexpr u32 kWarps = kThreads / kWarpThreads;

 public:
  struct Shared {
    DigitCounters<kRankDigits> counters[kRankCounters];
    Number least[kWarps], greatest[kWarps];
  };
  static_assert(sizeof(Shared) <= rank_shared_bytes(kThreads));

  // The numbers up to a number: so many are less, and so many equal it, or are as good as equal to it.
  struct Selected {
    Number number;
    u32 before, equal;
  };

  SCANTUNE_DEVICE explicit RankSelect(Shared& shared) : shared_(shared) {}

  // Returns the number that is the rank-th of those that visit(use) calls use(has, number) for, of which there are so
  // many. A greater number may be returned with no more than `most` up to it. Whole warps make every call together.
  SCANTUNE_DEVICE Selected select(u32 rank, u32 most, const auto& visit) const {
    sync_block();  // what is there may still be looked at
    for (u32 place = thread_rank(); place < kRankCounters * kRankDigits; place += kThreads)
      shared_.counters[place / kRankDigits].counts[place % kRankDigits] = 0;
    const auto [least, greatest] = range(visit);

    // Decide digit after digit of what they differ in.
    Selected selected{greatest, 0, ~0u};
    u32 bit = least == greatest ? 0 : scantune::highest_bit_of(static_cast<Number>(least ^ greatest)) + 1;
    for (u32 turn = 0; bit > 0; turn = turn + 1 == kRankCounters ? 0 : turn + 1) {
      const u32 bits = bit < 8 ? bit : 8, mask = (1u << bits) - 1;
      bit -= bits;
      DigitCounters<kRankDigits>& counters = shared_.counters[turn];
      visit([&](bool has, Number number) {
        const Number above = (number ^ selected.number) >> bit >> bits;
        counters.count(has && above == 0, static_cast<u32>(number >> bit) & mask);
      });
      sync_block();
      const RankedDigit found = scantune::find_digit(counters, rank - selected.before);
      const Number below = (Number{1} << bit) - 1;
      const Number digit = static_cast<Number>(found.digit) << bit, decided = static_cast<Number>(mask) << bit;
      selected.number = (selected.number & ~(decided | below)) | digit | below;
      selected.before += found.before;
      selected.equal = found.count;
      if (selected.before + selected.equal <= most) break;
      clear_before(turn);
    }
    return selected;
  }

 private:
  struct Range {
    Number least, greatest;
  };

  SCANTUNE_DEVICE Range range(const auto& visit) const {
    using Min = OperatorOf<Number, Operator::min>;
    using Max = OperatorOf<Number, Operator::max>;
    const u32 lane = thread_rank() % kWarpThreads, warp = thread_rank() / kWarpThreads;
    Range all{static_cast<Number>(~Number{0}), 0};
    visit([&](bool has, Number number) {
      if (has) all = {Min::combine(all.least, number), Max::combine(all.greatest, number)};
    });
    all = {scantune::warp_reduce<Min>(all.least, lane), scantune::warp_reduce<Max>(all.greatest, lane)};
    if (lane == 0) {
      shared_.least[warp] = all.least;
      shared_.greatest[warp] = all.greatest;
    }
    sync_block();
    all = {shared_.least[lane % kWarps], shared_.greatest[lane % kWarps]};
    return {scantune::warp_reduce<Min>(all.least, lane), scantune::warp_reduce<Max>(all.greatest, lane)};
  }

  // Clears the counters of the turn before this one, that are used in the turn after the next: a barrier is in between
  // on both sides.
  SCANTUNE_DEVICE void clear_before(u32 turn) const {
    DigitCounters<kRankDigits>& others = shared_.counters[turn == 0 ? kRankCounters - 1 : turn - 1];
    for (u32 digit = thread_rank(); digit < kRankDigits; digit += kThreads) others.counts[digit] = 0;
  }

  Shared& shared_;
};

// Entries, a key and an index of its own each, of which so many come first.
template <class Key, class Index, int kThreads>
class EntrySelect {
  using Keys = RankSelect<Key, kThreads>;
  using Indices = RankSelect<Index, kThreads>;

 public:
  union Shared {
    typename Keys::Shared keys;
    typename Indices::Shared indices;
  };

  struct FirstOnes {
    Key last_key;
    Index last_index;

    SCANTUNE_DEVICE bool has(Key key, Index index) const {
      return key < last_key || (key == last_key && index <= last_index);
    }
  };

  // Finds the first `taken` of those that visit(use) calls use(has, key, index) for, of which there are as many. Of
  // equal keys, those of the lowest indices come first.
  SCANTUNE_DEVICE static FirstOnes select(Shared& shared, u32 taken, const auto& visit) {
    const auto last = Keys(shared.keys).select(taken, 0, [&](const auto& use) {
      visit([&](bool has, Key key, Index) { use(has, key); });
    });
    if (last.before + last.equal == taken) return {last.number, static_cast<Index>(~Index{0})};
    const auto last_index = Indices(shared.indices).select(taken - last.before, 0, [&](const auto& use) {
      visit([&](bool has, Key key, Index index) { use(has && key == last.number, index); });
    });
    return {last.number, last_index.number};
  }
};

}  // namespace scantune
