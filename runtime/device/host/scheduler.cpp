// The choices of the machine: which lane runs next.
#include <algorithm>

#include "device/host/machine.h"

namespace scantune {

// The current lane stays runnable, but others come first.
void Machine::preempt() {
  CudaThread& thread = *current_;
  const u32 every = schedule_.preempt_every;
  preempt_left_ = every != 0 ? random_.around(every) : kUnpreemptedAccesses;
  if (!spend(preempt_left_)) fail({.what = kLivelock, .thread = &thread, .site = thread.site, .lists_waiting = true});
  // Stores become visible some time, even while every thread spins.
  if ((spun_ += preempt_left_) >= kUnpreemptedAccesses) {
    spun_ = 0;
    if (memory_.waiting()) memory_.drain_one();
  }
  Warp& warp = *thread.warp;
  warp.runnable |= thread.lane_bit;
  warp.rotation = schedule_.lane_order == LaneOrder::descending ? thread.lane : (thread.lane + 1) % 32;
  if (random_.chance(schedule_.stall_percent)) return stand_aside();
  leave_warp_ = every == 0 || random_.chance(50);
  give_way();
}

// The current lane's whole CTA stands still for a while.
void Machine::stand_aside() {
  warp_->runnable |= current_->lane_bit;
  warp_->cta->stalled_until = step_ + random_.around(500);
  leave_warp_ = true;
  give_way();
}

// Else the thread that comes last would always be the first to go on.
void Machine::let_others_come_first_sometimes() {
  if (schedule_.warp_order != WarpOrder::shuffled || !random_.chance(50)) return;
  warp_->runnable |= current_->lane_bit;
  leave_warp_ = true;
  give_way();
}

CudaThread* Machine::pick_warp() {
  warp_ = nullptr;
  leave_warp_ = false;
  while (true) {
    ++step_;
    if (!spend(1 + kSliceSwitches - slice_left_)) return fail({.what = kLivelock, .lists_waiting = true}), nullptr;
    slice_left_ = kSliceSwitches;
    drain_in_background();
    if (step_ >= copies_due_) advance_due_copies();
    if (failure_.what != nullptr) return nullptr;
    wake_pollers();
    if (!parked_.empty()) unpark(false);
    start_late_or_now();

    if (queue_count_ != 0) {
      Warp& warp = *dequeue();
      if (stalled(warp)) {
        parked_.push_back(&warp);
        continue;
      }
      begin_slice(warp);
      return take_lane(warp);
    }
    // Nothing can run: what was held back must go on.
    if (!parked_.empty()) {
      unpark(true);
    } else if (may_start()) {
      start_cluster();
    } else if (!copies_.empty() && (!memory_.waiting() || random_.chance(50))) {
      advance_any_copy();
    } else if (memory_.waiting()) {
      memory_.drain_one();
    } else if (dispatching_ == grids_.size() && grids_.back().running == 0) {
      return nullptr;
    } else if (!look_again()) {
      return fail({.what = "deadlock: no thread can run and no store waits to become visible", .lists_waiting = true}),
             nullptr;
    }
  }
}

void Machine::begin_slice(Warp& warp) {
  warp.queued = false;
  warp_ = &warp;
  if (schedule_.lane_order == LaneOrder::rotated) warp.rotation = random_.below(32);
}

void Machine::wake(Warp& warp, u32 lanes) {
  warp.runnable |= lanes;
  if (&warp != warp_) enqueue(warp);
}

void Machine::enqueue(Warp& warp) {
  if (warp.queued) return;
  warp.queued = true;
  queue_[(queue_first_ + queue_count_++) % kQueueCapacity] = &warp;
}

Warp* Machine::dequeue() {
  // The oldest sometimes gets its turn too, or two warps could spin for ever while a third waits for it.
  if (schedule_.warp_order == WarpOrder::newest_first && !random_.chance(10))
    return queue_[(queue_first_ + --queue_count_) % kQueueCapacity];
  if (schedule_.warp_order == WarpOrder::shuffled)
    std::swap(queue_[queue_first_], queue_[(queue_first_ + random_.below(queue_count_)) % kQueueCapacity]);
  Warp* const warp = queue_[queue_first_];
  queue_first_ = (queue_first_ + 1) % kQueueCapacity;
  --queue_count_;
  return warp;
}

// Warps of stalled CTAs go on when their time has come, or all of them when nothing else can run.
void Machine::unpark(bool all) {
  std::erase_if(parked_, [&](Warp* warp) {
    if (all) warp->cta->stalled_until = 0;
    if (stalled(*warp)) return false;
    warp->queued = false;
    enqueue(*warp);
    return true;
  });
}

void Machine::wake_pollers() {
  if (changes_seen_ == memory_.polled_changes()) return;
  changes_seen_ = memory_.polled_changes();
  wake_all_pollers();
}

void Machine::wake_all_pollers() {
  for (Warp* warp : pollers_) {
    warp->listed_as_poller = false;
    wake(*warp, std::exchange(warp->polling, 0));
  }
  pollers_.clear();
}

// What a thread that tests barriers looks at besides is not known, so all look again before they count as stuck.
bool Machine::look_again() {
  const u64 progress = progress_ + memory_.now() + next_serial_;
  if (std::exchange(progress_seen_, progress) != progress) futile_looks_ = 0;
  if (++futile_looks_ > kFutileLooks) return false;
  bool tests = false;
  for (const auto& cta : ctas_) {
    if (cta->live == 0 || cta->barriers.empty()) continue;
    tests = true;
    for (Warp& warp : cta->warps)
      if (warp.testing != 0) wake(warp, std::exchange(warp.testing, 0));
  }
  if (tests) wake_all_pollers();
  return queue_count_ != 0;
}

bool Machine::spend(u32 work) {
  if (work_left_ <= work) return false;
  work_left_ -= work;
  return true;
}

void Machine::drain_in_background() {
  if (drain_left_ == 0 || --drain_left_ != 0) return;
  drain_left_ = random_.around(schedule_.drain_every);
  if (memory_.waiting()) memory_.drain_one();
}

}  // namespace scantune
