// scantune as its users call it: a plan of the C interface.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "reduce/config/reduce.h"
#include "scan/config/scan.h"

struct scantune_plan;

namespace scantune::bench {

class OwnPlan {
 public:
  // Compiles and loads the kernels, or finds them in the cache. `init` is an accumulator, or null for none.
  OwnPlan(const ScanRequest& request, const void* init, int captured_launches);
  // A reduction without an initial value.
  OwnPlan(const ReduceRequest& request, int captured_launches);
  ~OwnPlan();
  OwnPlan(const OwnPlan&) = delete;
  OwnPlan& operator=(const OwnPlan&) = delete;

  // `index` is written where a position is asked for; it may be null elsewhere.
  void run(const void* input, void* output, u64* index, cudaStream_t stream) const;
  std::string description() const;

 private:
  scantune_plan* plan_ = nullptr;
  bool has_index_ = false;
};

}  // namespace scantune::bench
