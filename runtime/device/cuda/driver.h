// The functions of CUDA's driver that scantune calls, resolved at run time. The only place that includes cuda.h.
#pragma once

#include <cuda.h>

#include <string>

#include "support/dynamic_library.h"

namespace scantune {

// clang-format off
#define SCANTUNE_DRIVER_FUNCTIONS(X)                                                                                  \
  X(cuInit) X(cuDriverGetVersion) X(cuGetErrorName) X(cuGetErrorString) X(cuDeviceGet)           \
  X(cuDeviceGetName) X(cuDeviceGetAttribute) X(cuDeviceGetPCIBusId) X(cuDevicePrimaryCtxRetain) X(cuCtxGetCurrent)  \
  X(cuCtxSetCurrent) X(cuCtxPushCurrent) X(cuCtxPopCurrent) X(cuCtxGetDevice) X(cuCtxGetId) X(cuCtxSynchronize)    \
  X(cuModuleLoadData) X(cuModuleUnload) X(cuModuleGetFunction) X(cuFuncSetAttribute) X(cuFuncGetAttribute)         \
  X(cuFuncLoad) X(cuLaunchKernelEx) X(cuOccupancyMaxActiveClusters) X(cuMemAlloc) X(cuMemFree) X(cuMemsetD8Async)    \
  X(cuMemcpyHtoD) X(cuMemcpyDtoH) X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync) X(cuMemcpyDtoDAsync) X(cuMemHostAlloc) \
  X(cuMemFreeHost) X(cuPointerGetAttributes) X(cuStreamCreate) X(cuStreamDestroy) X(cuStreamSynchronize) X(cuStreamGetId)           \
  X(cuStreamGetCtx) X(cuStreamGetCaptureInfo) X(cuStreamBeginCapture) X(cuStreamEndCapture)                        \
  X(cuThreadExchangeStreamCaptureMode) X(cuEventCreate) X(cuEventDestroy) X(cuEventRecord) X(cuEventSynchronize)   \
  X(cuEventElapsedTime) X(cuGraphInstantiate) X(cuGraphDestroy) X(cuGraphExecDestroy) X(cuGraphUpload)              \
  X(cuGraphLaunch) X(cuUserObjectCreate) X(cuUserObjectRelease) X(cuGraphRetainUserObject)
// clang-format on

class Driver {
 public:
  // Opens the library and initialises CUDA. Throws DeviceError, which says what to do, when there is no driver, one
  // that is too old for the headers scantune was built with, or no GPU.
  explicit Driver(const char* library_name);

  // The process's driver; opened at the first call, and tried again while that fails.
  static const Driver& instance() {
    static const Driver kDriver("libcuda.so.1");
    return kDriver;
  }

  // The text is like "CUDA_ERROR_NO_DEVICE (100)"; a driver may know no name.
  std::string name_of(CUresult result) const;

  // cuda.h gives many names a version suffix by macros; the members get the same suffixes.
#define SCANTUNE_DECLARE(function) decltype(&::function) function = nullptr;
  SCANTUNE_DRIVER_FUNCTIONS(SCANTUNE_DECLARE)
#undef SCANTUNE_DECLARE

 private:
  DynamicLibrary library_;
};

}  // namespace scantune
