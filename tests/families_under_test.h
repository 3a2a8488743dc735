// The families of scans, and a request for a family of any algorithm.
#pragma once

#include <span>

#include "space/space.h"

namespace scantune {

inline std::span<const FamilyModel* const> scan_families() { return algorithm_of<ScanRequest>().families(); }

inline Request plain_request(const FamilyModel& family, u64 n) {
  Request request(family.algorithm());
  request.n = n;
  return request;
}

}  // namespace scantune
