#include "c_api/allocator.h"

#include <string>
#include <type_traits>

#include "c_api/struct_version.h"
#include "scantune/error.hpp"

namespace scantune::c_api {
namespace {

static_assert(std::has_unique_object_representations_v<scantune_allocator>);

constexpr scantune_allocator kNoAllocator = SCANTUNE_ALLOCATOR_INIT;
constexpr StructVersion kAllocatorVersion = {"struct_bytes", "scantune_allocator", "start from SCANTUNE_ALLOCATOR_INIT",
                                             SCANTUNE_BYTES_UP_TO(scantune_allocator, user),
                                             sizeof(scantune_allocator)};

}  // namespace

Allocator checked_allocator(const scantune_allocator* caller) {
  if (caller == nullptr) return {};
  scantune_allocator storage;
  const scantune_allocator& given = *as_known(kAllocatorVersion, caller, kNoAllocator, storage);
  const bool is_whole = given.allocate != nullptr && given.deallocate != nullptr;
  if (!is_whole)
    throw RequestError(std::string(given.allocate == nullptr ? "allocate" : "deallocate") +
                       " is NULL: an allocator has both functions; for the driver's memory, set no allocator");
  return {given.allocate, given.deallocate, given.user};
}

}  // namespace scantune::c_api
