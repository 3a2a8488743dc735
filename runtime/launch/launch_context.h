// What is kept per device until the process ends: loaded modules and workspaces.
#pragma once

#include <memory>

#include "device/device.h"
#include "device/module_cache.h"
#include "launch/stream_workspaces.h"
#include "launch/workspace_pool.h"

namespace scantune {

class LaunchContext {
 public:
  explicit LaunchContext(std::shared_ptr<Device> device)
      : device_(std::move(device)),
        modules_(*device_),
        pool_(std::make_shared<WorkspacePool>(device_)),
        streams_(pool_) {}

  Device& device() const { return *device_; }
  ModuleCache& modules() { return modules_; }
  const std::shared_ptr<WorkspacePool>& pool() const { return pool_; }
  StreamWorkspaces& streams() { return streams_; }

  // Frees the workspaces of all streams, and unused ones. Returns their bytes. No launch may run or be made at the same
  // time.
  u64 trim() {
    streams_.release_all();
    return pool_->trim();
  }

 private:
  std::shared_ptr<Device> device_;
  ModuleCache modules_;
  std::shared_ptr<WorkspacePool> pool_;
  StreamWorkspaces streams_;
};

// The context of a device, made on first use. It is never destroyed: graphs may replay its kernels after main has
// returned, and the driver may be gone before static objects are.
LaunchContext& launch_context(const std::shared_ptr<Device>& device);

// Waits for every device that has been launched on, then trims the context of each. Returns the bytes that went back to
// what they came from. Throws DeviceError, and has freed nothing, if a device cannot be waited for.
u64 trim_launch_contexts();

}  // namespace scantune
