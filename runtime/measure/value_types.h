// The built-in value types on the CPU: what their bytes mean, and how one converts to another.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "measure/small_float.h"
#include "scantune/error.hpp"
#include "space/space.h"

namespace scantune {

// Calls function(std::type_identity<T>{}). Throws RequestError for ValueType::custom.
template <class Function>
auto visit_type(ValueType type, Function&& function) {
  switch (type) {
#define SCANTUNE_VISIT(name, bytes, type_class, constant) \
  case ValueType::name:                                   \
    return std::forward<Function>(function)(std::type_identity<NumberOf<name>::Type>{});
    SCANTUNE_VALUE_TYPES(SCANTUNE_VISIT)
#undef SCANTUNE_VISIT
    case ValueType::custom:
      break;
  }
  throw RequestError("a custom value is not a number");
}

// Every number of every built-in type is a long double, and every integer is 64 bits modulo 2^64. So one conversion to
// them and one from them is exact up to the single rounding, or the single reduction, that the target type needs. They
// are inline because a reference calls several of them for each of 2^30 items.
template <class T>
T value_at(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
template <class T>
void put(T value, std::byte* bytes) {
  std::memcpy(bytes, &value, sizeof value);
}

[[noreturn]] void refuse_as_integer(ValueType type);  // throw RequestError
[[noreturn]] void refuse_as_floating(ValueType type);

inline long double floating_at(ValueType type, const std::byte* value) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) { return static_cast<long double>(value_at<T>(value)); });
}

// Reads an integer type; negative numbers have their sign extended.
inline u64 integer_at(ValueType type, const std::byte* value) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) -> u64 {
    if constexpr (std::is_integral_v<T>) return static_cast<u64>(value_at<T>(value));
    refuse_as_integer(type);
  });
}

// Writes a floating-point type, rounded to nearest even.
inline void put_floating(ValueType type, long double number, std::byte* value) {
  visit_type(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>)
      refuse_as_floating(type);
    else
      put(static_cast<T>(number), value);
  });
}

// Writes numbers as integers of so many bytes, as many as there is room for: the low bytes, which come first.
inline void put_low_bytes(std::span<const u64> numbers, int bytes, std::span<std::byte> out) {
  const auto each = static_cast<std::size_t>(bytes);
  for (std::size_t place = 0; place < out.size() / each; ++place)
    std::memcpy(&out[place * each], &numbers[place], each);
}

// Writes an integer type, modulo its width.
inline void put_integer(ValueType type, u64 number, std::byte* value) {
  visit_type(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>)
      put(static_cast<T>(number), value);
    else
      refuse_as_integer(type);
  });
}

// Converts as kernels do on load and on store: from any built-in type to any that the request rules allow.
void convert(ValueType from, const std::byte* value, ValueType to, std::byte* converted);

// The number that a value of that type holds after rounding, or modulo its width.
inline long double rounded(ValueType type, long double number) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) -> long double {
    if constexpr (std::is_integral_v<T>)
      refuse_as_floating(type);
    else
      return static_cast<long double>(static_cast<T>(number));
  });
}
inline u64 reduced(ValueType type, u64 number) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) -> u64 {
    if constexpr (std::is_integral_v<T>) return static_cast<u64>(static_cast<T>(number));
    refuse_as_integer(type);
  });
}

// Bits of an integer's magnitude, or of a floating-point number's significand.
int significant_bits(ValueType type);

// A value's text in messages; a custom value is spelled as hexadecimal bytes.
std::string spell_value(const Request& request, ValueType type, const std::byte* value);
std::string hexadecimal(const std::byte* value, int bytes);

}  // namespace scantune
