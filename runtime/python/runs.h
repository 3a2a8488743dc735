// Runs of equal neighbours in one-dimensional arrays: what a kernel writes of each.
#pragma once

#include "python/counted_results.h"

namespace scantune::python {

// The first key of each run, to results[0], and how many keys it has, to the result at `lengths`, which is int64.
void encode_runs(const Array& keys, const CountedResults& results, std::size_t lengths);

}  // namespace scantune::python
