// Structs of callers that use another version of scantune.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace scantune::c_api {

// A struct of scantune.h. Its first member is its size as the caller knows it; later versions only append members,
// whose defaults are zeroes.
struct StructVersion {
  const char* member;        // the member that holds the size, as messages name it
  const char* type;          // the struct's name
  const char* advice;        // what to start from
  std::size_t oldest_bytes;  // size of the oldest version served
  std::size_t bytes;         // size of this version
};

template <class Struct, class Member>
constexpr std::size_t member_bytes(Member Struct::*) {
  return sizeof(Member);  // NOLINT(bugprone-sizeof-expression): of a pointer, where the member is one
}
// The size of a struct up to a member, the last one of its oldest version.
#define SCANTUNE_BYTES_UP_TO(Struct, member) \
  (offsetof(Struct, member) + ::scantune::c_api::member_bytes(&Struct::member))

// Throws RequestError unless a caller's struct may have this size.
void check_struct_bytes(const StructVersion& version, std::size_t struct_bytes);
// Also throws RequestError if a larger struct holds more than zeroes beyond what this library knows.
void check_struct(const StructVersion& version, const void* given, std::size_t struct_bytes);

// The size of a caller's struct, of which that is the first member.
template <class Struct>
std::size_t size_in(const Struct& given) {
  if constexpr (requires { given.head; })
    return given.head.struct_bytes;
  else
    return given.struct_bytes;
}

// The caller's struct as this library knows it, with the defaults of members that an older caller does not know. It is
// the struct itself if that is of this version, else a copy in the storage.
template <class Struct>
const Struct* as_known(const StructVersion& version, const Struct* given, const Struct& defaults, Struct& storage) {
  const std::size_t struct_bytes = size_in(*given);
  if (struct_bytes == sizeof(Struct)) [[likely]]
    return given;
  check_struct(version, given, struct_bytes);
  storage = defaults;
  std::memcpy(static_cast<void*>(&storage), given, std::min(struct_bytes, sizeof(Struct)));
  return &storage;
}

}  // namespace scantune::c_api
