// The launches of a scan, prepared beforehand and passed to the driver one after the other. No library's call can be
// cheaper.
#pragma once

#include <vector>

#include "device/cuda/driver.h"
#include "device/cuda/launch_attributes.h"
#include "device/device.h"

namespace scantune::bench {

class BareLaunches {
 public:
  // Takes the config that the library chooses. Loads kernels of its own and keeps them, and a workspace, for good.
  BareLaunches(Device& device, const ScanRequest& request, const void* input, void* output, Stream stream);

  void enqueue();
  std::size_t count() const { return launches_.size(); }

 private:
  struct Bare {
    CUfunction function = nullptr;
    CUlaunchConfig config{};
    LaunchAttributes attributes{Launch{}};
    KernelArguments arguments{};
  };

  std::vector<Bare> launches_;
};

}  // namespace scantune::bench
