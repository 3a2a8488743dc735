// The width of the caller's integers for counts and indices.
#pragma once

#include "core/contract/types.h"

namespace scantune {

// Their sign does not matter: kernels write only numbers that fit, and read them as unsigned.
enum class IntegerWidth { bits_64, bits_32 };
template <>
struct Tokens<IntegerWidth> {
  static constexpr const char* kNames[] = {"bits_64", "bits_32"};
};

constexpr int bytes_of(IntegerWidth width) { return width == IntegerWidth::bits_32 ? 4 : 8; }
// The type of an operand of such integers.
constexpr const char* unsigned_name(IntegerWidth width) { return width == IntegerWidth::bits_32 ? "u32" : "u64"; }

template <IntegerWidth>
struct UnsignedOfWidth {
  using Type = u64;
};
template <>
struct UnsignedOfWidth<IntegerWidth::bits_32> {
  using Type = u32;
};

}  // namespace scantune
