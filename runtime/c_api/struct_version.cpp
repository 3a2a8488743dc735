#include "c_api/struct_version.h"

#include <string>

#include "scantune/error.hpp"

namespace scantune::c_api {
namespace {

constexpr std::size_t kMostBytes = 512;  // room for years of members; all are read, so a wrong size has to fail

std::string what_differs(const StructVersion& version, std::size_t struct_bytes) {
  return std::string(version.member) + " is " + std::to_string(struct_bytes) + ", and this library's " + version.type +
         " has " + std::to_string(version.bytes) + " bytes";
}

}  // namespace

void check_struct_bytes(const StructVersion& version, std::size_t struct_bytes) {
  if (struct_bytes >= version.oldest_bytes && struct_bytes <= kMostBytes && struct_bytes % alignof(void*) == 0) return;
  throw RequestError(what_differs(version, struct_bytes) + ", the oldest that it serves " +
                     std::to_string(version.oldest_bytes) + ": " + version.advice +
                     ", and compile with the header of this version");
}

void check_struct(const StructVersion& version, const void* given, std::size_t struct_bytes) {
  check_struct_bytes(version, struct_bytes);
  const auto* const bytes = static_cast<const unsigned char*>(given);
  if (std::all_of(bytes + std::min(version.bytes, struct_bytes), bytes + struct_bytes, [](auto b) { return b == 0; }))
    return;
  throw RequestError(what_differs(version, struct_bytes) +
                     ": it comes from a newer header, and sets a member that this library does not know. Update the "
                     "library, or leave what is new at its default");
}

}  // namespace scantune::c_api
