// What follows from strides: the places that items take, and whether two of them are one.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/contract/strides.h"

namespace scantune {

constexpr u64 magnitude(i64 stride) { return stride < 0 ? -static_cast<u64>(stride) : static_cast<u64>(stride); }

// How many items lie along one stride.
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

// The names of two strides under which two items lie in one place, or may; nullopt where all lie apart.
std::optional<std::pair<std::string, std::string>> coinciding(const StridedAxes& axes);

// Whether an item of an array that begins `bytes` behind another one of as large items shares a byte with an item of
// that; true also where that is hard to tell. Both have the same strides.
bool items_meet(const StridedAxes& axes, i64 bytes, u64 item_bytes);

}  // namespace scantune
