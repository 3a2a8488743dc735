// The element types of Python's arrays, and what sums and products of each become.
#pragma once

#include <nanobind/ndarray.h>

#include <string>
#include <string_view>

#include "scantune/types.h"

namespace scantune::python {

struct ElementType {
  const char* name;  // NumPy's, which other libraries have too
  scantune_type type;
  nanobind::dlpack::dtype_code code;
  std::uint8_t bits;
  const char* widened;    // the name of its sums' type: small integers and bool become 64 bits wide, as in NumPy
  const char* in_source;  // what functions of a kernel see: half-precision numbers as float

  bool is_floating() const {
    return code == nanobind::dlpack::dtype_code::Float || code == nanobind::dlpack::dtype_code::Bfloat;
  }
  bool is_bool() const { return code == nanobind::dlpack::dtype_code::Bool; }
  std::size_t bytes() const { return bits / 8; }
  std::string typestr() const;  // what array interfaces call it, such as "<f4"
};

// nullptr: scantune has no such type.
const ElementType* element_type(nanobind::dlpack::dtype dtype);
const ElementType* element_type(std::string_view name);
// By what an array interface calls it, such as "<f4"; not of the other byte order.
const ElementType* element_type_of_interface(std::string_view typestr);

}  // namespace scantune::python
