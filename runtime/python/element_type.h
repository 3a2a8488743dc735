// The element types of Python's arrays, and what sums and products of each become.
#pragma once

#include <nanobind/ndarray.h>

#include <optional>
#include <string_view>

#include "scantune/types.h"

namespace scantune::python {

struct ElementType {
  const char* name;  // NumPy's
  scantune_type type;
  nanobind::dlpack::dtype_code code;
  std::uint8_t bits;
  const char* widened;  // the name of its sums' type: small integers and bool become 64 bits wide, as in NumPy

  bool is_floating() const { return code == nanobind::dlpack::dtype_code::Float; }
  std::size_t bytes() const { return bits / 8; }
};

// nullptr: scantune has no such type.
const ElementType* element_type(nanobind::dlpack::dtype dtype);
const ElementType* element_type(std::string_view name);

}  // namespace scantune::python
