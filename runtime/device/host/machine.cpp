#include "device/host/machine.h"

#include <algorithm>
#include <cstring>

#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr u32 kSharedGuardBytes = 256;
constexpr unsigned char kSharedGuard = 0x5a;
constexpr u64 kSharedAlignment = 128;

unsigned char* aligned(std::vector<unsigned char>& bytes) {
  return reinterpret_cast<unsigned char*>(round_up(reinterpret_cast<u64>(bytes.data()), kSharedAlignment));
}

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

Machine::Machine(const Allocations& allocations) : allocations_(allocations) {
  for (u32 slot = 0; slot < kSlots; ++slot) {
    ctas_.push_back(std::make_unique<Cta>());
    ctas_.back()->slot = slot;
  }
}

void Machine::run(std::span<const Grid> grids, const Schedule& schedule) {
  if (grids.empty()) return;
  reset(grids, schedule);
  while (CudaThread* const next = pick()) {
    resume(*next);
    if (leaving_ != nullptr) retire(*std::exchange(leaving_, nullptr));
    if (failure_.what != nullptr) break;
  }
  if (failure_.what != nullptr) throw DeviceError(report());
  const std::string damage = allocations_.damaged_guard();
  if (!damage.empty()) throw DeviceError("host device: " + damage + "; " + to_string(schedule_));
}

void Machine::reset(std::span<const Grid> grids, const Schedule& schedule) {
  schedule_ = schedule;
  random_ = Random(schedule.seed);
  failure_ = {};
  std::fill(std::begin(recent_), std::end(recent_), Allocations::Range{});
  memory_.reset(kSlots, schedule.buffered_stores, schedule.stale_percent, random_);

  grids_.clear();
  int widest = 1, largest_cluster = 1;
  for (const Grid& grid : grids) {
    widest = std::max(widest, grid.launch.block_threads);
    largest_cluster = std::max(largest_cluster, grid.launch.cluster_blocks);
    const u32 clusters = grid.launch.grid_blocks / static_cast<u32>(grid.launch.cluster_blocks);
    GridState state{
        .grid = &grid, .unreleased = grid.launch.grid_blocks, .running = grid.launch.grid_blocks, .order = {}};
    if (schedule.shuffle_ctas && grid.launch.dispatch == Dispatch::any_order && clusters > 1) {
      for (u32 cluster = 0; cluster < clusters; ++cluster) {
        state.order.push_back(cluster);
        std::swap(state.order.back(), state.order[random_.below(cluster + 1)]);
      }
    }
    grids_.push_back(std::move(state));
  }
  dispatching_ = 0;
  const u32 fitting = std::max(1u, kMaxResidentThreads / static_cast<u32>(widest));
  const u32 limit = std::max(std::clamp(std::min(schedule.resident_ctas, fitting), 1u, kMaxResidentCtas),
                             static_cast<u32>(largest_cluster));
  for (const auto& cta : ctas_) cta->live = 0;  // a failed run leaves some behind
  free_slots_.clear();
  for (u32 slot = limit; slot-- > 0;) free_slots_.push_back(slot);
  next_serial_ = 1;

  queue_first_ = queue_count_ = 0;
  parked_.clear();
  pollers_.clear();
  changes_seen_ = 0;
  progress_ = progress_seen_ = 0;
  futile_looks_ = 0;
  copies_.clear();
  copies_due_ = kNever;
  watching_ = false;
  current_ = nullptr;
  warp_ = nullptr;
  leave_warp_ = false;
  leaving_ = nullptr;
  spun_ = 0;
  step_ = start_at_ = 0;
  work_left_ = work_limit(grids);
  slice_left_ = kSliceSwitches;
  preempt_left_ = schedule.preempt_every != 0 ? random_.around(schedule.preempt_every) : kUnpreemptedAccesses;
  drain_left_ = schedule.drain_every != 0 ? random_.around(schedule.drain_every) : 0;
}

void Machine::leave_fibres() {
  Fibre& from = *current_;
  current_ = nullptr;
  switch_fibre(from, main_);
}

void Machine::enter_thread(FibreTransfer transfer) {
  keep_context(transfer);
  Machine& machine = *static_cast<CudaThread*>(hooks_.lane)->machine;
  const Grid& grid = *machine.grids_[machine.current_->viewer.grid].grid;
  grid.kernel(&grid.arguments);
  machine.leave_thread();
}

bool Machine::may_start() const {
  if (dispatching_ == grids_.size()) return false;
  if (free_slots_.size() < static_cast<u32>(grids_[dispatching_].grid->launch.cluster_blocks)) return false;
  if (dispatching_ == 0) return true;
  const GridState& before = grids_[dispatching_ - 1];
  return before.running == 0 || (grids_[dispatching_].grid->launch.pdl && before.unreleased == 0);
}

void Machine::start_late_or_now() {
  if (step_ < start_at_ || !may_start()) return;
  if (random_.chance(schedule_.late_start_percent)) {
    start_at_ = step_ + random_.around(200);
  } else {
    start_cluster();
  }
}

