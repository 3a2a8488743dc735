// Consequences of strides: the places of items, and whether two items share one.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/contract/strides.h"

namespace scantune {

constexpr u64 magnitude(i64 stride) { return stride < 0 ? -static_cast<u64>(stride) : static_cast<u64>(stride); }

// An axis: its stride, and how many items are along it.
struct StridedAxis {
  const char* name;  // of its stride, as callers know it
  i64 stride;
  u64 items;
};

// The axes of an array, the items of a sequence first.
struct StridedAxes {
  StridedAxis item, sequence, plane;
};

// The items that an array takes, gaps included; nullopt if a 64-bit number does not hold their places.
std::optional<StridedRange> range_of(const StridedAxes& axes, i64 first);

// The names of two strides with which two items share a place, or may; nullopt if all items are apart.
std::optional<std::pair<std::string, std::string>> coinciding(const StridedAxes& axes);

// Whether an item of an array shares a byte with an item of another array that begins `bytes` before it; true also if
// that is hard to tell. Both have items of one size and the same strides.
bool items_meet(const StridedAxes& axes, i64 bytes, u64 item_bytes);

}  // namespace scantune
