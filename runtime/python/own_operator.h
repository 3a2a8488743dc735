// Operators of the caller's own: scantune.Op.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "python/operation.h"

namespace scantune::python {

struct OwnOperator {
  std::string source;
  nanobind::object identity;
  std::string name;   // or empty
  std::string state;  // its bytes, or none
};

// Adds Op to the module.
void add_own_operator(nanobind::module_& module);

// The operation that an argument op means: a name, or an Op, which must outlive it. Throws TypeError or ValueError.
Operation operation_of(const std::string& function, const nanobind::object& op);

}  // namespace scantune::python
