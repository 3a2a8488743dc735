#include "python/axis.h"

#include <string>

namespace nb = nanobind;

namespace scantune::python {
namespace {

std::optional<std::size_t> checked_axis(const Call& call, std::int64_t axis, std::size_t dimensions) {
  const auto count = static_cast<std::int64_t>(dimensions);
  if (count == 0 && (axis == 0 || axis == -1)) return std::nullopt;
  if (axis < -count || axis >= count)
    call.refuse(nb::index_error,
                "axis is " + std::to_string(axis) + ", and x has " + std::to_string(count) + " dimensions");
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

}  // namespace

std::pair<Array, std::optional<std::size_t>> array_and_axis(const Call& call, const nb::object& object,
                                                            const AxisArgument& argument) {
  Array x = call.input("x", object);
  if (!argument.axis && argument.no_axis == NoAxis::is_refused && x.extents.size() > 1)
    call.refuse(nb::value_error,
                "axis is None, and x has " + std::to_string(x.extents.size()) + " dimensions: name one");
  const auto axis = argument.axis ? checked_axis(call, *argument.axis, x.extents.size()) : std::nullopt;
  if ((axis && argument.axis) || (argument.keeps_no_dimension && x.extents.empty())) return {std::move(x), axis};
  if (x.extents.size() != 1) x = call.flattened(x);
  return {std::move(x), 0};
}

Array without_repeats(const Call& call, Array x, std::optional<std::size_t> axis) {
  if (axis && x.repeats_items_along(*axis)) return call.contiguous("x", x);
  return x;
}

}  // namespace scantune::python
