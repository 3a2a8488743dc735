// The name of a compiled kernel in every cache.
#pragma once

#include <string>

#include "jit/compiler.h"

namespace scantune {

// SHA-256, in hex, over the templates that the kernels include, the compiler's fingerprint, the architecture, the
// source and the kernels' names. Equal keys mean interchangeable binaries. This does not load the compiler.
std::string binary_key(const Compiler& compiler, const Instantiation& instantiation, const std::string& arch);

}  // namespace scantune
