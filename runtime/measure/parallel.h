// A loop over independent work on all cores.
#pragma once

#include <functional>

#include "config/types.h"

namespace scantune {

// Calls body(i) once for every i in [0, count), from several threads unless count is small. body must not throw.
void parallel_for(u64 count, const std::function<void(u64)>& body);

}  // namespace scantune
