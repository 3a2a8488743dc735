#include "python/rows.h"

namespace scantune::python {
namespace {

constexpr Dimension kSingle{1, 0, 0};

// Whether the places of both dimensions, in order, are evenly spaced in input and output.
bool are_one(const Dimension& outer, const Dimension& inner) {
  const auto inner_size = static_cast<std::int64_t>(inner.size);
  return outer.stride == inner.stride * inner_size && outer.out_stride == inner.out_stride * inner_size;
}

Dimension take_last(std::vector<Dimension>& dimensions) {
  if (dimensions.empty()) return kSingle;
  const Dimension last = dimensions.back();
  dimensions.pop_back();
  return last;
}

}  // namespace

Rows rows_along(std::size_t axis, const std::vector<Dimension>& dimensions) {
  std::vector<Dimension> others;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const Dimension& dimension = dimensions[i];
    if (i == axis || dimension.size == 1) continue;
    if (!others.empty() && are_one(others.back(), dimension))
      others.back() = {others.back().size * dimension.size, dimension.stride, dimension.out_stride};
    else
      others.push_back(dimension);
  }
  const Dimension rows = take_last(others), planes = take_last(others);
  return {dimensions[axis], rows, planes, others};
}

}  // namespace scantune::python
