// Sorts of arrays along an axis.
#pragma once

#include <nanobind/nanobind.h>

#include "scantune/scantune.h"

namespace scantune::python {

struct SortFunction {
  const char* name;
  scantune_sorted sorted;
  const char* signature;
  const char* documentation;
};

// Adds sort and argsort to the module.
void add_sorts(nanobind::module_& module);

}  // namespace scantune::python
