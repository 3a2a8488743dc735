#include "measure/value_types.h"

#include <charconv>
#include <cstring>
#include <limits>

namespace scantune {
namespace {

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

template <class T>
std::string shortest(T value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string hexadecimal(const std::byte* value, int bytes) {
  std::string text = "0x";
  for (int index = 0; index < bytes; ++index)
    for (const int shift : {4, 0}) text += "0123456789abcdef"[std::to_integer<unsigned>(value[index]) >> shift & 15];
  return text;
}

}  // namespace

long double floating_at(ValueType type, const std::byte* value) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) { return static_cast<long double>(value_at<T>(value)); });
}

u64 integer_at(ValueType type, const std::byte* value) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) -> u64 {
    if constexpr (std::is_integral_v<T>) return static_cast<u64>(value_at<T>(value));
    throw RequestError(std::string(token(type)) + " is no integer type");
  });
}

void put_floating(ValueType type, long double number, std::byte* value) {
  visit_type(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>)
      throw RequestError(std::string(token(type)) + " is no floating-point type");
    else
      put(static_cast<T>(number), value);
  });
}

void put_integer(ValueType type, u64 number, std::byte* value) {
  visit_type(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>)
      put(static_cast<T>(number), value);
    else
      throw RequestError(std::string(token(type)) + " is no integer type");
  });
}

void convert(ValueType from, const std::byte* value, ValueType to, std::byte* converted) {
  if (is_integer(to))
    put_integer(to, integer_at(from, value), converted);
  else
    put_floating(to, floating_at(from, value), converted);
}

long double rounded(ValueType type, long double number) {
  std::byte value[sizeof(f64)];
  put_floating(type, number, value);
  return floating_at(type, value);
}

u64 reduced(ValueType type, u64 number) {
  std::byte value[sizeof(u64)];
  put_integer(type, number, value);
  return integer_at(type, value);
}

int significant_bits(ValueType type) {
  if (type == ValueType::f16) return 11;
  if (type == ValueType::bf16) return 8;
  return visit_type(type, []<class T>(std::type_identity<T>) { return std::numeric_limits<T>::digits; });
}

std::string spell_value(const ScanRequest& request, ValueType type, const std::byte* value) {
  if (type == ValueType::custom) return hexadecimal(value, request.custom_bytes);
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_arithmetic_v<T>)
      return shortest(value_at<T>(value));
    else
      return shortest(static_cast<f32>(static_cast<long double>(value_at<T>(value))));
  });
}

}  // namespace scantune
