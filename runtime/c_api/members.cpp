#include "c_api/members.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include "space/space.h"

namespace scantune::c_api {

void fail(const char* member, const std::string& found) { throw RequestError(std::string(member) + " is " + found); }

void fail_enum(const char* member, const char* type, int number, int first, int last) {
  fail(member, std::to_string(number) + "; it must be a scantune_" + type + ", " + std::to_string(first) + " to " +
                   std::to_string(last) + (number > last ? ", and a greater one comes from a newer header" : ""));
}

void fail_value_type(const char* member, int number) {
  if (number == SCANTUNE_DEFAULT_TYPE) fail(member, "SCANTUNE_DEFAULT_TYPE: name the type");
  fail_enum(member, "type", number, SCANTUNE_I8, kLastType);
}

std::string constant_of(std::string_view token) {
  std::string constant = "SCANTUNE_";
  for (const char letter : token) constant += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return constant;
}

std::string type_name(ValueType type) { return type == ValueType::custom ? "a custom type" : token(type); }

scantune_type accumulator_of(const scantune_type& input, const scantune_type& output) {
  const auto is_type = [](int number) { return number >= SCANTUNE_I8 && number <= kLastType; };
  const int in = number_in(input), out = number_in(output);
  if (!is_type(in) || !is_type(out)) return SCANTUNE_DEFAULT_TYPE;
  int number = SCANTUNE_I8;
  while (type_of(number) != default_accumulator(type_of(in), type_of(out))) ++number;
  return static_cast<scantune_type>(number);
}

void check_count(u64 n, bool has_them, const CountNames& names, u64 count) {
  const auto found = [&] { return std::to_string(count); };
  if (!has_them) {
    if (count != 0)
      fail(names.extent,
           found() + ", and segments is not " + names.constant + ": set it, or leave " + names.extent + " at 0");
    return;
  }
  if (n == 0) return;
  if (count == 0)
    fail(names.extent, found() + ", segments is " + names.constant + ", and n is " + std::to_string(n) +
                           ": pass how many " + names.extent + " there are");
  if (n % count != 0)
    fail("n", std::to_string(n) + ", which is not a multiple of " + names.extent + ", which is " + found() + ": " +
                  names.extent + " are of equal length");
}

void fail_built_in_bytes(std::uint32_t bytes, std::uint32_t alignment) {
  fail(bytes != 0 ? "custom_bytes" : "custom_alignment",
       std::to_string(bytes != 0 ? bytes : alignment) + "; it must be 0 unless a type is SCANTUNE_CUSTOM_TYPE");
}

void check_custom_bytes(std::uint32_t bytes, std::uint32_t alignment, const StructNames& names) {
  if (bytes < 1 || bytes > kMaxValueBytes)
    fail(names.bytes, std::to_string(bytes) + "; a custom type has 1 to " + std::to_string(kMaxValueBytes) + " bytes");
  constexpr std::uint32_t kAlignments[] = {1, 2, 4, 8, 16};
  static_assert(kAlignments[std::size(kAlignments) - 1] == kVectorAlignmentBytes);
  if (std::ranges::find(kAlignments, alignment) != std::end(kAlignments) && bytes % alignment == 0) return;
  fail(names.alignment, std::to_string(alignment) + "; it must be 1, 2, 4, 8 or 16, and divide " + names.bytes +
                            ", which is " + std::to_string(bytes));
}

void check_bytes_of(const char* type, bool is_struct, std::uint32_t bytes, std::uint32_t alignment,
                    const StructNames& names) {
  if (is_struct) return check_custom_bytes(bytes, alignment, names);
  if ((bytes | alignment) != 0)
    fail(bytes != 0 ? names.bytes : names.alignment,
         std::to_string(bytes != 0 ? bytes : alignment) + "; it must be 0 unless " + type + " is SCANTUNE_CUSTOM_TYPE");
}

void fail_type(const char* member, const char* why) {
  fail(member, std::string("given, and ") + why + ": leave it SCANTUNE_DEFAULT_TYPE");
}

IntegerWidth checked_width(const char* member, const scantune_type& type, const char* what, u64 most) {
  const int number = number_in(type);
  switch (number) {
    case SCANTUNE_DEFAULT_TYPE:
    case SCANTUNE_U64:
    case SCANTUNE_I64:
      return IntegerWidth::bits_64;
    case SCANTUNE_U32:
    case SCANTUNE_I32:
      break;
    default:
      fail(member,
           (number >= SCANTUNE_I8 && number <= kLastType ? type_name(type_of(number)) : std::to_string(number)) +
               "; it must be an integer of 4 or 8 bytes: SCANTUNE_U64, SCANTUNE_I64, SCANTUNE_U32 or "
               "SCANTUNE_I32");
  }
  const u64 holds = number == SCANTUNE_U32 ? std::numeric_limits<u32>::max() : std::numeric_limits<i32>::max();
  if (most > holds)
    fail(member,
         type_name(type_of(number)) + ", and " + what + " may reach " + std::to_string(most) + ": ask for 8 bytes");
  return IntegerWidth::bits_32;
}

}  // namespace scantune::c_api
