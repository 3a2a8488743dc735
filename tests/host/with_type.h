// Dispatch from a ValueType to the C++ type that holds its values in tests.
#pragma once

#include <array>
#include <stdexcept>
#include <vector>

#include "float_format.h"
#include "scan/config/scan.h"

namespace scantune {

using Bytes = std::vector<unsigned char>;

// A struct of the caller's; the request says how many of the bytes it has.
using CustomValue = std::array<unsigned char, kMaxValueBytes>;

constexpr bool is_half(ValueType type) { return type == ValueType::f16 || type == ValueType::bf16; }
constexpr FloatFormat format_of(ValueType half) { return half == ValueType::f16 ? kF16 : kBf16; }

// Calls function with a value of an accumulator type.
template <class Function>
auto with_accumulator(ValueType type, const Function& function) {
  switch (type) {
    case ValueType::i32:
      return function(i32{});
    case ValueType::i64:
      return function(i64{});
    case ValueType::u32:
      return function(u32{});
    case ValueType::u64:
      return function(u64{});
    case ValueType::f32:
      return function(f32{});
    case ValueType::f64:
      return function(f64{});
    case ValueType::custom:
      return function(CustomValue{});
    default:
      throw std::invalid_argument("values of this type are not combined as they are");
  }
}

// Calls function with a value of any type; f16 and bf16 are their bits.
template <class Function>
auto with_type(ValueType type, const Function& function) {
  switch (type) {
    case ValueType::i8:
      return function(i8{});
    case ValueType::i16:
      return function(i16{});
    case ValueType::u8:
      return function(u8{});
    case ValueType::u16:
    case ValueType::f16:
    case ValueType::bf16:
      return function(u16{});
    default:
      return with_accumulator(type, function);
  }
}

}  // namespace scantune
