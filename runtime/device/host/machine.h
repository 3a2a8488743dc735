// The machine that runs kernels on the CPU: one fibre per CUDA thread, a few resident CTAs, and a scheduler that makes
// every choice a GPU leaves open from a seed. Threads give way only at the hooks of host_abi.h.
//
// A run that breaks a rule of the programming model, deadlocks or does not end throws DeviceError with a report that
// names CTA, warp, lanes and the line of the kernel; its fibres are abandoned and the machine can be used again.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/arch.h"
#include "device/host/allocations.h"
#include "device/host/bulk_copy.h"
#include "device/host/cta.h"
#include "device/host/schedule.h"
#include "device/host/weak_memory.h"

namespace scantune {

// One kernel of a sequence, as a stream would run it.
struct Grid {
  const char* name;
  host::KernelFunction kernel;
  Launch launch;
  KernelArguments arguments;
};

class Machine {
 public:
  explicit Machine(const Allocations& allocations);

  // What the kernels' shared objects are bound to. One per process: only one machine runs at a time.
  static host::Hooks* hooks() { return &hooks_; }

  // Runs the grids in order, each after the one before it except where pdl lets it overlap. One caller at a time in the
  // whole process.
  void run(std::span<const Grid> grids, const Schedule& schedule);

 private:
  friend struct MachineHooks;
  static constexpr u32 kMaxResidentCtas = 8;  // except that one cluster always fits
  static constexpr u32 kSlots = std::max(kMaxResidentCtas, static_cast<u32>(limits_of(kHostSm).cluster_blocks));
  static constexpr u32 kMaxResidentThreads = 2048;   // more would not fit the caches
  static constexpr u32 kUnpreemptedAccesses = 4096;  // a lane that spins must give way some time
  static constexpr const char* kLivelock =
      "the run has taken far more steps than a healthy one: threads spin without progress";
  static constexpr u64 kNever = ~0ull;         // as a step
  static constexpr u32 kFutileLooks = 8;       // of testing threads before they count as stuck
  static constexpr u32 kSliceSwitches = 4096;  // lanes that run before another warp gets its turn

  struct GridState {
    const Grid* grid;
    u32 started = 0;         // CTAs
    u32 unreleased;          // CTAs that have neither exited nor released the next grid
    u32 running;             // CTAs that have not exited
    std::vector<u32> order;  // of the clusters; empty: by index
  };

  // Why a run failed; turned into text once the fibres are left, since what they own is abandoned.
  struct Failure {
    const char* what = nullptr;
    const CudaThread* thread = nullptr;  // null: the machine as a whole
    host::Site site{};
    const void* address = nullptr;
    u32 mask = 0;
    const BarrierState* barrier = nullptr;
    const Cta* cta = nullptr;    // the other one
    bool lists_waiting = false;  // the report says what every lane waits for
  };

  void reset(std::span<const Grid> grids, const Schedule& schedule);

  static host::Hooks hooks_;

  // Scheduling. pick() returns null when the machine has nothing more to do or has failed.
  CudaThread* pick() {
    if (warp_ != nullptr && warp_->runnable != 0) {
      if (!leave_warp_ && --slice_left_ != 0) return take_lane(*warp_);
      enqueue(*warp_);
    }
    return pick_warp();
  }
  CudaThread* pick_warp();
  CudaThread* take_lane(Warp& warp) const {
    const u32 rotated = std::rotr(warp.runnable, static_cast<int>(warp.rotation));
    const u32 place = schedule_.lane_order == LaneOrder::descending ? 31 - static_cast<u32>(std::countl_zero(rotated))
                                                                    : static_cast<u32>(std::countr_zero(rotated));
    const u32 lane = (place + warp.rotation) % 32;
    warp.runnable &= ~(1u << lane);
    return &warp.threads[lane];
  }
  // The current lane waits, or lets others come first.
  void give_way() {
    CudaThread* const next = pick();
    if (next != current_) resume(*next);
  }
  void preempt();
  void stand_aside();
  void let_others_come_first_sometimes();
  void take_long_sometimes() {
    if (random_.chance(schedule_.slow_sync_percent)) stand_aside();
  }
  void access_point() {
    if (--preempt_left_ == 0) preempt();
  }
  void wake(Warp& warp, u32 lanes);
  void enqueue(Warp& warp);
  Warp* dequeue();
  void begin_slice(Warp& warp);
  bool stalled(const Warp& warp) const { return warp.cta->stalled_until > step_; }
  void unpark(bool all);
  void wake_pollers();
  void wake_all_pollers();
  bool look_again();
  bool spend(u32 work);  // false once the run has taken longer than any healthy one
  void drain_in_background();

  // CTAs and grids.
  bool may_start() const;
  void start_cluster();
  void start_cta(Cta& cta, u32 grid);
  void start_late_or_now();
  void start_thread(Cta& cta, u32 rank);
  void poison_shared(Cta& cta, u32 shared_bytes);
  void leave_thread();
  void retire(Cta& cta);
  void release(Cta& cta);
  void finish_grid(u32 grid);
  bool finished(u32 grid) const { return grids_[grid].running == 0; }

  // Meetings of lanes: the current lane takes part, and goes on when all of the mask have.
  void meet(Meeting::Operation operation, Waiting waiting, u32 bytes, u32 mask, host::Site site);
  u32 join(Warp& warp, const Meeting& wanted, host::Site site);
  void complete(Warp& warp, const Meeting& meeting);
  template <class Word>
  void complete_shuffle(Warp& warp, const Meeting& meeting);
  void share_view(Warp& warp, u32 mask);
  void complete_barrier(Cta& cta);

