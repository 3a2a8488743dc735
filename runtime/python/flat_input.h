// One-dimensional inputs, which kernels read one item after the other.
#pragma once

#include <string>

#include "python/call.h"

namespace scantune::python {

// Contiguous, a copy if it must be. Throws ValueError if the array has other than one dimension.
Array flat_input(const Call& call, const std::string& name, nanobind::object object);

// The same for an array with an item for each one of x, on the device of x.
Array flat_input(const Call& call, const std::string& name, nanobind::object object, const Array& x);

}  // namespace scantune::python
