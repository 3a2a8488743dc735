// Whether memory that a caller names is memory that a kernel of a context may use.
#pragma once

#include <string>

#include "device/cuda/context.h"

namespace scantune {

// Empty if all of the bytes are; else what is wrong. The context must be current. Bytes in pinned host memory and in
// managed memory are; plain host memory is not, even where the GPU could reach it: it is a mistake far more often.
std::string pointer_problem_in(const CudaContext& context, int device_ordinal, const void* pointer, u64 bytes);

}  // namespace scantune
