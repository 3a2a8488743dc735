// The contenders and the number of samples of every case.
#pragma once

#include <vector>

#include "case_result.h"

namespace scantune::bench {

struct Comparison {
  std::vector<Condition> conditions;
  // Whether CUB's forced look-ahead, the fastest copy kernel and cudaMemcpyAsync are timed beside scantune and CUB.
  bool with_others = true;
};

struct SamplingPolicy {
  double graph_ms = 30;  // the timed replays of the first contender last about so long
  int fewest = 21;       // least samples of each graph
  int most = 201;
};

// The sampling of draws: all of them first, and those that are doubtful once more.
inline constexpr SamplingPolicy kFirstLook{.graph_ms = 10, .fewest = 9, .most = 41};
constexpr SamplingPolicy second_look(const SamplingPolicy& first) {
  return {.graph_ms = 10 * first.graph_ms, .fewest = first.most, .most = 201};
}

}  // namespace scantune::bench
