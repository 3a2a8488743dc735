// How value types and operators are spelled outside the kernels: in JSON, in database rows, on the command line and in
// messages. A custom type is known by its size (custom12), a named custom operator by class and name
// (custom_moderate:affine).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "space/request.h"

namespace scantune {

struct SpelledType {
  ValueType type;
  int custom_bytes = 0;  // size of ValueType::custom, else 0

  bool operator==(const SpelledType&) const = default;
};

std::string spell(const SpelledType& type);
std::optional<SpelledType> parse_type(std::string_view text);

// The spelling of a type as this request has it.
std::string spell_type(const Request& request, ValueType type);
// All types of a request, with the accumulator's last: "i32", or "i8 to i32 in i64".
std::string spell_types(const Request& request);

struct SpelledOperator {
  Operator op;
  std::string name;  // a custom operator's; empty: any operator of that cost class

  bool operator==(const SpelledOperator&) const = default;
};

std::string spell(const SpelledOperator& op);
std::optional<SpelledOperator> parse_operator(std::string_view text);

// Letters, digits, '_', '.' and '-', 1 to 64 of them.
bool is_operator_name(std::string_view name);
inline constexpr std::string_view kOperatorNameRule = "1 to 64 letters, digits, '_', '.' or '-'";

// The alignment of a custom type of that size where none is given: the largest power of two that divides it, at most
// 16.
constexpr int natural_alignment(int bytes) {
  const int power_of_two = bytes & -bytes;
  return power_of_two < kVectorAlignmentBytes ? power_of_two : kVectorAlignmentBytes;
}

// Gives the request the size and natural alignment of a type that is to be one of its three. Returns false if it has a
// custom type of another size already.
bool adopt(Request& request, const SpelledType& type);

}  // namespace scantune
