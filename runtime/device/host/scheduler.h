// Scheduler decides which lane runs next. Threads yield only at the hooks of host_abi.h.
#pragma once

#include <bit>
#include <utility>
#include <vector>

#include "device/host/choices.h"
#include "device/host/failures.h"
#include "device/host/fibres.h"
#include "device/host/store_drain.h"
#include "device/host/warp_queue.h"

namespace scantune {

class Scheduler {
 public:
  // The machine, which takes a step after each turn of a warp.
  class Steps {
   public:
    // The next thread, or null when the machine has nothing more to do or has failed.
    virtual CudaThread* next_thread() = 0;

   protected:
    ~Steps() = default;
  };

  Scheduler(Steps& steps, Choices& choices, Fibres& fibres, Failures& failures, StoreDrain& drain)
      : steps_(steps), choices_(choices), fibres_(fibres), failures_(failures), drain_(drain) {}

  void reset(u64 work);  // work: more than any healthy run takes

  u64 step() const { return step_; }
  CudaThread& current() const { return *fibres_.current(); }

  CudaThread* pick() {
    if (warp_ != nullptr && warp_->runnable != 0) {
      if (!leave_warp_ && --slice_left_ != 0) return &take_lane(*warp_);
      queue_.push(*warp_);
    }
    return steps_.next_thread();
  }
  void resume(CudaThread& thread) {
    warp_ = thread.warp;
    fibres_.resume(thread);
  }
  // The current thread's kernel or CTA has ended.
  void forget_warp() { warp_ = nullptr; }

  // The current lane waits, or lets others come first.
  void give_way() {
    CudaThread* const next = pick();
    if (next != fibres_.current()) resume(*next);
  }
  // The current lane begins an operation before which others may come.
  CudaThread& begin_operation(host::Site site) {
    CudaThread& thread = current();
    thread.site = site;
    access_point();
    return thread;
  }
  void access_point() {
    if (--preempt_left_ == 0) preempt();
  }
  void let_others_come_first_sometimes();
  void take_long_sometimes() {
    if (choices_.random.chance(choices_.schedule.slow_sync_percent)) stand_aside();
  }

  void enqueue(Warp& warp) { queue_.push(warp); }
  void wake(Warp& warp, u32 lanes) {
    warp.runnable |= lanes;
    if (&warp != warp_) enqueue(warp);
  }

  // The parts of a step of the machine.
  bool begin_step();  // false once the run has taken longer than any healthy one, which is a failure
  void unpark_due() {
    if (!parked_.empty()) unpark(false);
  }
  bool unpark_all();  // false if no warp is parked
  bool has_queued() const { return !queue_.empty(); }
  CudaThread* take_queued();  // a lane of some warp; null if its CTA stands still

  void note_progress() { ++progress_; }  // arrivals, and what bulk copies have done
  // Whether too many consecutive polls saw no change. elsewhere: counts other progress.
  bool seems_stuck(u64 elsewhere);

 private:
  static constexpr u32 kUnpreemptedAccesses = 4096;  // a lane that spins must give way some time
  static constexpr u32 kSliceSwitches = 4096;        // lanes that run before another warp gets its turn
  static constexpr u32 kFutileLooks = 8;             // looks of testing threads before they count as stuck

  CudaThread& take_lane(Warp& warp) const {
    const u32 rotated = std::rotr(warp.runnable, static_cast<int>(warp.rotation));
    const u32 place = choices_.schedule.lane_order == LaneOrder::descending
                          ? 31 - static_cast<u32>(std::countl_zero(rotated))
                          : static_cast<u32>(std::countr_zero(rotated));
    const u32 lane = (place + warp.rotation) % 32;
    warp.runnable &= ~(1u << lane);
    return warp.threads[lane];
  }
  void preempt();
  void stand_aside();
  void let_others_come_first();
  bool stalled(const Warp& warp) const { return warp.cta->stalled_until > step_; }
  void unpark(bool all);
  bool spend(u32 work);
  u32 accesses_to_preemption();

  Steps& steps_;
  Choices& choices_;
  Fibres& fibres_;
  Failures& failures_;
  StoreDrain& drain_;

  WarpQueue queue_;
  std::vector<Warp*> parked_;  // warps of CTAs that stand still
  Warp* warp_ = nullptr;       // that of the current thread
  bool leave_warp_ = false;
  u32 slice_left_ = 0;
  u32 preempt_left_ = 0;
  u64 step_ = 0;
  u64 work_left_ = 0;
  u64 progress_ = 0;
  u64 progress_seen_ = 0;
  u32 futile_looks_ = 0;
};

}  // namespace scantune
