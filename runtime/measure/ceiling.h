// The copy whose speed is the ceiling for a request.
#pragma once

#include <optional>
#include <vector>

#include "device/device.h"
#include "space/space.h"

namespace scantune {

// The copy from the request's input to its output, as integers of the same width; nullopt unless it reads one array
// into another of as many items, and for a copy itself.
std::optional<Request> copy_beside(const Request& request);

// The configs of which the fastest is the ceiling: the one that the tuning records of this process select, and the
// default of every family.
std::vector<Config> ceiling_configs(const Request& copy, const DeviceIdentity& device);

}  // namespace scantune
