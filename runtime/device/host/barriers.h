// Barriers in shared memory: where threads arrive, test and wait, and bytes are counted.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "device/host/scheduler.h"

namespace scantune {

class Barriers {
 public:
  Barriers(WeakMemory& memory, WatchedWrites& watched, Scheduler& scheduler, Failures& failures)
      : memory_(memory), watched_(watched), scheduler_(scheduler), failures_(failures) {}

  void open(u32 slot);  // begins a new CTA, without barriers

  // What the current thread does.
  void init(u64* word, u32 arrivals, host::Site site);
  void fence_init(host::Site site);
  void arrive(u64* word, u32 announced_bytes, host::Site site);
  bool test(u64* word, u32 parity, host::Site site);
  void wait(u64* word, u32 parity, host::Scope scope, host::Site site);

  // The index of the CTA's barrier at the place that mine has in the current thread's CTA. unfenced: what the thread
  // has done wrong if the barrier does not serve copies.
  u32 find_for_copies(const Cta& cta, const u64* mine, const char* unfenced, host::Site site);
  void expect_sends(const Cta& cta, u32 index) { of(cta).barriers[index].takes_sends = true; }
  void take(Cta& cta, u32 index, u32 bytes, const CudaThread& sender, host::Site site);  // counts bytes that have come

  bool wake_testing(std::span<const std::unique_ptr<Cta>> ctas);  // returns whether any has barriers
  const BarrierState& awaited_by(const CudaThread& thread) const {
    return ctas_[thread.warp->cta->slot].barriers[thread.barrier];
  }

 private:
  struct OfCta {
    std::vector<BarrierState> barriers;
    u32 phases_ended = 0;  // phases of all of them
  };
  OfCta& of(const Cta& cta) { return ctas_[cta.slot]; }

  u32 find(const Cta& cta, const u64* mine, host::Site site);
  bool end_phase_if_complete(Cta& cta, u32 index);
  void see_phase_end(CudaThread& thread, const BarrierState& barrier, host::Scope scope);

  WeakMemory& memory_;
  WatchedWrites& watched_;
  Scheduler& scheduler_;
  Failures& failures_;
  std::array<OfCta, kSlots> ctas_;
};

}  // namespace scantune
