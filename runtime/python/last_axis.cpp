#include "python/last_axis.h"

namespace nb = nanobind;

namespace scantune::python {

Array LastAxis::of(const std::string& argument, const Array& array) const {
  if (axis_ == last_) return array;
  if (!call_.library().is_known())
    call_.refuse(nb::value_error, "axis is not the last one of x: pass arrays that have it as their last one");
  return call_.input(argument, call_.library().moved(array.object, axis_, last_));
}

nb::object LastAxis::back(const nb::object& array) const {
  return axis_ == last_ ? array : call_.library().moved(array, last_, axis_);
}

Array LastAxis::place_in(const std::string& argument, const Array& array) const {
  Array place = of(argument, array);
  if (!is_contiguous(place))
    call_.refuse(nb::value_error,
                 argument + " is not contiguous with the axis as its last one: leave it out, or pass another");
  return place;
}

std::uint64_t row_length(const Array& rows) { return rows.extents.empty() ? 1 : rows.extents.back().size; }

}  // namespace scantune::python
