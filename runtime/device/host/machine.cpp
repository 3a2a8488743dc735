#include "device/host/machine.h"

#include <utility>

#include "device/host/report.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

// Far more than a healthy run takes, whatever its schedule; a livelock costs a second or two.
u64 work_limit(std::span<const Grid> grids) {
  u64 work = 20'000'000;
  for (const Grid& grid : grids) {
    const u64 warps = ceil_div(static_cast<u64>(grid.launch.block_threads), 32ull) * grid.launch.grid_blocks;
    work += 20'000 * warps + 400 * grid.launch.n;
  }
  return work;
}

}  // namespace

void Machine::run(std::span<const Grid> grids, const Schedule& schedule) {
  if (grids.empty()) return;
  reset(grids, schedule);
  while (CudaThread* const next = scheduler_.pick()) {
    scheduler_.resume(*next);
    if (leaving_ != nullptr) grids_.retire(*std::exchange(leaving_, nullptr));
    if (failures_.any()) break;
  }
  if (failures_.any()) throw DeviceError(report(failures_.first(), grids_, barriers_, allocations_, choices_.schedule));
  const std::string damage = allocations_.damaged_guard();
  if (!damage.empty()) throw DeviceError("host device: " + damage + "; " + to_string(choices_.schedule));
}

// The order of these calls decides what each of them draws.
void Machine::reset(std::span<const Grid> grids, const Schedule& schedule) {
  choices_ = {.schedule = schedule, .random = Random(schedule.seed)};
  memory_.reset(kSlots, schedule.buffered_stores, schedule.stale_percent, choices_.random);
  watched_.reset();
  fibres_.reset();
  failures_.reset();
  pollers_.reset();
  global_.reset();
  copies_.reset();
  grids_.reset(grids);
  scheduler_.reset(work_limit(grids));
  drain_.reset();
  leaving_ = nullptr;
}

CudaThread* Machine::next_thread() {
  while (true) {
    if (!scheduler_.begin_step()) return nullptr;
    drain_.step();
    copies_.advance_due();
    if (failures_.any()) return nullptr;
    pollers_.wake_if_changed();
    scheduler_.unpark_due();
    grids_.start_late_or_now();

    if (scheduler_.has_queued()) {
      if (CudaThread* const next = scheduler_.take_queued()) return next;
      continue;
    }
    // Nothing can run: what was held back must go on.
    if (scheduler_.unpark_all()) continue;
    if (grids_.may_start()) {
      grids_.start_cluster();
    } else if (!copies_.empty() && (!memory_.waiting() || choices_.random.chance(50))) {
      copies_.advance_any();
    } else if (memory_.waiting()) {
      memory_.drain_one();
    } else if (grids_.finished()) {
      return nullptr;
    } else if (!look_again()) {
      failures_.fail(
          {.what = "deadlock: no thread can run and no store waits to become visible", .lists_waiting = true});
      return nullptr;
    }
  }
}

// Threads that test barriers may look at other things, too, so all look again before they count as stuck.
bool Machine::look_again() {
  if (scheduler_.seems_stuck(memory_.now() + grids_.started_ctas())) return false;
  if (barriers_.wake_testing(grids_.ctas())) pollers_.wake_all();
  return scheduler_.has_queued();
}

void Machine::enter_thread(FibreTransfer transfer) {
  keep_context(transfer);
  Machine& machine = *static_cast<CudaThread*>(hooks_.lane)->machine;
  const Grid& grid = machine.grids_.of(machine.scheduler_.current());
  grid.kernel(&grid.arguments);
  machine.leave_thread();
}

// The current thread's kernel has returned.
void Machine::leave_thread() {
  CudaThread& thread = scheduler_.current();
  copies_.check_read(thread);
  clusters_.leave(thread);
  meetings_.leave(thread);
  if (thread.warp->cta->live == 0) {
    // Its stacks are used again, so the rest happens outside the fibres.
    leaving_ = thread.warp->cta;
    fibres_.leave();
  }
  scheduler_.resume(*scheduler_.pick());
}

}  // namespace scantune
