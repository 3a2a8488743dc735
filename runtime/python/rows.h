// Arrays of any dimensions and strides as rows along one axis, which is how a request describes them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace scantune::python {

// One dimension of an input and its output. Strides count items.
struct Dimension {
  std::uint64_t size;
  std::int64_t stride;
  std::int64_t out_stride;
};

struct Rows {
  Dimension items;  // of a row
  Dimension rows;   // of a plane
  Dimension planes;
  std::vector<Dimension> of_calls;  // the dimensions beyond these three: a call for each place in them
};

// Merges the other dimensions where their strides allow it. No dimension is empty. A row of one item, if there is no
// axis. Dimensions that repeat the input (a stride of 0, which a request would take for a dense one) become calls.
Rows rows_along(std::optional<std::size_t> axis, const std::vector<Dimension>& dimensions);

}  // namespace scantune::python
