// Times contenders against each other, interleaved, so that drifting clocks affect all alike.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "device/device.h"

namespace scantune {

struct MeasurePolicy {
  int rounds = 5;           // samples of each contender
  double min_round_ms = 2;  // how long one sample lasts at least
  bool rotate = true;       // over buffers that stay in L2 or exceed it by far (rotation.h); else one buffer, hot
  bool ceiling = false;     // also time the fastest copy of as many bytes
  std::optional<double> slower_than = std::nullopt;  // drop what the probe finds slower than this factor of the fastest
};

struct Measurement {
  double median_us = 0;            // median time of one run
  double spread = 0;               // interquartile range over the median
  std::vector<double> samples_us;  // in the order in which they were taken
  int launches_per_sample = 0;
  std::optional<int> sm_clock_mhz = std::nullopt;
  bool probe_only = false;  // dropped after the probe, which is its one sample
};

struct Contender {
  std::string name;                                 // for messages
  std::function<void(Stream, int buffer)> enqueue;  // one run, in the buffer of that index
  bool is_ceiling = false;                          // only the fastest of these is timed beyond the probe
};

// Runs that are enqueued together, in one graph on a GPU, taking the buffers in turn.
struct Batch {
  int launches = 1;
  int buffers = 1;
  // Enqueued before each run, which takes the same buffer, and after the last. Its own time, measured in the same
  // round, is subtracted. Null: runs are back to back.
  std::function<void(Stream, int buffer)> neighbour = nullptr;
};

struct MeasureFailure {
  std::string message;
  bool fatal = false;      // the device is lost
  bool of_device = false;  // it may succeed at another time: nothing is wrong with the contender
};

using MeasureOutcome = std::variant<Measurement, MeasureFailure>;

// The outcomes, in the order of the contenders. A contender that the device refuses fails alone; once the device is
// lost or refuses the neighbour, every contender does. Between neighbours, the time of a run is what it adds to theirs;
// if that is within their variation, the run has no time.
std::vector<MeasureOutcome> race(Device& device, std::span<const Contender> contenders, const Batch& batch,
                                 const MeasurePolicy& policy);

// Whether the device still works.
bool is_alive(Device& device) noexcept;

}  // namespace scantune
