// Inputs of which every order of combining gives the same bits, and which no step of a scan may miss: sums and products
// depend on each item, and extremes and bits keep changing to the end.
#pragma once

#include "test_operator.h"
#include "with_type.h"

namespace scantune {

// request.n items. custom: the operator, if the request's is one.
Bytes scan_items(const ScanRequest& request, u64 seed, const TestOperator* custom = nullptr);

// An accumulator to start from that no narrower type holds, where the operator allows it.
Bytes scan_init(const ScanRequest& request, const TestOperator* custom = nullptr);

// For min and max of floating-point numbers: zeros of both signs, then infinities, then a NaN, amid numbers.
Bytes special_items(const ScanRequest& request, u64 seed);

}  // namespace scantune
