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

  // Throws DeviceError when scantune's result is wrong, Error when it cannot make a plan. Others whose results are
  // wrong are not timed, and say so.
  CaseResult run(const Case& subject, const Comparison& comparison, const SamplingPolicy& policy);

 private:
  void add_copies(std::vector<Contender>& contenders, const ScanRequest& request, std::span<const Condition> conditions,
                  const Setting& setting);
  const std::vector<CopyKernel>& copies_of(const ScanRequest& request);

  Device& device_;
  const Arena& arena_;
  cudaStream_t stream_;
  std::map<std::pair<int, int>, std::vector<CopyKernel>> copies_;  // by the sizes of input and output items
};

}  // namespace scantune::bench
