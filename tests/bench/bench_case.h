// One comparison: a value type and an N.
#pragma once

#include <cuda_runtime_api.h>

#include <span>
#include <string>

#include "gpu_memory.h"
#include "measure/copy_kernel.h"

namespace scantune::bench {

// Microseconds per launch, medians over replays.
struct Times {
  double cold_us = 0;  // rotating over buffers
  double hot_us = 0;   // on one pair of buffers
};

struct CaseResult {
  ValueType type;
  u64 n;
  int launches;  // in one graph
  int buffers;   // pairs that "cold" rotates over
  std::size_t replays;
  Times scantune;
  Times cub;
  Times copy;          // of as many bytes, the fastest copy kernel
  std::string chosen;  // what scantune ran, and why

  double ratio_cold() const { return cub.cold_us / scantune.cold_us; }
  double ratio_hot() const { return cub.hot_us / scantune.hot_us; }
  double copy_share() const { return copy.cold_us / scantune.cold_us; }
};

// The GPU memory of all cases: as much as the largest needs.
class Arena {
 public:
  explicit Arena(u64 most_bytes);              // of one input
  Pairs pairs(u64 bytes, int launches) const;  // as many as launches can use, over up to 512 MiB

 private:
  u64 half_bytes_;
  GpuMemory memory_;
};

// Checks both scans against the CPU first, in poisoned outputs. Then all graphs take turns, replay by replay. Throws
// DeviceError when a result is wrong.
CaseResult run_case(ValueType type, u64 n, const Arena& arena, std::span<const CopyKernel> copies, cudaStream_t stream);

}  // namespace scantune::bench
