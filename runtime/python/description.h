// scantune.describe: it calls a function of arrays, and says which configs ran.
#pragma once

#include <nanobind/nanobind.h>

#include "scantune/scantune.h"

namespace scantune::python {

// While this thread is in scantune.describe, both add to its text; else they do nothing. The first makes a plan of the
// request, and throws as that does.
void describe(const scantune_head& request);
void describe(const scantune_plan* plan);

void add_describe(nanobind::module_& module);

}  // namespace scantune::python
