// Cumulative functions of arrays: cumsum and its like.
#pragma once

#include <nanobind/nanobind.h>

namespace scantune::python {

// Adds each function of the table in cumulative.cpp to the module.
void add_cumulative_functions(nanobind::module_& module);

}  // namespace scantune::python
