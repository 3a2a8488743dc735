// Valid requests and configs to start from. They are made from the parameter space itself, so they are always current.
#pragma once

#include <vector>

#include "device/device.h"
#include "space/config_json.h"

namespace scantune::fuzz {

// Requests of each kind: numbers, conversions, structs, operators by name, guarantees; small and large n.
std::vector<StatedRequest> example_requests();

// The default config of every family that supports one of these requests.
std::vector<Config> example_configs();

std::vector<DeviceIdentity> example_devices();

}  // namespace scantune::fuzz
