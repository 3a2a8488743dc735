// Threads that spin on memory. They sleep until that memory may have changed.
#pragma once

#include <algorithm>
#include <vector>

#include "device/host/scheduler.h"
#include "device/host/weak_memory.h"

namespace scantune {

class Pollers {
 public:
  Pollers(WeakMemory& memory, Scheduler& scheduler) : memory_(memory), scheduler_(scheduler) {}

  void reset();

  void note_poll(const CudaThread& thread, const void* address) {
    memory_.watch(address);
    u32& polled = thread.warp->polled[thread.lane];
    polled = std::min(polled, memory_.polled_changes());
  }
  // Resumes the current thread when memory may have changed since the oldest poll that made it pause.
  void pause(host::Site site);

  void wake_if_changed() {
    if (changes_seen_ == memory_.polled_changes()) return;
    changes_seen_ = memory_.polled_changes();
    wake_all();
  }
  void wake_all();

 private:
  WeakMemory& memory_;
  Scheduler& scheduler_;
  std::vector<Warp*> resting_;  // warps with lanes that rest
  u32 changes_seen_ = 0;
};

}  // namespace scantune
