// A C caller's request in the types of the library.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "c_api/struct_version.h"
#include "launch/plan.h"
#include "scantune/scantune.h"

namespace scantune::c_api {

// Whether a request of n = 0 has no result.
bool has_no_result(const Request& request);

// A request with its options and functions. It points to the caller's text, and into a Room.
struct Asked {
  Request request;
  scantune_device device = SCANTUNE_CURRENT_GPU;
  // NOLINTBEGIN(readability-redundant-member-init): g++ warns without them where designators leave members out
  std::optional<CustomOperatorView> custom = std::nullopt;
  InitialValue init = {};
  const void* device_init = nullptr;           // address of an initial value in device memory
  const void* device_n = nullptr;              // address of n, if it is in device memory
  void* device_clamped = nullptr;              // set to 1 if that n was more than the request's
  const void* device_segment_count = nullptr;  // address of the number of segments, likewise
  const void* device_k = nullptr;              // address of the number of results, likewise
  int captured_launches = 0;
  std::string_view config = {};  // empty where none is given
  // NOLINTEND(readability-redundant-member-init)
  const CallStates* states = nullptr;  // of its sources; null where none has a state
  bool checks_offsets = false;         // before each run
  bool refuses_overlap = false;        // that check, of segments that have items in common
  bool has_other_arrays = false;       // beside input and output

  bool has_nothing_to_do() const { return request.n == 0 && has_no_result(request); }
};

// Storage of a call for its maps and equality, and for states of sources. It costs almost nothing for a call without
// them.
struct Room {
  std::optional<MapViews> views;
  CallStates states;  // unset until something has a state or is a map
};

// The checked request of an algorithm, from the caller's struct.
template <class Caller>
inline constexpr Caller kDefaults = {};
template <class Caller>
inline constexpr StructVersion kVersion = {};

// Each is defined in the file of its algorithm. Throws a RequestError that names the wrong member, what was found and
// what to do. It allocates nothing unless it throws. The room must outlive the result; the struct need not.
#define SCANTUNE_DECLARE_REQUEST(name, constant, first_last)                                                 \
  template <>                                                                                                \
  inline constexpr scantune_##name##_request kDefaults<scantune_##name##_request> = constant##_REQUEST_INIT; \
  template <>                                                                                                \
  inline constexpr StructVersion kVersion<scantune_##name##_request> = {                                     \
      "struct_bytes", "scantune_" #name "_request", "start from " #constant "_REQUEST_INIT",                 \
      SCANTUNE_BYTES_UP_TO(scantune_##name##_request, first_last), sizeof(scantune_##name##_request)};       \
  Asked checked_request(const scantune_##name##_request& said, Room& room);
SCANTUNE_ALGORITHMS(SCANTUNE_DECLARE_REQUEST)
#undef SCANTUNE_DECLARE_REQUEST

// The request of any algorithm, checked with its head. Throws RequestError also for an unknown algorithm.
Asked checked_request(const scantune_head* request, Room& room);
// The request of a scan, without dispatch by algorithm.
Asked checked_scan(const scantune_scan_request* caller, Room& room);

// Sets every member of an algorithm's request of this size to its default. Throws RequestError if there is no such
// algorithm, or no version of its request has this size.
void initialise(scantune_head* request, scantune_algorithm algorithm, std::size_t struct_bytes);

// The requested device.
inline const std::shared_ptr<Device>& device_of(scantune_device device) {
  return device == SCANTUNE_HOST_DEVICE ? host_device() : current_device();
}

}  // namespace scantune::c_api
