// Inputs in the memory of a device.
#pragma once

#include "measure/known_input.h"
#include "measure/staging.h"

namespace scantune {

// Writes the input to `count` places, stride_bytes apart.
void upload_input(Staging& staging, const KnownInput& input, std::byte* to, int count = 1, u64 stride_bytes = 0);

// The same of another operand that is read, if this one is.
void upload_beside(Staging& staging, const InputSpec& input, const RequestOperand& operand, std::byte* to,
                   int count = 1, u64 stride_bytes = 0);

}  // namespace scantune
