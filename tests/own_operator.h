// A caller's operator, compiled by the compiler that an executable tests: host/ and nvrtc/ define it for theirs.
#pragma once

#include "jit/compiler.h"
#include "space/custom_operator.h"

namespace scantune {

// The binary of the default config for the request. Throws CompileError.
Binary compiled(const ScanRequest& request, const CustomOperator& custom);

}  // namespace scantune
