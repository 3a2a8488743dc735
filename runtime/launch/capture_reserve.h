// Workspaces for captured launches of one plan. A graph may be replayed at any time, so each captured launch has its
// own workspace until its graph is destroyed.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "launch/workspace_pool.h"

namespace scantune {

class CaptureReserve : public std::enable_shared_from_this<CaptureReserve> {
 public:
  // Blocks for at most `most` launches that live in graphs at the same time, `ahead` of them taken from the pool now,
  // so that the first captures do not allocate. need.kind is not none. Throws OutOfMemoryError.
  static std::shared_ptr<CaptureReserve> make(std::shared_ptr<WorkspacePool> pool, const WorkspaceNeed& need, int most,
                                              int ahead);
  ~CaptureReserve();
  CaptureReserve(const CaptureReserve&) = delete;
  CaptureReserve& operator=(const CaptureReserve&) = delete;

  // Returns a workspace that the graph being captured keeps until it is destroyed. The reserve outlives its graphs,
  // even if the plan does not. Throws RequestError when all are taken, OutOfMemoryError when memory is short.
  WorkspaceBlock take(Device& device, void* graph);

 private:
  struct Place {
    WorkspaceBlock block;
    std::shared_ptr<CaptureReserve> reserve;  // set while a graph holds the block
  };

  CaptureReserve(std::shared_ptr<WorkspacePool> pool, const WorkspaceNeed& need, int most);
  Place* take_free();                  // null when all are taken
  static void give_back(void* token);  // the driver's callback: calls no device

  std::shared_ptr<WorkspacePool> pool_;
  const WorkspaceNeed need_;
  std::vector<Place> places_;  // some without a block as yet
  std::mutex mutex_;
  std::vector<Place*> free_;
};

}  // namespace scantune
