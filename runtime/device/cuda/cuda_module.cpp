#include "device/cuda/cuda_module.h"

#include "device/cuda/driver.h"
#include "scantune/error.hpp"

namespace scantune {

CudaModule::CudaModule(std::shared_ptr<const CudaContext> context, const Binary& binary,
                       std::span<const std::string> kernels, std::span<const int> max_shared_bytes,
                       bool allow_large_clusters)
    : context_(std::move(context)) {
  if (kernels.size() != max_shared_bytes.size())
    throw DeviceError("a module of " + std::to_string(kernels.size()) + " kernels was given " +
                      std::to_string(max_shared_bytes.size()) + " sizes of shared memory");
  context_->refuse_if_failed();
  const CurrentContext current(*context_);
  const OutsideCaptures outside;
  context_->check(Driver::instance().cuModuleLoadData(&module_, binary.image.data()), "cuModuleLoadData");
  try {
    for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel)
      load_function(kernels[kernel], max_shared_bytes[kernel], allow_large_clusters);
  } catch (...) {
    Driver::instance().cuModuleUnload(module_);
    throw;
  }
}

CudaModule::~CudaModule() {
  try {
    const CurrentContext current(*context_);
    const OutsideCaptures outside;
    Driver::instance().cuModuleUnload(module_);
  } catch (const DeviceError&) {  // the context is gone, and the module with it
  }
}

void CudaModule::load_function(const std::string& name, int max_shared_bytes, bool allow_large_clusters) {
  const Driver& driver = Driver::instance();
  CUfunction function = nullptr;
  context_->check(driver.cuModuleGetFunction(&function, module_, name.c_str()),
                  ("cuModuleGetFunction of " + name).c_str());
  context_->check(driver.cuFuncLoad(function), "cuFuncLoad");
  context_->check(
      driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, max_shared_bytes),
      ("cuFuncSetAttribute of " + std::to_string(max_shared_bytes) + " bytes of shared memory for " + name).c_str());
  if (allow_large_clusters)
    context_->check(driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                    ("cuFuncSetAttribute of clusters of more than 8 CTAs for " + name).c_str());
  functions_.push_back(function);
}

KernelResources CudaModule::resources(int kernel) const {
  const CurrentContext current(*context_);
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    context_->check(Driver::instance().cuFuncGetAttribute(&value, which, function(kernel)), "cuFuncGetAttribute");
    return value;
  };
  return {attribute(CU_FUNC_ATTRIBUTE_NUM_REGS), attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)};
}

}  // namespace scantune
