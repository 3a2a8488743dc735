// Which configs run what a function of arrays asks for: scantune.describe.
#pragma once

#include <nanobind/nanobind.h>

#include "scantune/scantune.h"

namespace scantune::python {

// Adds what runs a request to the description that this thread writes, if it does. Throws as a plan of it does.
void describe(const scantune_head& request);

void add_describe(nanobind::module_& module);

}  // namespace scantune::python
