// The command line of cub_bench.
#pragma once

#include <vector>

#include "case_result.h"
#include "command_line.h"
#include "sampling.h"

namespace scantune::bench {

struct BenchOptions {
  std::vector<Case> cases;
  Comparison comparison;
  SamplingPolicy sampling;
  bool draws = false;  // whether the cases are drawn
  u64 seed = 0;
  ReportOptions report;
};

// Ends the process with the usage when the arguments are wrong.
BenchOptions parse_bench_options(int count, char** arguments);

}  // namespace scantune::bench
