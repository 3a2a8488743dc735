#include "device/host/scheduler.h"

namespace scantune {
namespace {

constexpr const char* kLivelock = "the run has taken far more steps than a healthy one: threads spin without progress";

}  // namespace

void Scheduler::reset(u64 work) {
  queue_.clear();
  parked_.clear();
  warp_ = nullptr;
  leave_warp_ = false;
  slice_left_ = kSliceSwitches;
  preempt_left_ = accesses_to_preemption();
  step_ = 0;
  work_left_ = work;
  progress_ = progress_seen_ = 0;
  futile_looks_ = 0;
}

u32 Scheduler::accesses_to_preemption() {
  const u32 every = choices_.schedule.preempt_every;
  return every != 0 ? choices_.random.around(every) : kUnpreemptedAccesses;
}

// The current lane stays runnable, but others come first.
void Scheduler::preempt() {
  CudaThread& thread = current();
  preempt_left_ = accesses_to_preemption();
  if (!spend(preempt_left_))
    failures_.fail({.what = kLivelock, .thread = &thread, .site = thread.site, .lists_waiting = true});
  drain_.spin(preempt_left_);
  Warp& warp = *thread.warp;
  warp.runnable |= thread.lane_bit;
  warp.rotation = choices_.schedule.lane_order == LaneOrder::descending ? thread.lane : (thread.lane + 1) % 32;
  if (choices_.random.chance(choices_.schedule.stall_percent)) return stand_aside();
  leave_warp_ = choices_.schedule.preempt_every == 0 || choices_.random.chance(50);
  give_way();
}

// The current lane's whole CTA stands still for a while.
void Scheduler::stand_aside() {
  warp_->cta->stalled_until = step_ + choices_.random.around(500);
  let_others_come_first();
}

// Without this, the thread that comes last would always be the first to go on.
void Scheduler::let_others_come_first_sometimes() {
  if (choices_.schedule.warp_order == WarpOrder::shuffled && choices_.random.chance(50)) let_others_come_first();
}

void Scheduler::let_others_come_first() {
  warp_->runnable |= current().lane_bit;
  leave_warp_ = true;
  give_way();
}

bool Scheduler::begin_step() {
  warp_ = nullptr;
  leave_warp_ = false;
  ++step_;
  if (!spend(1 + kSliceSwitches - slice_left_)) {
    failures_.fail({.what = kLivelock, .lists_waiting = true});
    return false;
  }
  slice_left_ = kSliceSwitches;
  return true;
}

CudaThread* Scheduler::take_queued() {
  Warp& warp = queue_.pop(choices_);
  if (stalled(warp)) {
    parked_.push_back(&warp);
    return nullptr;
  }
  warp.queued = false;
  warp_ = &warp;
  if (choices_.schedule.lane_order == LaneOrder::rotated) warp.rotation = choices_.random.below(32);
  return &take_lane(warp);
}

bool Scheduler::unpark_all() {
  if (parked_.empty()) return false;
  unpark(true);
  return true;
}

// Warps of stalled CTAs go on when their time has come, or all of them when nothing else can run.
void Scheduler::unpark(bool all) {
  std::erase_if(parked_, [&](Warp* warp) {
    if (all) warp->cta->stalled_until = 0;
    if (stalled(*warp)) return false;
    warp->queued = false;
    enqueue(*warp);
    return true;
  });
}

bool Scheduler::seems_stuck(u64 elsewhere) {
  const u64 progress = progress_ + elsewhere;
  if (std::exchange(progress_seen_, progress) != progress) futile_looks_ = 0;
  return ++futile_looks_ > kFutileLooks;
}

bool Scheduler::spend(u32 work) {
  if (work_left_ <= work) return false;
  work_left_ -= work;
  return true;
}

}  // namespace scantune
