// Offsets: where segments of any lengths begin and end.
#pragma once

#include "core/contract/types.h"

namespace scantune {

// The type of offsets. They are read as they are, and kept within the items: what is below 0 counts as 0, and what is
// beyond the last item as the end of it.
enum class OffsetType { i32, i64, u32, u64 };
template <>
struct Tokens<OffsetType> {
  static constexpr const char* kNames[] = {"i32", "i64", "u32", "u64"};
};

enum class OffsetForm {
  bounds,          // one more than there are segments: segment s is [offsets[s], offsets[s + 1])
  begins_and_ends  // segment s is [begins[s], ends[s]), so there may be gaps, and items of several segments
};
template <>
struct Tokens<OffsetForm> {
  static constexpr const char* kNames[] = {"bounds", "begins_and_ends"};
};

// The source of the number of segments.
enum class CountSource {
  call,      // the request's segment_count
  memory,    // 64 bits of the device's memory, read when the kernels run; the request's is the most there are
  memory_32  // likewise, 32 bits
};
template <>
struct Tokens<CountSource> {
  static constexpr const char* kNames[] = {"call", "memory", "memory_32"};
};

// The greatest offset of a type.
constexpr u64 greatest_of(OffsetType type) {
  constexpr u64 kGreatest[] = {~u32{0} >> 1, ~u64{0} >> 1, ~u32{0}, ~u64{0}};
  return kGreatest[static_cast<int>(type)];
}

// The names of the types, as operands have them.
constexpr const char* name_of(OffsetType type) { return Tokens<OffsetType>::kNames[static_cast<int>(type)]; }
constexpr const char* name_of(CountSource source) { return source == CountSource::memory_32 ? "u32" : "u64"; }

}  // namespace scantune
