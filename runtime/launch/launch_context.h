// What launching on one device keeps for as long as the process lives: loaded modules and workspaces.
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

 private:
  std::shared_ptr<Device> device_;
  ModuleCache modules_;
  std::shared_ptr<WorkspacePool> pool_;
  StreamWorkspaces streams_;
};

// The context of a device, made on first use. It is never destroyed: graphs may replay its kernels after main has
// returned, and the driver may be gone before static objects are.
LaunchContext& launch_context(const std::shared_ptr<Device>& device);

}  // namespace scantune
