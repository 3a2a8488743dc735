#include "device/host/grids.h"

#include <algorithm>
#include <utility>

namespace scantune {

Grids::Grids(Machine& machine, FibreEntry entry, Choices& choices, WeakMemory& memory, WatchedWrites& watched,
             Scheduler& scheduler, Failures& failures, Barriers& barriers, BulkCopies& copies, Clusters& clusters)
    : machine_(machine),
      entry_(entry),
      choices_(choices),
      memory_(memory),
      watched_(watched),
      scheduler_(scheduler),
      failures_(failures),
      barriers_(barriers),
      copies_(copies),
      clusters_(clusters) {
  for (u32 slot = 0; slot < kSlots; ++slot) {
    ctas_.push_back(std::make_unique<Cta>());
    ctas_.back()->slot = slot;
  }
}

void Grids::reset(std::span<const Grid> grids) {
  grids_.clear();
  int widest = 1, largest_cluster = 1;
  for (const Grid& grid : grids) {
    widest = std::max(widest, grid.launch.block_threads);
    largest_cluster = std::max(largest_cluster, grid.launch.cluster_blocks);
    add(grid);
  }
  dispatching_ = 0;
  const u32 fitting = std::max(1u, kMaxResidentThreads / static_cast<u32>(widest));
  const u32 limit = std::max(std::clamp(std::min(choices_.schedule.resident_ctas, fitting), 1u, kMaxResidentCtas),
                             static_cast<u32>(largest_cluster));
  for (const auto& cta : ctas_) cta->live = 0;  // a failed run leaves some CTAs
  free_slots_.clear();
  for (u32 slot = limit; slot-- > 0;) free_slots_.push_back(slot);
  started_ctas_ = 0;
  start_at_ = 0;
}

void Grids::add(const Grid& grid) {
  const u32 clusters = grid.launch.grid_blocks / static_cast<u32>(grid.launch.cluster_blocks);
  GridState state{
      .grid = &grid, .unreleased = grid.launch.grid_blocks, .running = grid.launch.grid_blocks, .order = {}};
  if (choices_.schedule.shuffle_ctas && grid.launch.dispatch == Dispatch::any_order && clusters > 1) {
    for (u32 cluster = 0; cluster < clusters; ++cluster) {
      state.order.push_back(cluster);
      std::swap(state.order.back(), state.order[choices_.random.below(cluster + 1)]);
    }
  }
  grids_.push_back(std::move(state));
}

bool Grids::may_start() const {
  if (dispatching_ == grids_.size()) return false;
  if (free_slots_.size() < static_cast<u32>(grids_[dispatching_].grid->launch.cluster_blocks)) return false;
  if (dispatching_ == 0) return true;
  const GridState& before = grids_[dispatching_ - 1];
  return before.running == 0 || (grids_[dispatching_].grid->launch.pdl && before.unreleased == 0);
}

void Grids::start_late_or_now() {
  if (scheduler_.step() < start_at_ || !may_start()) return;
  if (choices_.random.chance(choices_.schedule.late_start_percent)) {
    start_at_ = scheduler_.step() + choices_.random.around(200);
  } else {
    start_cluster();
  }
}

// Starts all CTAs of a cluster at once: their places are free at the same time.
void Grids::start_cluster() {
  GridState& grid = grids_[dispatching_];
  const Launch& launch = grid.grid->launch;
  const u32 size = static_cast<u32>(launch.cluster_blocks);
  const u32 index = grid.order.empty() ? grid.started / size : grid.order[grid.started / size];
  Cluster& cluster = clusters_.form(free_slots_.back(), size, static_cast<u32>(launch.block_threads));
  for (u32 rank = 0; rank < size; ++rank) {
    Cta& cta = *ctas_[free_slots_.back()];
    free_slots_.pop_back();
    cta.cluster = &cluster;
    cta.cluster_rank = rank;
    cta.rank = index * size + rank;
    cluster.ctas.push_back(&cta);
  }
  const u32 number = dispatching_;
  if ((grid.started += size) == launch.grid_blocks) ++dispatching_;
  for (Cta* cta : cluster.ctas) {
    start_cta(*cta, number);
    // They are resident together, and yet begin at moments of their own.
    if (size > 1 && choices_.random.chance(choices_.schedule.late_start_percent))
      cta->stalled_until = scheduler_.step() + choices_.random.around(200);
  }
}

void Grids::start_cta(Cta& cta, u32 grid) {
  const Launch& launch = grids_[grid].grid->launch;
  cta.serial = ++started_ctas_;
  cta.grid = grid;
  cta.thread_count = cta.live = static_cast<u32>(launch.block_threads);
  cta.at_barrier = 0;
  cta.released = cta.predecessor_done = false;
  cta.stalled_until = 0;
  memory_.open(cta.slot);
  watched_.open(cta.slot);
  barriers_.open(cta.slot);
  copies_.open(cta.slot);
  cta.shared.poison(static_cast<u32>(launch.shared_bytes), choices_.random);

  cta.threads.resize(cta.thread_count);
  cta.warps.resize(ceil_div(cta.thread_count, 32u));
  for (u32 index = 0; index < cta.warps.size(); ++index) start_warp(cta, index);
  cta.stacks.reserve(cta.thread_count);
  for (u32 rank = 0; rank < cta.thread_count; ++rank) start_thread(cta, rank);
}

void Grids::start_warp(Cta& cta, u32 index) {
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
  scheduler_.enqueue(warp);
}

void Grids::start_thread(Cta& cta, u32 rank) {
  const Launch& launch = of(cta).launch;
  CudaThread& thread = cta.threads[rank];
  thread.thread_rank = rank;
  thread.block_rank = cta.rank;
  thread.block_threads = cta.thread_count;
  thread.block_count = launch.grid_blocks;
  thread.cluster_rank = cta.cluster_rank;
  thread.shared = cta.shared.begin();
  thread.shared_bytes = static_cast<u32>(launch.shared_bytes);
  thread.machine = &machine_;
  thread.warp = &cta.warps[rank / 32];
  thread.lane = rank % 32;
  thread.lane_bit = 1u << thread.lane;
  thread.viewer = {.cta = cta.serial, .queue = cta.slot, .grid = cta.grid, .thread = rank, .view = memory_.now()};
  thread.predecessor_done = !launch.pdl;
  thread.cluster_arrivals = thread.cluster_waits = 0;
  thread.failed_tests = thread.tested_at = 0;
  thread.open_group = thread.stored_groups = thread.read_groups = 0;
  thread.waiting = Waiting::nothing;
  start_fibre(thread, cta.stacks.top(rank), FibreStacks::kStackBytes, entry_);
}

void Grids::wait_for_predecessor(host::Site site) {
  CudaThread& thread = scheduler_.current();
  if (thread.viewer.grid > 0 && grids_[thread.viewer.grid - 1].running != 0) {
    thread.site = site;
    thread.waiting = Waiting::predecessor;
    scheduler_.give_way();
    thread.waiting = Waiting::nothing;
  }
  thread.predecessor_done = thread.warp->cta->predecessor_done = true;
  thread.viewer.view = memory_.now();
}

void Grids::release(Cta& cta) {
  if (cta.released) return;
  cta.released = true;
  --grids_[cta.grid].unreleased;
}

void Grids::retire(Cta& cta) {
  const CudaThread& last = cta.threads.back();
  if (!cta.shared.guard_is_intact())
    return failures_.fail({.what = "the CTA wrote past the end of its shared memory", .thread = &last});
  if (cta.stacks.overflowed(0) || cta.stacks.overflowed(cta.thread_count - 1))
    return failures_.fail({.what = "the kernel needs more stack than a fibre has", .thread = &last});
  if (of(cta).launch.pdl && !cta.predecessor_done)
    return failures_.fail(
        {.what = "the CTA exited without wait_for_predecessor, in a launch that may overlap the one before it",
         .thread = &last});
  copies_.check_arrived(cta);
  release(cta);
  scheduler_.forget_warp();
  if (--cta.cluster->running == 0)
    for (const Cta* peer : cta.cluster->ctas) free_slots_.push_back(peer->slot);
  if (--grids_[cta.grid].running == 0) finish(cta.grid);
}

void Grids::finish(u32 grid) {
  copies_.finish(grid);
  memory_.drain_grid(grid);
  for (const auto& cta : ctas_) {
    if (cta->live == 0 || cta->grid != grid + 1) continue;
    for (const CudaThread& thread : cta->threads)
      if (thread.waiting == Waiting::predecessor) scheduler_.wake(*thread.warp, thread.lane_bit);
  }
}

}  // namespace scantune
