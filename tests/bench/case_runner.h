// Runs cases: every scan is checked, then all contenders are timed in turn.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "contest.h"
#include "device/device.h"
#include "measure/copy_kernel.h"

namespace scantune::bench {

class CaseRunner {
 public:
  // arena: large enough for every case.
  CaseRunner(Device& device, const Arena& arena, cudaStream_t stream)
      : device_(device), arena_(arena), stream_(stream) {}

  // Throws DeviceError when a result is wrong, Error when scantune cannot make a plan.
  CaseResult run(const Case& subject, const Comparison& comparison, const SamplingPolicy& policy);

 private:
  void add_copies(std::vector<Contender>& contenders, const ScanRequest& request, const Setting& setting);
  const CopyKernel& fastest_copy(const ScanRequest& request, const Setting& setting);

  Device& device_;
  const Arena& arena_;
  cudaStream_t stream_;
  std::map<std::pair<int, int>, std::vector<CopyKernel>> copies_;  // by the sizes of input and output items
};

}  // namespace scantune::bench
