// What Python's functions are called with, and the scan that it means.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <string>

#include "python/axis.h"
#include "python/operation.h"
#include "python/scan_call.h"

namespace scantune::python {

struct ScanArguments {
  std::string function;
  Operation operation;
  nanobind::object x;
  AxisArgument axis;
  bool is_planned = false;        // results go into arrays of the caller's later
  bool includes_initial = false;  // one more result along the axis: the identity, before the others
  nanobind::object dtype = nanobind::none();
  nanobind::object out = nanobind::none();
  nanobind::object stream = nanobind::none();
  nanobind::object init = nanobind::none();
  scantune_kind kind = SCANTUNE_INCLUSIVE;
  scantune_direction direction = SCANTUNE_FORWARD;
  scantune_determinism determinism = SCANTUNE_UNCONSTRAINED;
  std::int32_t captured_launches = kCapturedLaunches;
};

// Calls use() with the scan, and returns its array of results. Throws as scanned() does.
nanobind::object with_scan(const ScanArguments& arguments, const std::function<void(const ScanCall&)>& use);

// Scans, and returns the array of results. Throws TypeError, ValueError or IndexError that names function and argument.
nanobind::object scanned(const ScanArguments& arguments);

}  // namespace scantune::python
