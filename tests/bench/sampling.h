// What is measured of every case, and how often.
#pragma once

#include <vector>

#include "case_result.h"

namespace scantune::bench {

struct Comparison {
  std::vector<Condition> conditions;
  // CUB's forced look-ahead, the fastest copy kernel and cudaMemcpyAsync beside scantune and CUB.
  bool with_others = true;
};

struct SamplingPolicy {
  double graph_ms = 30;  // the timed replays of the first contender last about so long
  int fewest = 21;       // samples of each graph
  int most = 201;
};

// How draws are sampled: a first look, and a second at those that are doubtful.
inline constexpr SamplingPolicy kFirstLook{.graph_ms = 10, .fewest = 9, .most = 41};
constexpr SamplingPolicy second_look(const SamplingPolicy& first) {
  return {.graph_ms = 10 * first.graph_ms, .fewest = first.most, .most = 201};
}

}  // namespace scantune::bench
