// A C caller's problem in the types of the library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "c_api/map.h"
#include "launch/plan.h"
#include "scantune/scantune.h"

namespace scantune::c_api {

struct Problem {
  Request request;
  std::optional<CustomOperatorView> custom;  // points to the caller's text
  InitialValue init;
  const void* device_init = nullptr;  // where an initial value in memory lies
  const void* device_n = nullptr;     // where n lies, if that is in memory
  void* device_clamped = nullptr;     // where it is told whether that was more than the request's
  int captured_launches = 0;
  std::string_view config;             // of the caller's text; empty where none is given
  const CallStates* states = nullptr;  // of its maps and its operator; null where it has no maps and no state

  // In the order of the request's operands.
  Pointers pointers(const void* input, const void* output) const {
    if (states != nullptr) return mapped_pointers(input, output, nullptr);
    if (device_n == nullptr) return {input, output, device_init};
    if (device_init == nullptr) return {input, output, device_n, device_clamped};
    return {input, output, device_init, device_n, device_clamped};
  }
  Pointers pointers(const void* input, const void* output, const void* position) const {
    if (states != nullptr) return mapped_pointers(input, output, position);
    return {input, output, position};
  }
  bool has_nothing_to_do() const {
    return request.n == 0 && (!request.algorithm().has_result_without_items(request) || has_no_sequences());
  }

 private:
  // The same where maps may stand in the place of arrays. Throws RequestError for an array whose place one has.
  Pointers mapped_pointers(const void* input, const void* output, const void* position) const;

  // Whether it is of 0 rows or columns, none of which has a result.
  bool has_no_sequences() const {
    return std::ranges::any_of(request.algorithm().extents(),
                               [&](const ExtentModel& extent) { return request.has(extent) && request[extent] == 0; });
  }
};

// Throws a RequestError that names the wrong member, what was found and what to do. It allocates nothing unless it
// throws. The room is for what it says of maps, and must outlive it.
Problem checked_problem(const scantune_problem* caller, MapRoom& room);
// The same for a reduction, with the place of its result if `position` asks for that.
Problem checked_reduction(const scantune_problem* caller, Position position, MapRoom& room);

// Sets every member of a problem of this size to its default. Throws RequestError if no version of the struct has this
// size.
void initialise(scantune_problem* problem, std::size_t struct_bytes);

// What scantune_accumulator() returns.
scantune_type default_accumulator_of(const scantune_type& input, const scantune_type& output);

}  // namespace scantune::c_api
