// Scans of arrays along an axis: cumsum and its like.
#pragma once

#include <nanobind/nanobind.h>

namespace scantune::python {

// Adds each function of the tables in cumulative.cpp to the module.
void add_cumulative_functions(nanobind::module_& module);

}  // namespace scantune::python
