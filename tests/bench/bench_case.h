// One comparison with CUB: a problem.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "cub_scan.h"
#include "gpu_memory.h"

namespace scantune {
class Device;
}

namespace scantune::bench {

// Microseconds per launch, medians over replays.
struct Times {
  double cold_us = 0;  // rotating over buffers
  double hot_us = 0;   // on one pair of buffers
};

struct CaseResult {
  ScanRequest request;
  int launches;  // in one graph
  int buffers;   // pairs that "cold" rotates over
  std::size_t replays;
  Times scantune;
  Times cub;
  Times copy;          // of as many bytes on either side, the fastest copy kernel
  std::string chosen;  // what scantune ran, and why

  double ratio_cold() const { return cub.cold_us / scantune.cold_us; }
  double ratio_hot() const { return cub.hot_us / scantune.hot_us; }
  double copy_share() const { return copy.cold_us / scantune.cold_us; }
};

// Checks both scans against the CPU first, in poisoned outputs. Then all graphs take turns, replay by replay. Throws
// DeviceError when a result is wrong.
CaseResult run_case(const ScanRequest& request, CubScan cub, const Arena& arena, Device& device, cudaStream_t stream);

}  // namespace scantune::bench
