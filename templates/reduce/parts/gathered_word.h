// A word in which the CTAs of a launch combine their values.
#pragma once

#include "core/machine/status.h"
#include "core/parts/operators.h"

namespace scantune {

// A value of 4 bytes and how many CTAs have combined theirs to it, in one word that is 0 between launches. The count is
// in the low half, into which no sum carries.
template <class Op>
struct GatheredWord {
  using T = typename Op::Value;
  static_assert(sizeof(T) == sizeof(u32));

  SCANTUNE_DEVICE static u64 of(T value, u32 count) { return u64{__builtin_bit_cast(u32, value)} << 32 | count; }
  SCANTUNE_DEVICE static T value(u64 word) { return __builtin_bit_cast(T, static_cast<u32>(word >> 32)); }
  SCANTUNE_DEVICE static u32 count(u64 word) { return static_cast<u32>(word); }

  // Combines a value with the word. Returns what the word holds then.
  SCANTUNE_DEVICE static u64 add(u64* word, T value) {
    u64 found = scantune::load_relaxed_wide(word);
    while (true) {
      const T sum = count(found) == 0 ? value : Op::combine(GatheredWord::value(found), value);
      const u64 next = of(sum, count(found) + 1), before = compare_exchange(word, found, next);
      if (before == found) return next;
      found = before;
    }
  }
};

// Sums of integers take one addition: what runs over the word's end is lost, as it should be.
template <class T>
  requires(!kIsFloating<T>)
struct GatheredWord<OperatorOf<T, Operator::sum>> {
  SCANTUNE_DEVICE static T value(u64 word) { return static_cast<T>(word >> 32); }
  SCANTUNE_DEVICE static u32 count(u64 word) { return static_cast<u32>(word); }
  SCANTUNE_DEVICE static u64 add(u64* word, T value) {
    const u64 added = u64{static_cast<u32>(value)} << 32 | 1;
    return fetch_add(word, added) + added;
  }
};

}  // namespace scantune
