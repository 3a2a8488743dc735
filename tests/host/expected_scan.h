// The expected results of scans, by a plain loop.
#pragma once

#include <optional>

#include "test_operator.h"
#include "with_type.h"

namespace scantune {

// The results for items in memory. `init` is an accumulator or null; `custom` is the operator, if the request has a
// custom one.
Bytes expected_scan(const ScanRequest& request, const Bytes& items, const void* init,
                    const TestOperator* custom = nullptr);

// The last result of such an inclusive scan; of no items the initial value.
Bytes expected_total(const ScanRequest& request, const Bytes& items, const void* init,
                     const TestOperator* custom = nullptr);

// The first result that differs, and how; nullopt if none differs. NaNs are equal, and bytes of padding do not count.
std::optional<std::string> difference(const ScanRequest& request, const unsigned char* found, const Bytes& expected,
                                      const TestOperator* custom = nullptr);

}  // namespace scantune
