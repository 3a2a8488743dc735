#include "python/offsets.h"

#include <string>
#include <utility>

#include "python/flat_input.h"

namespace nb = nanobind;

namespace scantune::python {

Array offsets_of(const Call& call, nb::object object, const Array& x) {
  Array offsets = flat_input(call, "offsets", std::move(object));
  call.check_counts("offsets", offsets);
  if (offsets.place != x.place) call.refuse(nb::value_error, "offsets is on another device than x");
  if (offsets.size() == 0)
    call.refuse(nb::value_error, "offsets is empty; it must say where the last segment ends, too");
  return offsets;
}

}  // namespace scantune::python
