// Strides of rows or columns that are not contiguous.
#pragma once

#include "core/contract/types.h"

namespace scantune {

// Strides count items of the array. Any of them may be negative.
struct Strides {
  i64 item = 0;      // from an item of a sequence to the next
  i64 sequence = 0;  // from a row or column to the next of its plane
  i64 plane = 0;     // from a plane to the next
  i64 first = 0;     // from the array's pointer to the first item of the first sequence

  // Where a sequence begins.
  constexpr i64 begin(u64 index, u64 plane_sequences) const {
    if (index < plane_sequences) return first + static_cast<i64>(index) * sequence;
    return first + static_cast<i64>(index % plane_sequences) * sequence +
           static_cast<i64>(index / plane_sequences) * plane;
  }

  constexpr bool operator==(const Strides&) const = default;
};

// The items from the lowest to the highest of an array, both included.
struct StridedRange {
  i64 lowest = 0;  // from the array's pointer on, 0 or less
  u64 items = 0;   // from that to the highest

  // Extends the range by one more stride.
  constexpr void add(i64 stride, u64 count) {
    if (count < 2) return;
    const i64 reach = stride * static_cast<i64>(count - 1);
    if (reach < 0) lowest += reach;
    items += static_cast<u64>(reach < 0 ? -reach : reach);
  }
};

// Rows or columns are grouped in planes, so that they can be those along any axis of an array.
struct Layout {
  Strides input = {}, output = {};
  u64 plane_sequences = 0;  // rows or columns of a plane; 0: the items are dense

  constexpr bool is_strided() const { return plane_sequences != 0; }

  // Returns the range of `sequences` rows or columns of `length` items each, whose strides are known to fit.
  constexpr StridedRange range(const Strides& strides, u64 sequences, u64 length) const {
    StridedRange range{strides.first, 1};
    range.add(strides.item, length);
    range.add(strides.sequence, sequences < plane_sequences ? sequences : plane_sequences);
    range.add(strides.plane, sequences / plane_sequences);
    if (range.lowest > 0) {
      range.items += static_cast<u64>(range.lowest);
      range.lowest = 0;
    }
    return range;
  }

  constexpr bool operator==(const Layout&) const = default;
};

// The layout that kernels are compiled for: the numbers come with each launch.
inline constexpr Layout kStridedLayout{.plane_sequences = 1};

}  // namespace scantune
