// Inputs in the memory of a device.
#pragma once

#include "device/device.h"
#include "measure/inputs.h"

namespace scantune {

// Writes the input to `count` places, stride_bytes apart.
void upload_input(Device& device, const InputSpec& input, std::byte* to, int count = 1, u64 stride_bytes = 0);

}  // namespace scantune
