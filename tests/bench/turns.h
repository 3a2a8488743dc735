// Contenders timed in turn, replay by replay, so that drifting clocks touch all alike.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "case_result.h"
#include "gpu_memory.h"
#include "replayed_graph.h"
#include "sampling.h"

namespace scantune::bench {

struct Contender {
  Role role;
  std::string name;
  std::function<void(const void* input, void* output, cudaStream_t stream)> enqueue;  // one launch; may be captured
};

struct Setting {
  const Pairs& pairs;
  int launches;  // number in one graph
  cudaStream_t stream;
};

// The contender's launches, over all pairs or on the first one alone.
ReplayedGraph graph_of(const Contender& contender, Condition condition, const Setting& setting);

struct TimedInTurn {
  std::vector<ContenderTimes> times;  // in the order of the contenders
  int samples;                        // number for every graph
};

// At least one contender and one condition; the first contender's speed decides on the number of samples.
TimedInTurn time_in_turn(std::span<const Contender> contenders, std::span<const Condition> conditions,
                         const Setting& setting, const SamplingPolicy& policy);

}  // namespace scantune::bench
