// How CTAs exchange aggregates and prefixes: one descriptor per tile in the workspace.
#pragma once

#include "core/contract/value.h"

namespace scantune {

enum class StatusLayout {
  packed,  // flag, epoch and value in one single-copy-atomic word, or a few where the value needs them
  split    // the value is next to its flag; release and acquire order the two
};
template <>
struct Tokens<StatusLayout> {
  static constexpr const char* kNames[] = {"packed", "split"};
};

// How a split record and the values in it are aligned: by the value's size alone, since each size has its own
// workspace.
constexpr int split_alignment(int value_bytes) {
  int alignment = kVectorAlignmentBytes;
  while (value_bytes % alignment != 0) alignment /= 2;
  return alignment < 4 ? 4 : alignment;
}

// A packed word is as wide as an access that is single-copy-atomic: 4 bytes of flag and epoch, then value.
constexpr int packed_word_bytes(int value_bytes) { return value_bytes <= 4 ? 8 : 16; }

// One status descriptor of a tile. A packed record holds as many words as the value needs; a split one holds a 4-byte
// flag padded to the value's alignment, then aggregate and prefix.
constexpr u64 descriptor_bytes(StatusLayout layout, int value_bytes) {
  if (layout == StatusLayout::packed) {
    const u64 word = static_cast<u64>(packed_word_bytes(value_bytes));
    return word * ceil_div(static_cast<u64>(value_bytes), word - 4);
  }
  const u64 value = static_cast<u64>(value_bytes), alignment = static_cast<u64>(split_alignment(value_bytes));
  return round_up(alignment + 2 * value, alignment);
}

}  // namespace scantune