void Machine::start_cta(Cta& cta, u32 grid) {
  const Launch& launch = grids_[grid].grid->launch;
  cta.serial = next_serial_++;
  cta.grid = grid;
  cta.thread_count = cta.live = static_cast<u32>(launch.block_threads);
  cta.at_barrier = 0;
  cta.released = cta.predecessor_done = false;
  cta.stalled_until = 0;
  cta.barriers.clear();
  cta.phases_ended = 0;
  cta.fenced_for_copies = cta.loads_in_bulk = false;
  cta.watched = nullptr;
  memory_.open(cta.slot);
  poison_shared(cta, static_cast<u32>(launch.shared_bytes));

  cta.threads.resize(cta.thread_count);
  cta.warps.resize(ceil_div(cta.thread_count, 32u));
  for (u32 index = 0; index < cta.warps.size(); ++index) {
    Warp& warp = cta.warps[index];
    const u32 lanes = std::min(32u, cta.thread_count - 32 * index);
    warp.cta = &cta;
    warp.threads = &cta.threads[32 * index];
    warp.index = index;
    warp.existing = warp.runnable = ~0u >> (32 - lanes);
    warp.exited = warp.polling = warp.testing = warp.awaiting = warp.at_cluster = warp.votes = warp.rotation = 0;
    std::fill(std::begin(warp.polled), std::end(warp.polled), kNoPoll);
    warp.queued = warp.listed_as_poller = false;
    warp.meeting_count = 0;
    enqueue(warp);
  }
  cta.stacks.reserve(cta.thread_count);
  for (u32 rank = 0; rank < cta.thread_count; ++rank) start_thread(cta, rank);
}

void Machine::start_thread(Cta& cta, u32 rank) {
  const Launch& launch = grids_[cta.grid].grid->launch;
  CudaThread& thread = cta.threads[rank];
  thread.thread_rank = rank;
  thread.block_rank = cta.rank;
  thread.block_threads = cta.thread_count;
  thread.block_count = launch.grid_blocks;
  thread.cluster_rank = cta.cluster_rank;
  thread.shared = aligned(cta.shared);
  thread.shared_bytes = static_cast<u32>(launch.shared_bytes);
  thread.machine = this;
  thread.warp = &cta.warps[rank / 32];
  thread.lane = rank % 32;
  thread.lane_bit = 1u << thread.lane;
  thread.viewer = {.cta = cta.serial, .queue = cta.slot, .grid = cta.grid, .thread = rank, .view = memory_.now()};
  thread.predecessor_done = !launch.pdl;
  thread.cluster_arrivals = thread.cluster_waits = 0;
  thread.failed_tests = thread.tested_at = 0;
  thread.open_group = thread.stored_groups = thread.read_groups = 0;
  thread.waiting = Waiting::nothing;
  start_fibre(thread, cta.stacks.top(rank), FibreStacks::kStackBytes, &Machine::enter_thread);
}

// Shared memory starts with arbitrary bytes, and ends in a guard zone.
void Machine::poison_shared(Cta& cta, u32 shared_bytes) {
  cta.shared.resize(shared_bytes + kSharedGuardBytes + kSharedAlignment);
  unsigned char* const bytes = aligned(cta.shared);
  u64 word = random_.next();
  for (u32 offset = 0; offset < shared_bytes; offset += 8) {
    std::memcpy(bytes + offset, &word, sizeof word);  // runs into the guard zone at most
    word = word * 0x9e3779b97f4a7c15 + 1;
  }
  std::memset(bytes + shared_bytes, kSharedGuard, kSharedGuardBytes);
}

// The current thread's kernel has returned.
void Machine::leave_thread() {
  CudaThread& thread = *current_;
  Warp& warp = *thread.warp;
  Cta& cta = *warp.cta;
  check_copies_read(thread);
  leave_cluster(thread);
  thread.waiting = Waiting::exited;
  warp.exited |= thread.lane_bit;
  --cta.live;
  if (cta.at_barrier > 0)
    fail({.what = "exited while others of its CTA wait at a barrier", .thread = &thread, .lists_waiting = true});
  for (u32 index = 0; index < warp.meeting_count; ++index)
    if ((warp.meetings[index].mask & thread.lane_bit) != 0)
      fail({.what = "exited while other lanes wait for it", .thread = &thread, .lists_waiting = true});
  if (cta.live == 0) {
    // Its stacks are used again, so the rest happens outside the fibres.
    leaving_ = &cta;
    leave_fibres();
  }
  resume(*pick());
}

void Machine::retire(Cta& cta) {
  const unsigned char* const guard = aligned(cta.shared) + grids_[cta.grid].grid->launch.shared_bytes;
  const CudaThread& last = cta.threads.back();
  if (!std::all_of(guard, guard + kSharedGuardBytes, [](unsigned char byte) { return byte == kSharedGuard; }))
    return fail({.what = "the CTA wrote past the end of its shared memory", .thread = &last});
  if (cta.stacks.overflowed(0) || cta.stacks.overflowed(cta.thread_count - 1))
    return fail({.what = "the kernel needs more stack than a fibre has", .thread = &last});
  if (grids_[cta.grid].grid->launch.pdl && !cta.predecessor_done)
    return fail({.what = "the CTA exited without wait_for_predecessor, in a launch that may overlap the one before it",
                 .thread = &last});
  check_copies_arrived(cta);
  release(cta);
  warp_ = nullptr;
  if (--cta.cluster->running == 0)
    for (const Cta* peer : cta.cluster->ctas) free_slots_.push_back(peer->slot);
  GridState& grid = grids_[cta.grid];
  if (--grid.running == 0) finish_grid(cta.grid);
}

void Machine::release(Cta& cta) {
  if (cta.released) return;
  cta.released = true;
  --grids_[cta.grid].unreleased;
}

void Machine::finish_grid(u32 grid) {
  finish_copies(grid);
  memory_.drain_grid(grid);
  for (const auto& cta : ctas_) {
    if (cta->live == 0 || cta->grid != grid + 1) continue;
    for (const CudaThread& thread : cta->threads)
      if (thread.waiting == Waiting::predecessor) wake(*thread.warp, thread.lane_bit);
  }
}

}  // namespace scantune
