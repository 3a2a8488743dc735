#include "python/flat_input.h"

#include <utility>

namespace nb = nanobind;

namespace scantune::python {

Array flat_input(const Call& call, const std::string& name, nb::object object) {
  const Array array = call.input(name, std::move(object));
  if (array.extents.size() != 1)
    call.refuse(nb::value_error, name + " has " + std::to_string(array.extents.size()) +
                                     " dimensions; it must have one: pass " + name + ".reshape(-1)");
  return call.contiguous(name, array);
}

Array flat_input(const Call& call, const std::string& name, nb::object object, const Array& x) {
  Array array = flat_input(call, name, std::move(object));
  if (array.place != x.place) call.refuse(nb::value_error, name + " is on another device than x");
  if (array.size() != x.size())
    call.refuse(nb::value_error,
                name + " has " + std::to_string(array.size()) + " items, and x has " + std::to_string(x.size()));
  return array;
}

}  // namespace scantune::python
