#include "python/rows.h"

#include <utility>

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

Rows rows_along(std::optional<std::size_t> axis, const std::vector<Dimension>& dimensions) {
  std::vector<Dimension> strided, repeated;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const Dimension& dimension = dimensions[i];
    if (i == axis || dimension.size == 1) continue;
    if (dimension.stride == 0)
      repeated.push_back(dimension);
    else if (!strided.empty() && are_one(strided.back(), dimension))
      strided.back() = {strided.back().size * dimension.size, dimension.stride, dimension.out_stride};
    else
      strided.push_back(dimension);
  }
  Rows rows{axis ? dimensions[*axis] : kSingle, take_last(strided), take_last(strided), std::move(strided)};
  rows.of_calls.insert(rows.of_calls.end(), repeated.begin(), repeated.end());
  return rows;
}

Rows rows_of_results(std::optional<std::size_t> axis, const std::vector<Dimension>& dimensions) {
  Rows rows = rows_along(axis, dimensions);
  std::int64_t results = 1;
  for (Dimension* const dimension : {&rows.rows, &rows.planes}) {
    if (dimension->size > 1 && dimension->out_stride != results)
      rows.of_calls.push_back(std::exchange(*dimension, kSingle));
    results *= static_cast<std::int64_t>(dimension->size);
  }
  return rows;
}

}  // namespace scantune::python
