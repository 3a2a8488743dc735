// Running a request on arrays.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "python/array.h"
#include "scantune/scantune.h"

namespace scantune::python {

// How many calls of one kind may be alive in graphs, each with a workspace of its own from then on.
constexpr std::int32_t kCapturedLaunches = 1024;

struct ArrayInRole {
  scantune_role role;
  const Array* array;  // or null
};

// Runs a request on contiguous arrays, all on one device, without the GIL. Errors are the library's.
void run(scantune_head& head, std::initializer_list<ArrayInRole> arrays, std::uint64_t stream);

}  // namespace scantune::python
