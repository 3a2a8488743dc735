// Runs of equal neighbours in one-dimensional arrays: what a kernel writes of each.
#pragma once

#include "python/combination.h"
#include "python/counted_results.h"

namespace scantune::python {

// The first key of each run, to results[0], and how many keys it has, to the result at `lengths`, which is int64.
void encode_runs(const Array& keys, const CountedResults& results, std::size_t lengths);

// The first key of each run, to results[0], and the reduction of its items, to results[1].
void reduce_runs(const Array& keys, const Array& x, const Combination& combination, const CountedResults& results);

}  // namespace scantune::python
