#include "turns.h"

#include <algorithm>

#include "gpu_kernels.h"

namespace scantune::bench {
namespace {

// One graph and its samples.
struct Runner {
  ReplayedGraph graph;
  std::vector<double> samples_us;

  void sample() { samples_us.push_back(graph.time_us()); }
};

Runner ordinary_kernels(const Setting& setting) {
  return {{setting.stream, setting.launches, [](cudaStream_t stream, int) { enqueue_ordinary_kernel(stream); }}, {}};
}

int samples_of(const Runner& runner, int launches, const SamplingPolicy& policy) {
  const double graph_ms = 1e-3 * runner.graph.time_us() * launches;
  return static_cast<int>(
      std::clamp(policy.graph_ms / graph_ms, static_cast<double>(policy.fewest), static_cast<double>(policy.most)));
}

}  // namespace

ReplayedGraph graph_of(const Contender& contender, Condition condition, const Setting& setting) {
  const int buffers = is_cold(condition) ? setting.pairs.count() : 1;
  return {setting.stream, setting.launches, [&](cudaStream_t stream, int launch) {
            if (is_isolated(condition)) enqueue_ordinary_kernel(stream);
            contender.enqueue(setting.pairs.inputs[launch % buffers], setting.pairs.outputs[launch % buffers], stream);
          }};
}

TimedInTurn time_in_turn(std::span<const Contender> contenders, std::span<const Condition> conditions,
                         const Setting& setting, const SamplingPolicy& policy) {
  std::vector<std::vector<Runner>> runners(contenders.size());  // indexed by contender and condition
  for (std::size_t one = 0; one < contenders.size(); ++one)
    for (const Condition condition : conditions)
      runners[one].push_back({graph_of(contenders[one], condition, setting), {}});
  Runner others = ordinary_kernels(setting);

  const int samples = samples_of(runners.front().front(), setting.launches, policy);
  const bool isolates = std::ranges::any_of(conditions, is_isolated);
  for (int sample = 0; sample < samples; ++sample) {
    if (isolates) others.sample();
    for (std::vector<Runner>& one : runners)
      for (Runner& runner : one) runner.sample();
  }

  TimedInTurn result{{}, samples};
  for (std::size_t one = 0; one < contenders.size(); ++one) {
    ContenderTimes& times = result.times.emplace_back(contenders[one].role, contenders[one].name);
    for (std::size_t place = 0; place < conditions.size(); ++place) {
      const bool isolated = is_isolated(conditions[place]);
      times.times[conditions[place]] =
          time_of(runners[one][place].samples_us, isolated ? others.samples_us : std::vector<double>{});
    }
  }
  return result;
}

}  // namespace scantune::bench
