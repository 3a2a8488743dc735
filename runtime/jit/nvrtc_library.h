// The functions of NVRTC that scantune calls, resolved at run time. The only place that includes nvrtc.h.
#pragma once

#include <nvrtc.h>

#include <string>
#include <vector>

#include "jit/nvrtc_compiler.h"
#include "support/dynamic_library.h"

namespace scantune {

// clang-format off
#define SCANTUNE_NVRTC_FUNCTIONS(X)                                                                                  \
  X(nvrtcVersion) X(nvrtcGetErrorString) X(nvrtcCreateProgram) X(nvrtcDestroyProgram) X(nvrtcCompileProgram)        \
  X(nvrtcGetProgramLogSize) X(nvrtcGetProgramLog) X(nvrtcGetCUBINSize) X(nvrtcGetCUBIN) X(nvrtcGetNumSupportedArchs) \
  X(nvrtcGetSupportedArchs)
// clang-format on

class NvrtcLibrary {
 public:
  // Throws DeviceError, which lists what was tried, when NVRTC cannot be opened or is too old.
  explicit NvrtcLibrary(const std::vector<std::string>& candidates);

  // The process's NVRTC; opened at the first call, and tried again while that fails.
  static const NvrtcLibrary& instance();

  NvrtcVersion version() const;
  std::vector<int> supported_sms() const;

#define SCANTUNE_DECLARE(function) decltype(&::function) function = nullptr;
  SCANTUNE_NVRTC_FUNCTIONS(SCANTUNE_DECLARE)
#undef SCANTUNE_DECLARE

 private:
  DynamicLibrary library_;
};

}  // namespace scantune
