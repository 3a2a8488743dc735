// Kernels whose text is in a test.
#pragma once

#include <memory>
#include <string>

#include "device/cuda/cuda_module.h"
#include "device/device.h"

namespace scantune {

class TestKernel {
 public:
  // `source` defines `extern "C" __global__ void kernel(scantune::KernelArguments)`.
  TestKernel(Device& device, const std::string& source, int most_shared_bytes = 0) : device_(device) {
    const Instantiation text{
        "#include \"core/contract/launch.h\"\n" + source, {"core/contract/launch.h"}, {"kernel"}, "a kernel of a test"};
    const int shared_bytes[] = {most_shared_bytes};
    module_ = device.load(device.compiler().compile(text, device.identity().arch), text.kernels, shared_bytes);
  }

  CUfunc_st* function() const { return static_cast<const CudaModule&>(*module_).function(0); }

  void enqueue(const Launch& launch, KernelArguments arguments, Stream stream) const {
    device_.launch(*module_, launch, arguments, stream);
  }

 private:
  Device& device_;
  std::unique_ptr<Module> module_;
};

}  // namespace scantune
