#include "python/offsets.h"

#include <string>
#include <utility>

#include "python/flat_input.h"

namespace nb = nanobind;

namespace scantune::python {

Array offsets_of(const Call& call, nb::object object, const Array& x) {
  Array offsets = flat_input(call, "offsets", std::move(object));
  if (offsets.type->is_floating() || offsets.type->bits < 32)
    call.refuse(nb::type_error,
                "offsets has items of " + std::string(offsets.type->name) + "; they must be integers of 32 or 64 bits");
  if (offsets.place != x.place) call.refuse(nb::value_error, "offsets is on another device than x");
  if (offsets.size() == 0)
    call.refuse(nb::value_error, "offsets is empty; it must say where the last segment ends, too");
  return offsets;
}

}  // namespace scantune::python
