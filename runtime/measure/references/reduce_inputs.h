// The inputs of reductions.
#pragma once

#include <cstddef>
#include <span>

#include "measure/references/scan_inputs.h"

namespace scantune {

// As a scan's, but for sums and products of floating-point numbers with pattern exact. A scan combines neighbours
// alone, and items that telescope stay small. The threads of a reduction combine items that lie far apart, so here
// every subset stays small that is chosen without a look at the values. scan: the scan whose last results are the
// reduction's; row_items: items of each of its rows.
void fill_reduction_input(const ScanSpec& scan, u64 row_items, u64 first, std::span<std::byte> out);

}  // namespace scantune
