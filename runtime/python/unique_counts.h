// The distinct values of arrays: unique_counts.
#pragma once

#include <nanobind/nanobind.h>

namespace scantune::python {

void add_unique_counts(nanobind::module_& module);

}  // namespace scantune::python
