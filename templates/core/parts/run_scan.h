// How one thread reduces and scans a run: the consecutive items that it holds. They are held as words, since splitting
// a register into items and joining them again costs instructions.
#pragma once

#include "core/parts/convert.h"
#include "core/parts/packed.h"

namespace scantune {

template <class Item, int kItems>
struct Words {
  u32 words[ceil_div(kItems * static_cast<int>(sizeof(Item)), 4)];
};

template <class Item, int kItems>
SCANTUNE_DEVICE Words<Item, kItems> words_of(const Item (&items)[kItems]) {
  Words<Item, kItems> result;
  scantune::copy_bytes(__builtin_addressof(result), items, sizeof items);
  return result;
}

// Works item by item. It serves every operator, and runs that the end of the input cuts short: `count` items exist, at
// least one.
template <class Problem, int kItems>
struct ItemwiseRun {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;
  static constexpr bool kByWords = false;

  struct Carry {  // what comes before the next item
    T value;
    bool exists;
  };
  SCANTUNE_DEVICE static Carry carry_of(T prefix, bool exists) { return {prefix, exists}; }

  SCANTUNE_DEVICE static T reduce(const Words<Input, kItems>& run, u32 count = kItems) {
    Input items[kItems];
    scantune::copy_bytes(items, __builtin_addressof(run), sizeof items);
    T total = scantune::convert<T>(items[0]);
#pragma unroll
    for (int item = 1; item < kItems; ++item)
      if (item < count) total = Op::combine(total, scantune::convert<T>(items[item]));
    return total;
  }

  // Returns the results; carry then holds what comes before the next run.
  SCANTUNE_DEVICE static Words<Output, kItems> scan(const Words<Input, kItems>& run, Carry& carry, u32 count = kItems) {
    Input items[kItems];
    scantune::copy_bytes(items, __builtin_addressof(run), sizeof items);
    Output results[kItems];
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      const T value = scantune::convert<T>(items[item]), before = carry.value;
      if (item < count) {
        carry.value = carry.exists ? Op::combine(before, value) : value;
        carry.exists = true;
      }
      results[item] = scantune::convert<Output>(Problem::kExclusive ? before : carry.value);
    }
    return scantune::words_of(results);
  }
};

// Works on whole words at a time.
template <class Problem, int kItems, class Packed>
struct PackedRun {
  using T = typename Problem::Accumulator;
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;
  using Carry = u32;
  static constexpr bool kByWords = true;
  static constexpr u32 kFiller = Packed::kFiller;
  static constexpr int kWords = sizeof(Words<Input, kItems>) / sizeof(u32);
  static_assert(kWords <= Packed::kMostWords);

  SCANTUNE_DEVICE static Carry carry_of(T prefix, bool exists) {
    return exists ? Packed::carry_of(prefix) : Packed::no_carry();
  }

  SCANTUNE_DEVICE static T reduce(const Words<Input, kItems>& run, u32 = kItems) {
    u32 total = Packed::first(run.words[0]);
#pragma unroll
    for (int word = 1; word < kWords; ++word) total = Packed::add(total, run.words[word]);
    return Packed::total(total);
  }

  SCANTUNE_DEVICE static Words<Output, kItems> scan(const Words<Input, kItems>& run, Carry& carry, u32 = kItems) {
    Words<Output, kItems> results;
#pragma unroll
    for (int word = 0; word < kWords; ++word) results.words[word] = Packed::scan(run.words[word], carry);
    return results;
  }
};

struct NotPacked {};

// The class of packed.h that serves the problem, if any does.
template <class Problem, int kItems, bool kFull>
SCANTUNE_DEVICE auto packing_of() {
  constexpr Run kRun = Problem::kRun;
  constexpr int kItemBytes = sizeof(typename Problem::Input);
  if constexpr (!kFull || kItems * kItemBytes % sizeof(u32) != 0) {
    return NotPacked{};
  } else if constexpr (packs_sums(kRun) && kItemBytes == 1) {
    return ByteSums<Problem>{};
  } else if constexpr (packs_sums(kRun)) {
    return HalfwordSums<Problem>{};
  } else if constexpr (packs_extremes(kRun) && kHasExtremesOfHalves) {
    return Extremes<Problem>{};
  } else {
    return NotPacked{};
  }
}

template <class Problem, int kItems, class Packed>
struct SelectRun {
  using Type = PackedRun<Problem, kItems, Packed>;
};
template <class Problem, int kItems>
struct SelectRun<Problem, kItems, NotPacked> {
  using Type = ItemwiseRun<Problem, kItems>;
};

// kFull: all items of the run exist.
template <class Problem, int kItems, bool kFull = true>
using RunScan = typename SelectRun<Problem, kItems, decltype(packing_of<Problem, kItems, kFull>())>::Type;

}  // namespace scantune
