// Reductions of arrays along an axis.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "python/axis.h"
#include "python/operation.h"

namespace scantune::python {

struct ReductionArguments {
  std::string function;
  Operation operation;
  nanobind::object x;
  std::optional<std::int64_t> axis;  // none: all items
  bool keeps_dimensions = false;     // of a single result each, where items were reduced
  nanobind::object dtype = nanobind::none();
  nanobind::object out = nanobind::none();
  nanobind::object stream = nanobind::none();
  nanobind::object init = nanobind::none();
};

// Reduces, and returns the array of results. Throws TypeError, ValueError or IndexError that names function and
// argument.
nanobind::object reduced(const ReductionArguments& arguments);

}  // namespace scantune::python
