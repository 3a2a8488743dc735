// The calls whose CPU time host_path_bench compares: i32 sums of one n, inclusive, out of place, on one stream.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/contract/types.h"

namespace scantune::bench {

struct HostCall {
  std::string name;
  std::function<void()> call;
};

// The bare driver launch, a plan's call, scan(), and where it was built CUB with its temporary storage given. The calls
// are warm, and keep everything alive that they need.
std::vector<HostCall> calls_of_scans(u64 n);

// The queries that scan() makes to the driver, one by one.
std::vector<HostCall> questions_to_the_driver();

}  // namespace scantune::bench
