// The inputs of reductions.
#pragma once

#include <cstddef>
#include <span>

#include "measure/references/scan_inputs.h"

namespace scantune {

// Fills `out` with the items from `first` on. They are those of the scan whose last results are the reduction's, except
// for sums and products of floating-point numbers with pattern exact. A scan combines neighbours only, so telescoping
// items stay small. The threads of a reduction combine items that are far apart, so here every subset chosen without
// regard to the values stays small. length: items of each of the reduction's rows or columns.
void fill_reduction_input(const ScanSpec& scan, u64 length, u64 first, std::span<std::byte> out);

}  // namespace scantune
