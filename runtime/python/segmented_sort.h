// Sorts of the segments of an array: segmented_sort and segmented_argsort.
#pragma once

#include <nanobind/nanobind.h>

namespace scantune::python {

void add_segmented_sorts(nanobind::module_& module);

}  // namespace scantune::python
