// Loads the kernels of a config.
#pragma once

#include <vector>

#include "device/device.h"
#include "space/space.h"

namespace scantune {

// The shared memory of every kernel of the family, also of those that only another n launches: a module serves every
// n.
std::vector<int> max_shared_bytes(const Config& config, Request request, Variant variant);

// Throws DeviceError if one of the launches does not fit the device.
void check_fit(Device& device, const Module& module, const LaunchList& launches);

}  // namespace scantune
