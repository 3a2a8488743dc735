// Checks outputs against their inputs on the device, at the speed of its memory.
#pragma once

#include <memory>

#include "device/device.h"
#include "measure/inputs.h"
#include "scantune/error.hpp"

namespace scantune {

// The check on the device disagrees with the CPU's. This says nothing about a config.
struct NoCheck : Error {
  using Error::Error;
};

// The kernels fold each chunk of the input, fold the totals, and walk each chunk again together with the output. They
// share only the operators with the kernels under test. A large output can be wrong in what a small one, checked on the
// CPU, does not show: which values are combined, in which order, and at which addresses.
class DeviceCheck {
 public:
  // Whether the algorithm has a check for the input. Results must not depend on the order of combining.
  static bool exists_for(const InputSpec& input);

  // Compiles the check for requests that differ from this one in n and in what same_results() makes equal. With a
  // custom operator it checks the stand-in. Throws CompileError, and NoCheck unless it agrees with the CPU on right and
  // on spoiled outputs.
  DeviceCheck(Device& device, const Request& request);

  // The index of the first wrong item of the output of n items; n if all are right. Both arrays are on the device.
  u64 first_wrong(const std::byte* input, const std::byte* output, u64 n) const;

 private:
  void prove() const;

  Device& device_;
  Request request_;
  int kernels_;
  KernelArguments arguments_{};  // they hold the initial value
  std::unique_ptr<Module> module_;
};

}  // namespace scantune
