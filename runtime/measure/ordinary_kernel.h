// The kernel on either side of a scan that is timed in isolation.
#pragma once

#include <memory>

#include "device/device.h"
#include "measure/device_buffer.h"

namespace scantune {

// One CTA for each SM, without PDL: it starts when its predecessor has ended, and no successor starts before its end.
class OrdinaryKernel {
 public:
  explicit OrdinaryKernel(Device& device);

  void enqueue(Stream stream) const;

 private:
  Device& device_;
  std::unique_ptr<Module> module_;
  Launch launch_;
  DeviceBuffer words_;  // one for each thread
};

}  // namespace scantune
