// Memory for workspaces on one device, in blocks that pass from owner to owner. They are kept, since freeing waits for
// the whole device. A block with status words needs no clearing, since its epoch distinguishes old words from new ones.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device.h"
#include "launch/allocator.h"
#include "launch/workspace_layout.h"

namespace scantune {

struct WorkspaceBlock {
  void* memory = nullptr;
  u64 bytes = 0;
  int layout = 0;
  Allocator origin{};  // what the memory goes back to
};

class WorkspacePool {
 public:
  explicit WorkspacePool(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  // A block of at least need.bytes whose last owner had the same layout; need.kind is not none. It is zeroed when it is
  // new, if the layout needs that. Throws OutOfMemoryError, and RequestError when the program's allocator is to blame.
  // It may call that, so the caller holds no lock.
  WorkspaceBlock acquire(const WorkspaceNeed& need);

  // No launch that uses the block may be running. This touches no device, so a driver's callback may call it.
  void give_back(const WorkspaceBlock& block) noexcept;

  // Frees the blocks that nobody owns, and returns their bytes. No launch that used one may be running.
  u64 trim();

 private:
  using Blocks = std::array<std::multimap<u64, WorkspaceBlock>, kWorkspaceLayouts>;  // by bytes

  WorkspaceBlock take_free(const WorkspaceNeed& need);  // memory is null if no block is free

  std::shared_ptr<Device> device_;
  std::mutex mutex_;  // never held during a call of the device or of an allocator
  Blocks free_;
};

}  // namespace scantune
