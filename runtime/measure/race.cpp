#include "measure/race.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "measure/statistics.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr double kShortProbeUs = 5000;  // a probe this short is repeated: the first one may have met cold caches
constexpr int kMostReplays = 1 << 20;
constexpr int kNeighbourProbes = 2;  // probes after one that warms up

class Race {
 public:
  Race(Device& device, std::span<const Contender> contenders, const Batch& batch, const MeasurePolicy& policy)
      : device_(device), batch_(batch), policy_(policy) {
    runners_.assign(contenders.begin(), contenders.end());
  }

  std::vector<MeasureOutcome> run() {
    with_neighbours([&] { probe_neighbours(); });
    for (Runner& runner : runners_) guarded(runner, [&] { probe(runner); });
    drop_slow();
    for (int round = 0; round < policy_.rounds; ++round) {
      with_neighbours([&] { time_neighbours(neighbour_replays_); });
      for (Runner& runner : runners_)
        if (runner.runs) guarded(runner, [&] { sample(runner, round); });
    }
    std::vector<MeasureOutcome> outcomes;
    outcomes.reserve(runners_.size());
    for (const Runner& runner : runners_) outcomes.push_back(outcome(runner));
    return outcomes;
  }

 private:
  struct Runner {
    Runner(const Contender& runs_this) : contender(&runs_this) {}

    const Contender* contender;
    double probe_us = std::numeric_limits<double>::infinity();  // time of one run
    int replays = 1;                                            // replays in one sample
    std::vector<double> samples_us;
    std::optional<int> sm_clock_mhz;
    std::optional<MeasureFailure> failure;
    bool runs = true;

    bool is_ceiling() const { return contender->is_ceiling; }
  };

  using Enqueue = std::function<void(Stream, int buffer)>;

  // Times one run with its share of the neighbours; where there is no run, that share alone.
  double time_us(const Enqueue& run, int replays) {
    const auto enqueue = [&](Stream stream) {
      for (int launch = 0; launch < batch_.launches; ++launch) {
        const int buffer = launch % batch_.buffers;
        if (batch_.neighbour) batch_.neighbour(stream, buffer);
        if (run) run(stream, buffer);
      }
      if (batch_.neighbour) batch_.neighbour(stream, 0);
    };
    return device_.time_us(enqueue, replays) / batch_.launches;
  }

  double probed_us(const Enqueue& run) {
    const double first_us = time_us(run, 1);
    return first_us * batch_.launches < kShortProbeUs ? std::min(first_us, time_us(run, 1)) : first_us;
  }

  void probe_neighbours() {
    time_us({}, 1);
    for (int probe = 0; probe < kNeighbourProbes; ++probe) time_neighbours(1);
    neighbour_replays_ = replays_of(alone_us_.back());
  }

  void time_neighbours(int replays) { alone_us_.push_back(time_us({}, replays)); }

  // A difference smaller than their noise may be negative.
  double without_neighbours(double together_us) const {
    return alone_us_.empty() ? together_us : together_us - alone_us_.back();
  }

  // By how much the neighbours' own time varies: no difference to them is known better.
  double noise_us() const { return alone_us_.empty() ? 0 : quantile(alone_us_, 0.75) - quantile(alone_us_, 0.25); }

