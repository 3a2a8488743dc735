// A C caller's maps.
#pragma once

#include <cstring>

#include "c_api/function.h"
#include "c_api/head.h"

namespace scantune::c_api {

inline constexpr FunctionMember kLoad = {
    "load", "load->struct_bytes",
    roles_of(SCANTUNE_FUNCTION_MAP, SCANTUNE_FUNCTION_MAP_INDEXED, SCANTUNE_FUNCTION_GENERATE)};
inline constexpr FunctionMember kStore = {
    "store", "store->struct_bytes",
    roles_of(SCANTUNE_FUNCTION_MAP, SCANTUNE_FUNCTION_MAP_INDEXED, SCANTUNE_FUNCTION_WRITE)};

// The role.
inline int checked_map(const FunctionMember& member, const scantune_function* caller, MapView& view,
                       unsigned char* state) {
  scantune_function storage;
  const scantune_function& map = checked_function(member, caller, storage);
  view = {map.source, static_cast<int>(map.state_bytes)};
  if (map.state_bytes > 0) std::memcpy(state, map.state, map.state_bytes);
  return number_in(map.role);
}

template <class Caller>
bool has_maps(const Caller& caller) {
  if constexpr (requires { caller.store; })
    return (reinterpret_cast<std::uintptr_t>(caller.load) | reinterpret_cast<std::uintptr_t>(caller.store)) != 0;
  return caller.load != nullptr;
}

// Takes at least one map. Its source and state go into the room.
template <class Caller, class Typed>
void take_maps(const Caller& caller, Typed& request, std::optional<CustomOperatorView>& custom, Room& room) {
  MapViews& views = room.views.emplace();
  if (caller.load != nullptr) {
    const int role = checked_map(kLoad, caller.load, views.load, room.states.load);
    request.load = role == SCANTUNE_FUNCTION_MAP           ? Load::source
                   : role == SCANTUNE_FUNCTION_MAP_INDEXED ? Load::indexed
                                                           : Load::generated;
  }
  if constexpr (requires { caller.store; })
    if (caller.store != nullptr) {
      const int role = checked_map(kStore, caller.store, views.store, room.states.store);
      request.store = role == SCANTUNE_FUNCTION_MAP           ? Store::source
                      : role == SCANTUNE_FUNCTION_MAP_INDEXED ? Store::indexed
                                                              : Store::writing;
    }
  if (!custom) custom.emplace();
  custom->maps = &views;
}

}  // namespace scantune::c_api
