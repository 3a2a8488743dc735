// An order of items that is the caller's, in CUDA C++.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "scantune/scantune.h"

namespace scantune::python {

class Comparison {
 public:
  // less: a source that defines __device__ bool less(Value a, Value b), or None for the order of numbers. Throws
  // TypeError that names the argument less.
  Comparison(const std::string& function, const nanobind::object& less);
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;

  bool is_given() const { return function_.source != nullptr; }
  // It must outlive the request.
  void put_into(scantune_sort_request& request) const {
    if (is_given()) request.less = &function_;
  }

 private:
  std::string source_;
  scantune_function function_ = SCANTUNE_FUNCTION_INIT;
};

}  // namespace scantune::python
