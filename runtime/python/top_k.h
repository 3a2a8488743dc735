// The items of an array that come first along an axis: top_k and argtop_k.
#pragma once

#include <nanobind/nanobind.h>

namespace scantune::python {

// Adds top_k and argtop_k to the module.
void add_top_k(nanobind::module_& module);

}  // namespace scantune::python
