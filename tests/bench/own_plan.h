// scantune as its users call it: a plan of the C interface.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "config/scan.h"

struct scantune_plan;

namespace scantune::bench {

class OwnPlan {
 public:
  // Compiles and loads the kernels, or finds them in the cache. init: an accumulator; null for inclusive scans.
  OwnPlan(const ScanRequest& request, const void* init, int captured_launches);
  ~OwnPlan();
  OwnPlan(const OwnPlan&) = delete;
  OwnPlan& operator=(const OwnPlan&) = delete;

  void run(const void* input, void* output, cudaStream_t stream) const;
  std::string description() const;

 private:
  scantune_plan* plan_ = nullptr;
};

}  // namespace scantune::bench
