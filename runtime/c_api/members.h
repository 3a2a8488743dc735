// Checks of members that the structs of scantune.h share. Each error names the member, the value found and what to do.
#pragma once

#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include "scantune/error.hpp"
#include "scantune/scantune.h"
#include "space/request.h"

namespace scantune::c_api {

// Throws RequestError with the member and the value found.
[[noreturn]] void fail(const char* member, const std::string& found);
[[noreturn]] void fail_enum(const char* member, const char* type, int number, int first, int last);

// Whether an enumerator of C has the number of the library's.
constexpr bool same(int c, auto value) { return c == static_cast<int>(value); }

// A C enum holds whatever the caller wrote into it. Reading it as a number avoids undefined behaviour.
template <class Enum>
int number_in(const Enum& member) {
  static_assert(sizeof(Enum) == sizeof(int));
  int value = 0;
  std::memcpy(&value, &member, sizeof value);
  return value;
}

// Every scan() calls this for every enum, so the message is made elsewhere.
template <class Enum>
int checked_enum(const char* member, const char* type, const Enum& value, int first, int last) {
  const int number = number_in(value);
  if (number < first || number > last) [[unlikely]]
    fail_enum(member, type, number, first, last);
  return number;
}

// A choice of the library, from the member NAME, of type scantune_NAME, of a caller's request.
template <class Choice, class Enum>
Choice checked(const char* member, const Enum& value) {
  constexpr int kLast = static_cast<int>(std::size(Tokens<Choice>::kNames)) - 1;
  return static_cast<Choice>(checked_enum(member, member, value, 0, kLast));
}

// The constant of C that a token stands for.
std::string constant_of(std::string_view token);

inline constexpr int kLastType = static_cast<int>(std::size(Tokens<ValueType>::kNames));  // numbers start at 1

constexpr ValueType type_of(int number) {
  switch (number) {
#define SCANTUNE_TYPE(name, bytes, type_class, constant) \
  case SCANTUNE_##constant:                              \
    return ValueType::name;
    SCANTUNE_VALUE_TYPES(SCANTUNE_TYPE)
#undef SCANTUNE_TYPE
    default:
      return ValueType::custom;
  }
}

[[noreturn]] void fail_value_type(const char* member, int number);

inline ValueType checked_type(const char* member, const scantune_type& value) {
  const int number = number_in(value);
  if (number < SCANTUNE_I8 || number > kLastType) [[unlikely]]
    fail_value_type(member, number);
  return type_of(number);
}

// Throws unless it is one.
inline void checked_device(const scantune_device& device) {
  checked_enum("device", "device", device, SCANTUNE_HOST_DEVICE, SCANTUNE_CURRENT_GPU);
}

std::string type_name(ValueType type);

// What scantune_accumulator() returns.
scantune_type accumulator_of(const scantune_type& input, const scantune_type& output);

static_assert(same(SCANTUNE_NO_SEGMENTS, Segments::none) && same(SCANTUNE_ROWS, Segments::rows) &&
              same(SCANTUNE_COLUMNS, Segments::columns) && same(SCANTUNE_BY_FLAGS, Segments::flags) &&
              same(SCANTUNE_BY_BITS, Segments::bits) && same(SCANTUNE_BY_KEYS, Segments::keys) &&
              same(SCANTUNE_BY_OFFSETS, Segments::offsets));

// The member with the number of segments of a kind, and the constant of the kind, as messages name them.
struct CountNames {
  const char* extent;
  const char* constant;
};
void check_count(u64 n, bool has_them, const CountNames& names, u64 count);

// Throws unless the items are that many rows or columns of equal length, or the request has no rows or columns and the
// count is 0. If n is 0, any count is allowed. Only requests of the tuner may end in shorter ones.
template <class Typed>
void check_count(const Typed& request, Segments segments, const CountNames& names, u64 count) {
  check_count(request.n, request.segments == segments, names, count);
}

// The members that hold the size and alignment of a struct.
struct StructNames {
  const char* bytes = "custom_bytes";
  const char* alignment = "custom_alignment";
};
// Throws unless a custom type may have this size and alignment.
void check_custom_bytes(std::uint32_t bytes, std::uint32_t alignment, const StructNames& names = {});
// Throws unless what the member `type` names has this size and alignment: a struct, or 0 for anything else.
void check_bytes_of(const char* type, bool is_struct, std::uint32_t bytes, std::uint32_t alignment,
                    const StructNames& names);
[[noreturn]] void fail_built_in_bytes(std::uint32_t bytes, std::uint32_t alignment);

// Sets the size and alignment of the custom type. Throws unless they are valid, or 0 without a custom type.
template <class Caller, class Typed>
void take_custom_type(const Caller& caller, bool has_one, Typed& request) {
  if (has_one)
    check_custom_bytes(caller.custom_bytes, caller.custom_alignment);
  else if ((caller.custom_bytes | caller.custom_alignment) != 0) [[unlikely]]
    fail_built_in_bytes(caller.custom_bytes, caller.custom_alignment);
  request.custom_bytes = static_cast<int>(caller.custom_bytes);
  request.custom_alignment = static_cast<int>(caller.custom_alignment);
}

// The width of counts, indices or n. Throws unless the type is an integer of 4 or 8 bytes, or the default, and can hold
// their maximum.
IntegerWidth checked_width(const char* member, const scantune_type& type, const char* what, u64 most);

[[noreturn]] void fail_type(const char* member, const char* why);

// Throws if a type is given for something that the request does not have.
inline void refuse_type(const char* member, const scantune_type& type, const char* why) {
  if (number_in(type) != SCANTUNE_DEFAULT_TYPE) [[unlikely]]
    fail_type(member, why);
}

// The caller's text; empty for null.
inline std::string_view checked_config(const char* config) {
  if (config == nullptr) return {};
  if (*config == '\0') fail("config", "empty; it must be JSON, or NULL to have one chosen");
  return config;
}

// Reads the request before its types are erased: every scan() calls this, and erasing and restoring types takes longer.
template <class Typed>
void check_supported(const Typed& request) {
  if (const char* reason = unsupported_reason(request)) throw RequestError(to_string(Request(request)) + ": " + reason);
}

}  // namespace scantune::c_api
