// The value that a scan or a reduction starts from, as the bytes of an accumulator.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "python/element_type.h"
#include "python/operation.h"

namespace scantune::python {

struct ArgumentName {
  const std::string& function;
  const char* argument;
};

// The bytes of a number of an accumulator's type. Throws TypeError or ValueError that names the argument.
std::string bytes_of_number(const ArgumentName& name, nanobind::handle argument, scantune_type type);

struct Start {
  nanobind::handle init;  // None: nothing, or the identity
  bool is_written;        // the results may hold what it starts from, without an item
  const char* name = "init";
};

// Empty if it starts from nothing, or from the library's identity. Throws TypeError or ValueError that names init.
std::string initial_value(const std::string& function, const Operation& operation, const Start& start,
                          const ElementType& items, const ElementType& results);

}  // namespace scantune::python
