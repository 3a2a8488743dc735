#pragma once

#include "scan/parts/problem.h"

namespace scantune {

// The problem for pointers of any alignment.
template <class Problem>
struct AnyPointers : Problem {
  static constexpr ScanVariant kRequest = {static_cast<const ScanRequest&>(Problem::kRequest), Variant::any};
};

}  // namespace scantune
