// Checks the offsets of a load balance on the device.
#pragma once

#include <memory>

#include "launch/launch_context.h"
#include "space/operands.h"

namespace scantune {

class OffsetsCheck {
 public:
  OffsetsCheck(const std::shared_ptr<Device>& device, const Request& request);

  // Compiles and loads the kernel, as a first check would. Throws what that throws.
  void load();

  // Waits for the stream. Throws a RequestError that names the first invalid offset, or the argument that prevents the
  // check: offsets outside the device's memory, or a stream that is being captured.
  void check(const void* offsets, Stream stream) const;

 private:
  void check_arguments(const void* offsets, Stream stream) const;
  std::shared_ptr<const LoadedModule> loaded() const;
  u64 first_wrong(const Module& module, const void* offsets, Stream stream) const;  // if none is, their number
  std::string fault_at(const void* offsets, u64 index, Stream stream) const;

  LaunchContext& context_;
  Request request_;
  RequestOperand operand_;
  std::shared_ptr<const LoadedModule> module_;
};

}  // namespace scantune
