// Arrays of any dimensions and strides as rows along one axis, which is how a request describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

// The same for functions with one result per row, which are written one after the other: dimensions whose results are
// not become calls.
Rows rows_of_results(std::optional<std::size_t> axis, const std::vector<Dimension>& dimensions);

// Calls run(input, output) for each place in some dimensions, the pointers being those of its items and results.
template <class Run>
void for_each_place(std::span<const Dimension> dimensions, std::size_t item_bytes, std::size_t out_bytes,
                    const std::byte* input, std::byte* output, const Run& run) {
  if (dimensions.empty()) return run(input, output);
  const Dimension& dimension = dimensions.front();
  for (std::int64_t place = 0; place < static_cast<std::int64_t>(dimension.size); ++place)
    for_each_place(dimensions.subspan(1), item_bytes, out_bytes,
                   input + place * dimension.stride * static_cast<std::int64_t>(item_bytes),
                   output + place * dimension.out_stride * static_cast<std::int64_t>(out_bytes), run);
}

}  // namespace scantune::python
