// Numbers of Python as the bytes of an array's item.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "python/element_type.h"
#include "python/initial_value.h"

namespace scantune::python {

// Floats are rounded. Throws ValueError that names the argument if the type does not hold the number.
std::string item_bytes(const ArgumentName& name, nanobind::handle number, const ElementType& type);

}  // namespace scantune::python
