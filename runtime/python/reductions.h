// Reductions of arrays along an axis: reduce and its like.
#pragma once

#include <nanobind/nanobind.h>

namespace scantune::python {

// Adds each function of the tables in reductions.cpp to the module.
void add_reductions(nanobind::module_& module);

}  // namespace scantune::python
