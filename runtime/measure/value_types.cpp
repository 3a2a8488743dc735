#include "measure/value_types.h"

#include <charconv>
#include <limits>

namespace scantune {
namespace {

template <class T>
std::string shortest(T value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace

std::string hexadecimal(const std::byte* value, int bytes) {
  std::string text = "0x";
  for (int index = 0; index < bytes; ++index)
    for (const int shift : {4, 0}) text += "0123456789abcdef"[std::to_integer<unsigned>(value[index]) >> shift & 15];
  return text;
}

void refuse_as_integer(ValueType type) { throw RequestError(std::string(token(type)) + " is not an integer type"); }

void refuse_as_floating(ValueType type) {
  throw RequestError(std::string(token(type)) + " is not a floating-point type");
}

void convert(ValueType from, const std::byte* value, ValueType to, std::byte* converted) {
  if (is_integer(to))
    put_integer(to, integer_at(from, value), converted);
  else
    put_floating(to, floating_at(from, value), converted);
}

int significant_bits(ValueType type) {
  return visit_type(type, []<class T>(std::type_identity<T>) {
    if constexpr (requires { T::kDigits; })
      return T::kDigits;
    else
      return std::numeric_limits<T>::digits;
  });
}

std::string spell_value(const Request& request, ValueType type, const std::byte* value) {
  if (type == ValueType::custom) return hexadecimal(value, request.custom_bytes);
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_arithmetic_v<T>)
      return shortest(value_at<T>(value));
    else
      return shortest(static_cast<f32>(static_cast<long double>(value_at<T>(value))));
  });
}

}  // namespace scantune
