// A C caller's maps in the types of the library.
#pragma once

#include <optional>

#include "core/contract/launch.h"
#include "scan/config/scan.h"
#include "scantune/scantune.h"
#include "space/custom_operator.h"

namespace scantune::c_api {

// Where a call keeps what it says of its maps, and their states beside that of its operator. Making one costs a call
// without any next to nothing.
struct MapRoom {
  std::optional<MapViews> views;
  CallStates states;  // unset until something has a state or is a map
};

// Throws a RequestError that names the wrong member of load or store. Sets the request's members of that name, the
// struct that only maps know, and the room, whose states are set already.
void take_maps(const scantune_problem& problem, ScanRequest& request, MapRoom& room);

}  // namespace scantune::c_api