  // Barriers in shared memory.
  bool in_shared(const void* address, u32 bytes, u32 alignment) const;
  void init_barrier(u64* word, u32 arrivals, host::Site site);
  void fence_barrier_init(host::Site site);
  u32 find_barrier(const u64* word, host::Site site) { return find_barrier(*current_->warp->cta, word, site); }
  u32 find_barrier(const Cta& cta, const u64* mine, host::Site site);
  void arrive(u64* word, u32 announced_bytes, host::Site site);
  bool test_barrier(u64* word, u32 parity, host::Site site);
  void wait_for_barrier(u64* word, u32 parity, host::Scope scope, host::Site site);
  bool end_phase_if_complete(Cta& cta, BarrierState& barrier);
  void see_phase_end(CudaThread& thread, const BarrierState& barrier, host::Scope scope);

  // Clusters.
  void arrive_at_cluster(host::Site site);
  void wait_for_cluster(host::Site site);
  void end_cluster_phase(Cluster& cluster);
  Cta& peer(u32 rank, host::Site site);
  unsigned char* place_in(Cta& peer, const void* mine, u32 bytes, host::Site site);
  void send_to_peer(const void* mine, u32 rank, const void* in, u32 bytes, const u64* barrier, host::Site site);
  void leave_cluster(const CudaThread& thread);

  // Bulk copies.
  void load_in_bulk(void* shared, const void* global, u32 bytes, u64* barrier, host::Site site);
  void store_in_bulk(void* global, const void* shared, u32 bytes, host::Site site);
  void commit_copies(host::Site site);
  void wait_for_copies(u32 unfinished_groups, bool written, host::Site site);
  void fence_for_copies(host::Site site);
  BulkCopy& issue(BulkCopy::Direction direction, void* shared, void* global, u32 bytes, host::Site site);
  void begin_copy();
  void check_copy(const void* shared, const void* global, u32 bytes, host::Site site);
  void check_prefetch(const void* global, u32 bytes, host::Site site);
  u32 copy_time() { return schedule_.copy_delay != 0 ? random_.around(schedule_.copy_delay) : 0; }
  bool copies_finished(const CudaThread& thread) const;  // those that it waits for
  void check_copies_read(const CudaThread& thread);
  void check_copies_arrived(const Cta& cta);
  void advance_due_copies();
  void advance_any_copy();
  void advance_copy(std::size_t index);
  static void read_source(BulkCopy& copy);
  void write_destination(const BulkCopy& copy);
  void wake_issuer(const BulkCopy& copy);
  void finish_copies(u32 grid);
  void watch_writes(Cta& cta);
  void switch_watched(const CudaThread& next);
  void note_writes(Cta& cta);  // since the thread that is watched last began or ceased to run

  // Memory.
  void check_access(const void* address, u32 bytes, host::Site site);
  void check_global(const void* address, u32 bytes, host::Site site);
  bool find_allocation(const void* address, u32 bytes);

  // Failing. fail() returns only to the scheduler outside the fibres.
  void fail(const Failure& failure);
  void fail_here(const char* what, host::Site site) { fail({.what = what, .thread = current_, .site = site}); }
  std::string report() const;
  std::string place_of(const CudaThread& thread) const;
  std::string waiting_lanes() const;

  void wait_for_predecessor(host::Site site);
  void poll_pause(host::Site site);
  void sync_block(host::Site site);

  static void enter_thread(FibreTransfer transfer);
  void resume(CudaThread& thread) {
    Fibre& from = current_ != nullptr ? static_cast<Fibre&>(*current_) : main_;
    if (watching_) switch_watched(thread);
    current_ = &thread;
    warp_ = thread.warp;
    hooks_.lane = &thread;
    switch_fibre(from, thread);
  }
  void leave_fibres();

  const Allocations& allocations_;
  Allocations::Range recent_[4] = {};
  u32 recent_next_ = 0;

  Schedule schedule_;
  Random random_{0};
  WeakMemory memory_;
  std::vector<GridState> grids_;
  u32 dispatching_ = 0;  // first grid with CTAs that have not started
  std::vector<std::unique_ptr<Cta>> ctas_;
  std::vector<Cluster> clusters_{kSlots};  // each in the slot of its first CTA
  std::vector<u32> free_slots_;
  u32 resident_limit_ = 1;
  u32 next_serial_ = 1;

  static constexpr u32 kQueueCapacity = 512;  // warps of all resident CTAs, a power of two
  Warp* queue_[kQueueCapacity];               // a ring of warps with runnable lanes
  u32 queue_first_ = 0;
  u32 queue_count_ = 0;
  std::vector<Warp*> parked_;   // of CTAs that stand still
  std::vector<Warp*> pollers_;  // with lanes that wait for memory to change
  u32 changes_seen_ = 0;
  u64 progress_ = 0;  // arrivals, and what bulk copies have done
  u64 progress_seen_ = 0;
  u32 futile_looks_ = 0;

  std::vector<BulkCopy> copies_;  // under way
  u64 copies_due_ = kNever;       // step at which the first of them goes on
  bool watching_ = false;         // some thread's unfenced writes

  Fibre main_;
  CudaThread* current_ = nullptr;
  Warp* warp_ = nullptr;  // of current_
  bool leave_warp_ = false;
  u32 slice_left_ = 0;
  u32 preempt_left_ = 0;
  u32 spun_ = 0;  // accesses since a store was last pushed out on behalf of spinning threads
  u32 drain_left_ = 0;
  u64 step_ = 0;
  u64 start_at_ = 0;  // step before which no CTA starts
  u64 work_left_ = 0;
  Cta* leaving_ = nullptr;  // its last thread has exited
  Failure failure_;
};

}  // namespace scantune
