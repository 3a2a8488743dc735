// Checks the offsets of a load balance on the device.
#pragma once

#include <memory>

#include "launch/launch_context.h"
#include "space/operands.h"

namespace scantune {

class OffsetsCheck {
 public:
  OffsetsCheck(const std::shared_ptr<Device>& device, const Request& request);

  // Compiles and loads the kernel, which a first check does otherwise. Throws what that throws.
  void load();

  // Waits for the stream. Throws RequestError that names the first offset which is wrong, or the argument where nothing
  // can be checked: offsets that are not the device's, or a stream that is being captured.
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
