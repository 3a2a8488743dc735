#include "c_api/request.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "c_api/head.h"

namespace scantune::c_api {
namespace {

struct Door {
  int algorithm;
  const StructVersion& version;
  const void* defaults;
  Asked (*checked)(const scantune_head& head, Room& room);
};
#define SCANTUNE_DOOR(name, constant, first_last)                                        \
  {constant, kVersion<scantune_##name##_request>, &kDefaults<scantune_##name##_request>, \
   &checked_by_head<scantune_##name##_request>},
constexpr Door kDoors[] = {SCANTUNE_ALGORITHMS(SCANTUNE_DOOR)};
#undef SCANTUNE_DOOR

const Door& door_of(const scantune_algorithm& algorithm) {
  const int number = number_in(algorithm);
  const auto found = std::ranges::find(kDoors, number, &Door::algorithm);
  if (found == std::end(kDoors))
    fail("algorithm", std::to_string(number) + "; it must be a scantune_algorithm, 1 to " +
                          std::to_string(std::size(kDoors)) + ": start from the _INIT macro of the request");
  return *found;
}

}  // namespace

bool has_no_result(const Request& request) {
  // Without rows or columns nothing has a result.
  return !request.algorithm().has_result_without_items(request) ||
         std::ranges::any_of(request.algorithm().extents(),
                             [&](const ExtentModel& extent) { return request.has(extent) && request[extent] == 0; });
}

Asked checked_request(const scantune_head* request, Room& room) {
  if (request == nullptr) fail("request", "NULL; it must point to the head of a request");
  return door_of(request->algorithm).checked(*request, room);
}

void initialise(scantune_head* request, scantune_algorithm algorithm, std::size_t struct_bytes) {
  const Door& door = door_of(algorithm);
  check_struct_bytes(door.version, struct_bytes);
  std::memset(static_cast<void*>(request), 0, struct_bytes);
  std::memcpy(static_cast<void*>(request), door.defaults, std::min(struct_bytes, door.version.bytes));
  request->struct_bytes = struct_bytes;
}

}  // namespace scantune::c_api
