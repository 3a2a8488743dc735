// The calls whose CPU time host_path_bench compares: i32 sums of one n, inclusive, out of place, on one stream.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/types.h"

namespace scantune::bench {

struct HostCall {
  std::string name;
  std::function<void()> call;
};

// The bare driver launch first, a plan's call, scan(), and CUB with its temporary storage given where it was built.
// Warm, and with everything that they need kept alive.
std::vector<HostCall> calls_of_scans(u64 n);

// What scan() asks the driver, question by question.
std::vector<HostCall> questions_to_the_driver();

}  // namespace scantune::bench
