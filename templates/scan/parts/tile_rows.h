// The rows of consecutive items that one thread of a tile holds between load and store, in one of two forms.
//
// Both take loaded vectors, return each row's total, then combine a row's prefix into its items, and return vectors to
// store. A row begins at item `first` of the tile; the items from `end` on do not exist. If kPadsPartialTiles is true,
// neutral items replace them and are scanned like any item. kFiller has the bytes of several.
#pragma once

#include "core/parts/neutral_item.h"
#include "core/parts/run_scan.h"

namespace scantune {

// Rows of accumulators, scanned in place while the totals are taken: one combination of each item waits for the prefix.
template <class Problem, int kRows, int kRowItems, bool kPads>
class AccumulatorRows {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;
  static constexpr int kItems = kRows * kRowItems;

  static constexpr u64 filler() {
    if constexpr (!kPads) {
      return 0;
    } else {
      constexpr Input kNeutral = neutral_item<Problem::kRequest.op, Input, T>();
      if constexpr (sizeof(Input) == 8) return __builtin_bit_cast(u64, kNeutral);
      if constexpr (sizeof(Input) == 4) return __builtin_bit_cast(u32, kNeutral) * 0x0000000100000001u;
      if constexpr (sizeof(Input) == 2) return __builtin_bit_cast(u16, kNeutral) * 0x0001000100010001u;
      if constexpr (sizeof(Input) == 1) return __builtin_bit_cast(u8, kNeutral) * 0x0101010101010101u;
    }
  }

 public:
  static constexpr bool kPadsPartialTiles = kPads;
  static constexpr u64 kFiller = filler();

  template <class Vectors>
  SCANTUNE_DEVICE void take(const Vectors& vectors) {
    Input items[kItems];
    static_assert(sizeof items == sizeof vectors);
    scantune::copy_bytes(items, __builtin_addressof(vectors), sizeof items);
#pragma unroll
    for (int item = 0; item < kItems; ++item) items_[item] = scantune::convert<T>(items[item]);
  }

  template <bool kFull>
  SCANTUNE_DEVICE T total(int row, u32 first, u32 end) {
    T* const items = items_ + row * kRowItems;
    T total = items[0];
#pragma unroll
    for (int item = 1; item < kRowItems; ++item)
      if (kFull || first + item < end) items[item] = total = Op::combine(total, items[item]);
    return total;
  }

  template <bool kFull>
  SCANTUNE_DEVICE void scan(int row, T prefix, bool has_prefix, u32 first, u32 end) {
    T* const items = items_ + row * kRowItems;
    constexpr int kApart = is_custom(Problem::kRequest.op) ? 1 : 0;  // compilers would not unroll a loop of structs
#pragma unroll
    for (int item = kRowItems - 1; item >= kApart; --item) {
      if (!kFull && first + item >= end) continue;
      if constexpr (Problem::kExclusive) {
        // Without an initial value nothing is before the first item.
        const bool combines = Problem::kHasInit || has_prefix;
        items[item] = item == 0 ? prefix : combines ? Op::combine(prefix, items[item - 1]) : items[item - 1];
      } else if (has_prefix) {
        items[item] = Op::combine(prefix, items[item]);
      }
    }
    if constexpr (kApart != 0) {
      if (!kFull && first >= end) return;
      if constexpr (Problem::kExclusive)
        items[0] = prefix;
      else if (has_prefix)
        items[0] = Op::combine(prefix, items[0]);
    }
  }

  template <class Vectors>
  SCANTUNE_DEVICE void give(Vectors& vectors) const {
    Output items[kItems];
    static_assert(sizeof items == sizeof vectors);
#pragma unroll
    for (int item = 0; item < kItems; ++item) items[item] = scantune::convert<Output>(items_[item]);
    scantune::copy_bytes(__builtin_addressof(vectors), items, sizeof items);
  }

 private:
  T items_[kItems];
};

// Rows of words, reduced at once and scanned when the prefix is known. They take a quarter or half of the registers.
template <class Problem, int kRows, int kRowItems>
class WordRows {
  using T = typename Problem::Accumulator;
  using Run = RunScan<Problem, kRowItems>;

 public:
  static constexpr bool kPadsPartialTiles = true;
  static constexpr u64 kFiller = Run::kFiller * u64{0x0000000100000001};

  template <class Vectors>
  SCANTUNE_DEVICE void take(const Vectors& vectors) {
    static_assert(sizeof rows_ == sizeof vectors);
    scantune::copy_bytes(rows_, __builtin_addressof(vectors), sizeof rows_);
  }

  template <bool>
  SCANTUNE_DEVICE T total(int row, u32, u32) const {
    return Run::reduce(rows_[row]);
  }

  template <bool>
  SCANTUNE_DEVICE void scan(int row, T prefix, bool has_prefix, u32, u32) {
    typename Run::Carry carry = Run::carry_of(prefix, has_prefix);
    const auto results = Run::scan(rows_[row], carry);
    static_assert(sizeof results == sizeof rows_[row]);
    scantune::copy_bytes(__builtin_addressof(rows_[row]), __builtin_addressof(results), sizeof results);
  }

  template <class Vectors>
  SCANTUNE_DEVICE void give(Vectors& vectors) const {
    static_assert(sizeof rows_ == sizeof vectors);
    scantune::copy_bytes(__builtin_addressof(vectors), rows_, sizeof rows_);
  }

 private:
  Words<typename Problem::Input, kRowItems> rows_[kRows];
};

template <class Problem, int kRows, int kRowItems, bool kPads, bool kByWords = RunScan<Problem, kRowItems>::kByWords>
struct SelectRows {
  using Type = AccumulatorRows<Problem, kRows, kRowItems, kPads>;
};
template <class Problem, int kRows, int kRowItems, bool kPads>
struct SelectRows<Problem, kRows, kRowItems, kPads, true> {
  using Type = WordRows<Problem, kRows, kRowItems>;
};

template <class Problem, int kRows, int kRowItems, bool kPads>
using ThreadRows = typename SelectRows<Problem, kRows, kRowItems, kPads>::Type;

}  // namespace scantune
