// Arrays with the axis of a call as their last one, for requests that take rows of items next to each other.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "python/call.h"
#include "scantune/scantune.h"

namespace scantune::python {

class LastAxis {
 public:
  // axis: none of a 0-d array.
  LastAxis(const Call& call, std::optional<std::size_t> axis, std::size_t dimensions)
      : call_(call), last_(dimensions - 1), axis_(axis.value_or(last_)) {}

  // An input with the axis as its last one: a view if that is contiguous, or else a copy. Throws ValueError if the
  // array's library is unknown and the axis is not the last one.
  Array rows_of(const std::string& argument, const Array& array) const {
    return call_.contiguous(argument, of(argument, array));
  }
  // A view of an array for results, which a kernel writes as such rows. Throws ValueError also if it is not contiguous.
  Array place_in(const std::string& argument, const Array& array) const;
  // Results that were made as such rows, with the axis where it is in the caller's array.
  nanobind::object back(const nanobind::object& array) const;

 private:
  Array of(const std::string& argument, const Array& array) const;

  const Call& call_;
  std::size_t last_, axis_;
};

// How many items a row has: 1 of a 0-d array.
std::uint64_t row_length(const Array& rows);

// Describes contiguous rows, not empty ones, to a request that takes SCANTUNE_ROWS.
template <class Request>
void take_rows(const Array& rows, Request& request) {
  request.head.n = rows.size();
  const std::uint64_t length = row_length(rows);
  if (length == rows.size()) return;
  request.segments = SCANTUNE_ROWS;
  request.rows = rows.size() / length;
}

}  // namespace scantune::python
