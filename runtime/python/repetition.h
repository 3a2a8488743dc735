// Items, each as often as a number says: run_length_decode and repeat_interleave.
#pragma once

#include <nanobind/nanobind.h>

namespace scantune::python {

void add_repetitions(nanobind::module_& module);

}  // namespace scantune::python
