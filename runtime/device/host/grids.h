// The grids of a run and their CTAs: which of them start, and which have ended.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/host/clusters.h"

namespace scantune {

// One kernel of a sequence, as a stream would run it.
struct Grid {
  const char* name;
  host::KernelFunction kernel;
  Launch launch;
  KernelArguments arguments;
};

class Grids {
 public:
  // machine: what the threads' hooks find; entry: where their fibres begin.
  Grids(Machine& machine, FibreEntry entry, Choices& choices, WeakMemory& memory, WatchedWrites& watched,
        Scheduler& scheduler, Failures& failures, Barriers& barriers, BulkCopies& copies, Clusters& clusters);

  void reset(std::span<const Grid> grids);

  const Grid& of(const CudaThread& thread) const { return *grids_[thread.viewer.grid].grid; }
  const Grid& of(const Cta& cta) const { return *grids_[cta.grid].grid; }
  std::span<const std::unique_ptr<Cta>> ctas() const { return ctas_; }
  u32 started_ctas() const { return started_ctas_; }
  bool finished() const { return dispatching_ == grids_.size() && grids_.back().running == 0; }

  bool may_start() const;
  void start_cluster();
  void start_late_or_now();

  void wait_for_predecessor(host::Site site);  // the current thread waits
  void release(Cta& cta);                      // lets the next grid start, as far as this CTA goes
  void retire(Cta& cta);                       // after its last thread has exited; called outside the threads' fibres

 private:
  struct GridState {
    const Grid* grid;
    u32 started = 0;         // CTAs
    u32 unreleased;          // CTAs that have neither exited nor released the next grid
    u32 running;             // CTAs that have not exited
    std::vector<u32> order;  // order of the clusters; empty: by index
  };

  void add(const Grid& grid);
  void start_cta(Cta& cta, u32 grid);
  void start_warp(Cta& cta, u32 index);
  void start_thread(Cta& cta, u32 rank);
  void finish(u32 grid);

  Machine& machine_;
  FibreEntry entry_;
  Choices& choices_;
  WeakMemory& memory_;
  WatchedWrites& watched_;
  Scheduler& scheduler_;
  Failures& failures_;
  Barriers& barriers_;
  BulkCopies& copies_;
  Clusters& clusters_;

  std::vector<GridState> grids_;
  u32 dispatching_ = 0;                     // first grid with CTAs that have not started
  std::vector<std::unique_ptr<Cta>> ctas_;  // by slot
  std::vector<u32> free_slots_;
  u32 started_ctas_ = 0;
  u64 start_at_ = 0;  // step before which no CTA starts
};

}  // namespace scantune
