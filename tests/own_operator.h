// A caller's operator, compiled by the compiler that an executable tests: host/ and nvrtc/ define it for theirs.
#pragma once

#include <string>

#include "jit/compiler.h"
#include "message_of.h"
#include "scantune/error.hpp"
#include "space/custom_operator.h"

namespace scantune {

// The binary of the default config for the request. Throws CompileError.
Binary compiled(const ScanRequest& request, const CustomOperator& custom);

// The log of compiling it; empty if it compiles.
inline std::string log_of(const ScanRequest& request, const CustomOperator& custom) {
  return message_of<CompileError>([&] { compiled(request, custom); });
}

}  // namespace scantune
