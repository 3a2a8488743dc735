#include "measure/race.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/statistics.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr double kShortProbeUs = 5000;  // a probe this short is repeated: the first one may have met cold caches
constexpr int kMostReplays = 1 << 20;
constexpr double kLeastUs = 1e-3;  // no run takes less, though the difference of two times may say so

class Race {
 public:
  Race(Device& device, std::span<const Contender> contenders, const Batch& batch, const MeasurePolicy& policy)
      : device_(device), batch_(batch), policy_(policy) {
    runners_.assign(contenders.begin(), contenders.end());
  }

  std::vector<MeasureOutcome> run() {
    if (batch_.neighbour) neighbour_us_ = probed_us({});
    for (Runner& runner : runners_) guarded(runner, [&] { probe(runner); });
    drop_slow();
    const int neighbour_replays = replays_of(neighbour_us_);
    for (int round = 0; round < policy_.rounds; ++round) {
      if (batch_.neighbour && lost_.empty()) neighbour_us_ = time_us({}, neighbour_replays);
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
    double probe_us = std::numeric_limits<double>::infinity();  // of one run
    int replays = 1;                                            // in one sample
    std::vector<double> samples_us;
    std::optional<int> sm_clock_mhz;
    std::optional<MeasureFailure> failure;
    bool runs = true;

    bool is_ceiling() const { return contender->is_ceiling; }
  };

  using Enqueue = std::function<void(Stream, int buffer)>;

  // Of one run with its neighbour; of the neighbour alone where there is no run.
  double time_us(const Enqueue& run, int replays) {
    const auto enqueue = [&](Stream stream) {
      for (int launch = 0; launch < batch_.launches; ++launch) {
        if (batch_.neighbour) batch_.neighbour(stream);
        if (run) run(stream, launch % batch_.buffers);
      }
    };
    return device_.time_us(enqueue, replays) / batch_.launches;
  }

  double probed_us(const Enqueue& run) {
    const double first_us = time_us(run, 1);
    return first_us * batch_.launches < kShortProbeUs ? std::min(first_us, time_us(run, 1)) : first_us;
  }

  double without_neighbour(double together_us) const {
    return batch_.neighbour ? std::max(together_us - neighbour_us_, kLeastUs) : together_us;
  }

  int replays_of(double run_us) const {
    if (run_us <= 0) return 1;  // the clock did not move
    const double wanted = std::ceil(1000 * policy_.min_round_ms / (run_us * batch_.launches));
    return static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(kMostReplays)));
  }

  void probe(Runner& runner) {
    const double together_us = probed_us(runner.contender->enqueue);
    runner.probe_us = without_neighbour(together_us);
    runner.replays = replays_of(together_us);
  }

  void sample(Runner& runner, int round) {
    runner.samples_us.push_back(without_neighbour(time_us(runner.contender->enqueue, runner.replays)));
    if (round == policy_.rounds - 1) runner.sm_clock_mhz = device_.sm_clock_mhz();
  }

  double fastest_probe_us(bool ceiling) const {
    double fastest = std::numeric_limits<double>::infinity();
    for (const Runner& runner : runners_)
      if (runner.is_ceiling() == ceiling) fastest = std::min(fastest, runner.probe_us);
    return fastest;
  }

  void drop_slow() {
    const double fastest_scan = fastest_probe_us(false), fastest_copy = fastest_probe_us(true);
    for (Runner& runner : runners_) {
      if (runner.is_ceiling())
        runner.runs = runner.runs && runner.probe_us <= fastest_copy;
      else if (policy_.slower_than)
        runner.runs = runner.runs && runner.probe_us <= *policy_.slower_than * fastest_scan;
    }
  }

  template <class Action>
  void guarded(Runner& runner, const Action& action) {
    if (lost_.empty()) {
      try {
        return action();
      } catch (const DeviceError& error) {
        const bool alive = is_alive(device_);
        runner.failure = {runner.contender->name + ": " + error.what(), !alive};
        if (!alive) lost_ = runner.failure->message;
      }
    } else if (!runner.failure) {
      runner.failure = {"not measured, because the device was lost: " + lost_, true};
    }
    runner.runs = false;
  }

  MeasureOutcome outcome(const Runner& runner) const {
    if (runner.failure) return *runner.failure;
    if (!lost_.empty()) return MeasureFailure{"not measured, because the device was lost: " + lost_, true};
    if (runner.samples_us.empty())
      return Measurement{
          .median_us = runner.probe_us, .samples = 1, .launches_per_sample = batch_.launches, .probe_only = true};
    return Measurement{.median_us = quantile(runner.samples_us, 0.5),
                       .spread = spread(runner.samples_us),
                       .samples = static_cast<int>(runner.samples_us.size()),
                       .launches_per_sample = batch_.launches * runner.replays,
                       .sm_clock_mhz = runner.sm_clock_mhz};
  }

  Device& device_;
  Batch batch_;
  MeasurePolicy policy_;
  std::vector<Runner> runners_;
  double neighbour_us_ = 0;  // in the current round
  std::string lost_;         // why the device was lost; empty while it is well
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
