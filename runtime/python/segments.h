// Functions on segments of one-dimensional arrays, by keys and by offsets.
#pragma once

#include <nanobind/nanobind.h>

namespace scantune::python {

// Adds scan_by_key, reduce_by_key, run_length_encode and segmented_reduce to the module.
void add_segment_functions(nanobind::module_& module);

}  // namespace scantune::python
