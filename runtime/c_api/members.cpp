#include "c_api/members.h"

#include <algorithm>

#include "space/space.h"

namespace scantune::c_api {

void fail(const char* member, const std::string& found) { throw RequestError(std::string(member) + " is " + found); }

void fail_enum(const char* member, const char* type, int number, int first, int last) {
  fail(member, std::to_string(number) + "; it must be a " + type + ", " + std::to_string(first) + " to " +
                   std::to_string(last));
}

std::string type_name(ValueType type) { return type == ValueType::custom ? "a custom type" : token(type); }

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
    fail("n", std::to_string(n) + ", which is no multiple of " + names.extent + ", which is " + found() + ": " +
                  names.extent + " are of equal length");
}

void fail_built_in_bytes(const CustomTypeNames& names, std::uint32_t bytes, std::uint32_t alignment) {
  fail(bytes != 0 ? names.bytes : names.alignment,
       std::to_string(bytes != 0 ? bytes : alignment) + "; it must be 0 unless the type is a custom one");
}

void check_custom_bytes(const CustomTypeNames& names, std::uint32_t bytes, std::uint32_t alignment) {
  if (bytes < 1 || bytes > kMaxValueBytes)
    fail(names.bytes, std::to_string(bytes) + "; a custom type has 1 to " + std::to_string(kMaxValueBytes) + " bytes");
  constexpr std::uint32_t kAlignments[] = {1, 2, 4, 8, 16};
  static_assert(kAlignments[std::size(kAlignments) - 1] == kVectorAlignmentBytes);
  if (std::ranges::find(kAlignments, alignment) != std::end(kAlignments) && bytes % alignment == 0) return;
  const std::string_view path = names.bytes;
  const auto member = path.substr(path.find('.') + 1);  // of the same struct
  fail(names.alignment, std::to_string(alignment) + "; it must be 1, 2, 4, 8 or 16, and divide " + std::string(member) +
                            ", which is " + std::to_string(bytes));
}

void fail_source(const char* member, const char* source, const char* what) {
  fail(member, std::string(source == nullptr ? "NULL" : "empty") + "; it must define " + what);
}

void check_state(const StateNames& names, const void* state, std::uint32_t bytes) {
  if (bytes > kMaxValueBytes)
    fail(names.bytes, std::to_string(bytes) + "; a state has at most " + std::to_string(kMaxValueBytes) +
                          " bytes: pass what is larger in memory of the device, and its address in the state");
  if (bytes > 0 && state == nullptr)
    fail(names.state,
         "NULL, and " + std::string(names.bytes) + " is " + std::to_string(bytes) + ": point it to the state");
  if (bytes == 0 && state != nullptr)
    fail(names.bytes, "0, and " + std::string(names.state) +
                          " is given: pass the size of the source's State, or leave " + names.state + " NULL");
}

}  // namespace scantune::c_api