  int replays_of(double run_us) const {
    if (run_us <= 0) return 1;  // the clock did not move
    const double wanted = std::ceil(1000 * policy_.min_round_ms / (run_us * batch_.launches));
    return static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(kMostReplays)));
  }

  void probe(Runner& runner) {
    const double together_us = probed_us(runner.contender->enqueue);
    runner.probe_us = without_neighbours(together_us);
    runner.replays = replays_of(together_us);
  }

  void sample(Runner& runner, int round) {
    runner.samples_us.push_back(without_neighbours(time_us(runner.contender->enqueue, runner.replays)));
    if (round == policy_.rounds - 1) runner.sm_clock_mhz = device_.sm_clock_mhz();
  }

  double fastest_probe_us(bool ceiling) const {
    double fastest = std::numeric_limits<double>::infinity();
    for (const Runner& runner : runners_)
      if (runner.is_ceiling() == ceiling) fastest = std::min(fastest, runner.probe_us);
    return fastest;
  }

  void drop_slow() {
    const double fastest_scan = std::max(0.0, fastest_probe_us(false)), fastest_copy = fastest_probe_us(true);
    const double noise = noise_us();
    for (Runner& runner : runners_) {
      if (runner.is_ceiling())
        runner.runs = runner.runs && runner.probe_us <= fastest_copy;
      else if (policy_.slower_than)
        runner.runs = runner.runs && runner.probe_us - noise <= *policy_.slower_than * (fastest_scan + noise);
    }
  }

  // A failure of the neighbours says nothing of a contender, and leaves nothing to compare with.
  template <class Action>
  void with_neighbours(const Action& action) {
    if (!batch_.neighbour || !lost_.empty() || neighbours_fault_) return;
    try {
      action();
    } catch (const DeviceError& error) {
      note_if_lost(error);
      neighbours_fault_ = {std::string("what is enqueued between the runs: ") + error.what(), !lost_.empty(), true};
      for (Runner& runner : runners_) runner.runs = false;
    }
  }

  template <class Action>
  void guarded(Runner& runner, const Action& action) {
    if (neighbours_fault_) return;
    if (lost_.empty()) {
      try {
        return action();
      } catch (const DeviceError& error) {
        note_if_lost(error);
        runner.failure = {runner.contender->name + ": " + error.what(), !lost_.empty()};
      }
    } else if (!runner.failure) {
      runner.failure = lost();
    }
    runner.runs = false;
  }

  void note_if_lost(const DeviceError& error) {
    if (!is_alive(device_)) lost_ = error.what();
  }

  MeasureFailure lost() const { return {"not measured, because the device was lost: " + lost_, true}; }

  MeasureOutcome outcome(const Runner& runner) const {
    if (runner.failure) return *runner.failure;
    if (neighbours_fault_) return *neighbours_fault_;
    if (!lost_.empty()) return lost();
    const bool probe_only = runner.samples_us.empty();
    const double median_us = probe_only ? runner.probe_us : quantile(runner.samples_us, 0.5);
    if (batch_.neighbour && median_us <= noise_us()) return within_noise(runner, median_us);
    if (probe_only)
      return Measurement{.median_us = median_us,
                         .samples_us = {median_us},
                         .launches_per_sample = batch_.launches,
                         .probe_only = true};
    return Measurement{.median_us = median_us,
                       .spread = spread(runner.samples_us),
                       .samples_us = runner.samples_us,
                       .launches_per_sample = batch_.launches * runner.replays,
                       .sm_clock_mhz = runner.sm_clock_mhz};
  }

  MeasureFailure within_noise(const Runner& runner, double median_us) const {
    char text[256];
    std::snprintf(text, sizeof text,
                  ": the %.3g us that it adds to the kernels around it are within the %.3g us by which their own time "
                  "varies; measure again while nothing else uses the device",
                  median_us, noise_us());
    return {runner.contender->name + text, false, true};
  }

  Device& device_;
  Batch batch_;
  MeasurePolicy policy_;
  std::vector<Runner> runners_;
  std::vector<double> alone_us_;  // times of a run's share of the neighbours, the last in the current round
  int neighbour_replays_ = 1;
  std::optional<MeasureFailure> neighbours_fault_;
  std::string lost_;  // why the device was lost; empty while it is well
};

}  // namespace

std::vector<MeasureOutcome> race(Device& device, std::span<const Contender> contenders, const Batch& batch,
                                 const MeasurePolicy& policy) {
  return Race(device, contenders, batch, policy).run();
}

bool is_alive(Device& device) noexcept {
  try {
    device.synchronize();
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace scantune
