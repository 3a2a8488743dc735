// Workspaces set aside for launches of one plan that are captured into graphs. A capture must not allocate, and a graph
// may be replayed at any time while it lives, so each captured launch has a workspace of its own until its graph dies.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "launch/workspace_pool.h"

namespace scantune {

class CaptureReserve : public std::enable_shared_from_this<CaptureReserve> {
 public:
  // Takes `launches` blocks from the pool; need.kind is not none. Throws DeviceError when memory is short.
  static std::shared_ptr<CaptureReserve> make(std::shared_ptr<WorkspacePool> pool, const WorkspaceNeed& need,
                                              int launches);
  ~CaptureReserve();
  CaptureReserve(const CaptureReserve&) = delete;
  CaptureReserve& operator=(const CaptureReserve&) = delete;

  // A workspace that the graph being captured keeps until it dies. The reserve outlives its graphs, even if the plan
  // does not. Throws RequestError when all are taken.
  void* take(Device& device, void* graph);

 private:
  struct Place {
    WorkspaceBlock block;
    std::shared_ptr<CaptureReserve> reserve;  // set while a graph holds the block
  };

  explicit CaptureReserve(std::shared_ptr<WorkspacePool> pool) : pool_(std::move(pool)) {}
  static void give_back(void* token);  // the driver's callback: calls no device

  std::shared_ptr<WorkspacePool> pool_;
  std::vector<std::unique_ptr<Place>> places_;
  std::mutex mutex_;
  std::vector<Place*> free_;
};

}  // namespace scantune
