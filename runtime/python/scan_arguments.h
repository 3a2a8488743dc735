// What Python's functions are called with, and the scan that it means.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>

#include "python/operation.h"

namespace scantune::python {

enum class NoAxis { flattens, is_refused };  // what axis=None means beyond one dimension

struct ScanArguments {
  std::string function;
  const Operation& operation;
  nanobind::object x;
  std::optional<std::int64_t> axis;
  NoAxis no_axis = NoAxis::is_refused;
  bool keeps_no_dimension = false;  // results of a 0-d array are 0-d, not 1-d
  bool includes_initial = false;    // one more result along the axis: the identity, before the others
  nanobind::object dtype = nanobind::none();
  nanobind::object out = nanobind::none();
  nanobind::object stream = nanobind::none();
  nanobind::object init = nanobind::none();
  scantune_kind kind = SCANTUNE_INCLUSIVE;
  scantune_direction direction = SCANTUNE_FORWARD;
  scantune_determinism determinism = SCANTUNE_UNCONSTRAINED;
};

// Scans, and returns the array of results. Throws TypeError, ValueError or IndexError that names function and argument.
nanobind::object scanned(const ScanArguments& arguments);

}  // namespace scantune::python
