// The machine that runs kernels on the CPU: one fibre per CUDA thread, a few resident CTAs, and a scheduler that makes
// every choice a GPU leaves open from a seed. Threads yield only at the hooks of host_abi.h.
//
// A run that breaks a rule of the programming model, deadlocks or does not end throws DeviceError with a report that
// names CTA, warp, lanes and the line of the kernel; its fibres are abandoned and the machine can be used again.
//
// Each part has its own state, and knows only the parts before it.
#pragma once

#include <span>

#include "device/host/grids.h"
#include "device/host/meetings.h"

namespace scantune {

class Machine final : private Scheduler::Steps {
 public:
  explicit Machine(const Allocations& allocations) : allocations_(allocations) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // What the kernels' shared objects are bound to. There is one per process, since only one machine runs at a time.
  static host::Hooks* hooks() { return &hooks_; }

  // Runs the grids in order, each after the one before it except where pdl lets it overlap. The whole process may have
  // one caller at a time.
  void run(std::span<const Grid> grids, const Schedule& schedule);

  u64 moved_bytes() const { return global_.moved_bytes(); }

 private:
  friend struct MachineHooks;
  static host::Hooks hooks_;

  void reset(std::span<const Grid> grids, const Schedule& schedule);
  CudaThread* next_thread() override;
  bool look_again();

  static void enter_thread(FibreTransfer transfer);
  void leave_thread();

  const Allocations& allocations_;
  Choices choices_;
  WeakMemory memory_;
  WatchedWrites watched_{choices_.random};
  Fibres fibres_{hooks_.lane, watched_};
  Failures failures_{fibres_};
  StoreDrain drain_{choices_, memory_};
  Scheduler scheduler_{*this, choices_, fibres_, failures_, drain_};
  Pollers pollers_{memory_, scheduler_};
  GlobalAccess global_{allocations_, memory_, scheduler_, failures_, pollers_};
  Meetings meetings_{memory_, scheduler_, failures_};
  Barriers barriers_{memory_, watched_, scheduler_, failures_};
  BulkCopies copies_{choices_, memory_, watched_, fibres_, scheduler_, failures_, global_, barriers_};
  Clusters clusters_{scheduler_, failures_, barriers_, copies_};
  Grids grids_{*this,    &Machine::enter_thread, choices_, memory_, watched_, scheduler_, failures_, barriers_, copies_,
               clusters_};
  Cta* leaving_ = nullptr;  // its last thread has exited
};

}  // namespace scantune
