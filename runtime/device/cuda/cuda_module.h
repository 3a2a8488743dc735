// A cubin loaded into a context.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/cuda/context.h"
#include "device/device.h"

struct CUmod_st;
struct CUfunc_st;

namespace scantune {

// A kernel's resources, as compiled.
struct KernelResources {
  int registers;    // per thread
  int local_bytes;  // per thread; more than 0 means spills or indexed arrays
};

class CudaModule : public Module {
 public:
  // Loads kernels at once that CUDA would load at their first launch. Throws DeviceError. allow_large_clusters permits
  // clusters of more than 8 CTAs, on architectures that have them.
  CudaModule(std::shared_ptr<const CudaContext> context, const Binary& binary, std::span<const std::string> kernels,
             std::span<const int> max_shared_bytes, bool allow_large_clusters);
  ~CudaModule() override;

  CUfunc_st* function(int kernel) const { return functions_[static_cast<std::size_t>(kernel)]; }
  KernelResources resources(int kernel) const;

 private:
  void load_function(const std::string& name, int max_shared_bytes, bool allow_large_clusters);

  std::shared_ptr<const CudaContext> context_;
  CUmod_st* module_ = nullptr;
  std::vector<CUfunc_st*> functions_;
};

}  // namespace scantune
