// The axis of an array along which a function works.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "python/call.h"

namespace scantune::python {

enum class NoAxis { flattens, is_refused };  // what axis=None means beyond one dimension

struct AxisArgument {
  std::optional<std::int64_t> axis;
  NoAxis no_axis = NoAxis::is_refused;
  bool keeps_no_dimension = false;  // a 0-d array stays 0-d, and does not become 1-d
};

// The array that the object is, as one dimension or with its axis; without one, a 0-d array. Throws IndexError or
// ValueError.
std::pair<Array, std::optional<std::size_t>> array_and_axis(const Call& call, const nanobind::object& object,
                                                            const AxisArgument& argument);

// The same array, or a copy of one that repeats one item along the axis.
Array without_repeats(const Call& call, Array x, std::optional<std::size_t> axis);

}  // namespace scantune::python
