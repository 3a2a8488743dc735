// Items of results that no kernel writes.
#pragma once

#include "python/call.h"

namespace scantune::python {

// Writes a number into each item of an array for results: `made`, which is contiguous. argument: where the number is
// from. Throws ValueError that names it if the items cannot hold the number.
void fill(const Call& call, const Array& made, const char* argument, const nanobind::object& number);

}  // namespace scantune::python
