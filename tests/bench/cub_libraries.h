// The builds of CUB that this benchmark was linked with.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "case_result.h"
#include "cub_scan.h"

namespace scantune::bench {

struct CubLibrary {
  std::string name;  // "CUB 3.0.1"
  Role role;
  CubScan (*find)(const ScanRequest& request);  // null for what is not built
};

// CUB of the toolkit first.
std::span<const CubLibrary> cub_libraries();

// Whether the request can be compared with CUB.
bool is_compared(const ScanRequest& request);

}  // namespace scantune::bench
