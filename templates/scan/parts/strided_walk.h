// Where items of neighbouring rows with strides are, for a thread that goes through them in steps of the same length.
#pragma once

#include "core/contract/strides.h"
#include "core/machine/kernel.h"

namespace scantune {

// A step advances row and column by constants, and corrects each at most once: it divides nothing.
class StridedWalk {
 public:
  // Begins `item` items after the begin of a row. A tile holds fewer than kMostRows rows, and no row is empty.
  SCANTUNE_DEVICE StridedWalk(const Strides& strides, u64 plane_rows, u32 row_items, u64 row, u32 item, u32 step)
      : row_items_(row_items), plane_rows_(plane_rows < kMostRows ? static_cast<u32>(plane_rows) : kMostRows) {
    const u32 rows = item / row_items;
    column_ = item - rows * row_items;
    row += rows;
    const u64 plane = row < plane_rows ? 0 : quotient(row, plane_rows), in_plane = row - plane * plane_rows;
    place_ = strides.first + static_cast<i64>(plane) * strides.plane + static_cast<i64>(in_plane) * strides.sequence +
             static_cast<i64>(column_) * strides.item;
    // Only the distance to the plane's end matters, and only where the tile may reach it.
    const u64 left = plane_rows - in_plane;
    row_ = left < plane_rows_ ? plane_rows_ - static_cast<u32>(left) : 0;

    const u32 step_rows = step / row_items, step_planes = step_rows / plane_rows_;
    step_columns_ = step - step_rows * row_items;
    step_rows_ = step_rows - step_planes * plane_rows_;
    by_step_ = static_cast<i64>(step_planes) * strides.plane + static_cast<i64>(step_rows_) * strides.sequence +
               static_cast<i64>(step_columns_) * strides.item;
    to_next_row_ = strides.sequence - static_cast<i64>(row_items) * strides.item;
    to_next_plane_ = strides.plane - static_cast<i64>(plane_rows) * strides.sequence;
  }

  // The distance of the item from the array's pointer. It is of no use after the last item.
  SCANTUNE_DEVICE i64 place() const { return place_; }

  SCANTUNE_DEVICE void next() {
    place_ += by_step_;
    column_ += step_columns_;
    row_ += step_rows_;
    if (column_ >= row_items_) {
      column_ -= row_items_;
      ++row_;
      place_ += to_next_row_;
    }
    if (row_ >= plane_rows_) {
      row_ -= plane_rows_;
      place_ += to_next_plane_;
    }
  }

 private:
  static constexpr u32 kMostRows = 1u << 31;

  // A division of 64 bits takes some four times as long.
  SCANTUNE_DEVICE static u64 quotient(u64 dividend, u64 divisor) {
    if ((dividend | divisor) >> 32 == 0) return static_cast<u32>(dividend) / static_cast<u32>(divisor);
    return dividend / divisor;
  }

  const u32 row_items_, plane_rows_;
  u32 step_columns_, step_rows_;
  i64 by_step_, to_next_row_, to_next_plane_;
  i64 place_;
  u32 column_;  // in its row
  u32 row_;     // in its plane
};

}  // namespace scantune
