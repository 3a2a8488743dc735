// What a scan must return, by the plainest loop.
#pragma once

#include <optional>

#include "test_operator.h"
#include "with_type.h"

namespace scantune {

// The results for items in memory. init: an accumulator, or null. custom: the operator, if the request's is one.
Bytes expected_scan(const ScanRequest& request, const Bytes& items, const void* init,
                    const TestOperator* custom = nullptr);

// The first result that differs, and how; nullopt if none does. NaNs are equal, and bytes of padding do not count.
std::optional<std::string> difference(const ScanRequest& request, const unsigned char* found, const Bytes& expected,
                                      const TestOperator* custom = nullptr);

}  // namespace scantune
