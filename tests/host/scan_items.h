// Inputs for which every order of combining gives the same bits, and in which a scan that misses a step is noticed:
// sums and products depend on each item, and extremes and bits keep changing to the end.
#pragma once

#include "test_operator.h"
#include "with_type.h"

namespace scantune {

// request.n items. `custom` is the operator, if the request has a custom one.
Bytes scan_items(const ScanRequest& request, u64 seed, const TestOperator* custom = nullptr);

// An initial accumulator that no narrower type holds, where the operator allows it.
Bytes scan_init(const ScanRequest& request, const TestOperator* custom = nullptr);

// Items for min and max of floating-point numbers: zeros of both signs, then infinities, then a NaN, amid numbers.
Bytes special_items(const ScanRequest& request, u64 seed);

}  // namespace scantune
