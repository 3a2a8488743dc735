// Runs cases: every contender is checked, then all contenders are timed in turn.
#pragma once

#include <cuda_runtime_api.h>

#include <span>
#include <vector>

#include "device/device.h"
#include "measure/ceiling.h"
#include "measure/prepared_config.h"
#include "turns.h"

namespace scantune::bench {

class CaseRunner {
 public:
  // `arena` must be large enough for every case.
  CaseRunner(Device& device, const Arena& arena, cudaStream_t stream)
      : device_(device), arena_(arena), stream_(stream) {}

  // Throws DeviceError when scantune's result is wrong, Error when it cannot make a plan. Others whose results are
  // wrong are not timed, and their results say so.
  CaseResult run(const Case& subject, const Comparison& comparison, const SamplingPolicy& policy);

 private:
  void add_copies(std::vector<Contender>& contenders, const ScanRequest& request, std::span<const Condition> conditions,
                  const Setting& setting);
  std::span<const PreparedConfig> copies_of(const ScanRequest& request);

  Device& device_;
  const Arena& arena_;
  cudaStream_t stream_;
  std::vector<PreparedConfig> copies_;  // copies for the current case
};

}  // namespace scantune::bench
