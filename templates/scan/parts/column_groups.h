// Neighbouring columns of one thread, whose values share words.
#pragma once

#include "core/machine/bytes.h"

namespace scantune {

// The total of a group of columns, as it is published and combined. Without packing a group is one column, and its
// value an accumulator.
template <class Operation, bool kPacksSums>
struct ColumnGroup {
  using Op = Operation;
  using Value = typename Op::Value;
  static constexpr int kColumns = 1;

  SCANTUNE_DEVICE static void put(Value& group, int, Value value) { group = value; }
  template <class T>
  SCANTUNE_DEVICE static T get(const Value& group, int) {
    return group;
  }
};

// Four columns of bytes, whose sums are the bytes of a word. Only the low byte of each sum counts.
template <class Operation>
struct ColumnGroup<Operation, true> {
  struct Op {
    using Value = u32;
    // No sum carries over into its neighbour.
    SCANTUNE_DEVICE static u32 combine(u32 a, u32 b) {
      return ((a & 0x7f7f7f7f) + (b & 0x7f7f7f7f)) ^ ((a ^ b) & 0x80808080);
    }
  };
  using Value = u32;
  static constexpr int kColumns = 4;

  template <class T>
  SCANTUNE_DEVICE static void put(u32& group, int column, T value) {
    group = (group & ~(0xffu << 8 * column)) | (static_cast<u32>(value) & 0xff) << 8 * column;
  }
  template <class T>
  SCANTUNE_DEVICE static T get(u32 group, int column) {
    return static_cast<T>(group >> 8 * column & 0xff);
  }
};

// Running sums of such groups. Those of even and of odd columns are in the 16-bit lanes of two words, where a carry and
// up to 256 bytes do not overflow into the neighbour. A line is a word of each group.
template <int kColumns>
struct ByteColumnSums {
  static constexpr int kWords = kColumns / 4;
  u32 even[kWords], odd[kWords];

  // line: kColumns bytes.
  template <class Line>
  SCANTUNE_DEVICE void add(const Line& line) {
    u32 words[kWords];
    static_assert(sizeof words == sizeof line);
    scantune::copy_bytes(words, __builtin_addressof(line), sizeof words);
#pragma unroll
    for (int word = 0; word < kWords; ++word) {
      even[word] += words[word] & 0x00ff00ff;
      odd[word] += permute_bytes(words[word], 0, 0x4341);
    }
  }

  template <class Line>
  SCANTUNE_DEVICE void give(Line& line) const {
    u32 words[kWords];
    static_assert(sizeof words == sizeof line);
#pragma unroll
    for (int word = 0; word < kWords; ++word) words[word] = permute_bytes(even[word], odd[word], 0x6240);
    scantune::copy_bytes(__builtin_addressof(line), words, sizeof words);
  }
};

}  // namespace scantune
