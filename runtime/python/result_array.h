// Arrays of scantune's own, for results of arrays whose library makes none that may be written.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "python/array.h"
#include "python/result_memory.h"

namespace scantune::python {

class ResultArray {
 public:
  // In C order. stream: in which its items are written. is_adopted: a library takes it at once, which gives the memory
  // back when all of its work on it is done. Throws as the library does.
  ResultArray(const Place& place, std::vector<std::uint64_t> shape, const ElementType& type, std::uint64_t stream,
              bool is_adopted);

  // __dlpack__() of the array API standard. Throws BufferError for a device or a copy that it cannot give.
  nanobind::object dlpack(const nanobind::object& stream, const nanobind::object& max_version,
                          const nanobind::object& device, const nanobind::object& copy) const;
  nanobind::tuple dlpack_device() const { return nanobind::make_tuple(place_.type, place_.id); }
  // Throws AttributeError on the host.
  nanobind::dict cuda_array_interface() const;

  nanobind::tuple shape() const;
  const char* dtype() const { return type_.name; }

 private:
  Place place_;
  std::vector<std::uint64_t> shape_;
  const ElementType& type_;
  std::uint64_t stream_;
  ResultMemory memory_;  // until the last array that shares it is gone
};

// Adds the class to the module.
void add_result_array(nanobind::module_& module);

}  // namespace scantune::python
