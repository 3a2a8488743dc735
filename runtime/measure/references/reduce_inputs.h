// The inputs of reductions.
#pragma once

#include <cstddef>
#include <span>

#include "measure/references/scan_inputs.h"

namespace scantune {

// Writes the items from `first` on that fill `out`. They are those of the scan whose last results are the reduction's,
// but for sums and products of floating-point numbers with pattern exact. A scan combines neighbours alone, and items
// that telescope stay small. The threads of a reduction combine items that lie far apart, so here every subset stays
// small that is chosen without a look at the values. length: items of each of the reduction's rows or columns.
void fill_reduction_input(const ScanSpec& scan, u64 length, u64 first, std::span<std::byte> out);

}  // namespace scantune
