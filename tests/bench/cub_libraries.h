// The builds of CUB that this benchmark was linked with.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "case_result.h"
#include "cub_reduce.h"
#include "cub_scan.h"

namespace scantune::bench {

struct CubLibrary {
  std::string name;  // "CUB 3.0.1"
  Role role;
  CubScan (*find)(const ScanRequest& request);                // returns null for what is not built
  CubReduce (*find_reduction)(const ReduceRequest& request);  // the same
};

// The builds of CUB; that of the toolkit comes first.
std::span<const CubLibrary> cub_libraries();

// Whether the request can be compared with CUB.
bool is_compared(const Request& request);

}  // namespace scantune::bench
