// What is known about the arrays of a Python type. It is found out once, at the first call with one.
#pragma once

#include <nanobind/nanobind.h>

#include "python/exchange.h"

namespace scantune::python {

struct ArrayType {
  nanobind::object library;            // its row in tuner/scantune/array_library.py, or None
  nanobind::object empty_like;         // its function for an array like a contiguous one, or None
  const Exchange* exchange = nullptr;  // of a library that is known
  bool is_made_of_ours = false;        // the library makes arrays of memory of scantune's, and tells no streams
  bool never_changes = false;          // nothing may be written into arrays, whatever they export
  // An attribute that says whether an array needs a gradient, and a function that says whether items are negated when
  // they are read; None for arrays of which neither can be.
  nanobind::object requires_gradient, is_negated;
};

const ArrayType& array_type_of(nanobind::handle array);

}  // namespace scantune::python
