// Selections from one-dimensional arrays: results whose number depends on the items.
#pragma once

#include <nanobind/nanobind.h>

namespace scantune::python {

// Adds compress, filter, nonzero and unique_consecutive to the module.
void add_selections(nanobind::module_& module);

}  // namespace scantune::python
