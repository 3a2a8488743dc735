// Sorts of arrays along an axis.
#pragma once

#include <nanobind/nanobind.h>

namespace scantune::python {

// Adds sort and argsort to the module.
void add_sorts(nanobind::module_& module);

}  // namespace scantune::python
