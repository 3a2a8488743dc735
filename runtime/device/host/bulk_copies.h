// Pending bulk copies, which read and write late, and the values that CTAs send each other.
#pragma once

#include <array>
#include <vector>

#include "device/host/barriers.h"
#include "device/host/bulk_copy.h"
#include "device/host/global_access.h"

namespace scantune {

class BulkCopies {
 public:
  BulkCopies(Choices& choices, WeakMemory& memory, WatchedWrites& watched, Fibres& fibres, Scheduler& scheduler,
             Failures& failures, GlobalAccess& global, Barriers& barriers)
      : choices_(choices),
        memory_(memory),
        watched_(watched),
        fibres_(fibres),
        scheduler_(scheduler),
        failures_(failures),
        global_(global),
        barriers_(barriers) {}

  void reset();
  void open(u32 slot) { ctas_[slot] = {}; }  // begins a new CTA

  // What the current thread does.
  void load(void* shared, const void* global, u32 bytes, u64* barrier, host::Site site);
  void store(void* global, const void* shared, u32 bytes, host::Site site);
  void commit(host::Site site);
  void wait(u32 unfinished_groups, bool written, host::Site site);
  void fence(host::Site site);
  void prefetch(const void* global, u32 bytes, host::Site site);
  void send(Cta& to, u32 barrier, unsigned char* place, const void* in, u32 bytes, host::Site site);

  // advance_due() advances the copies that are due, advance_any() any one of them, and finish() completes those of a
  // grid that has ended.
  void advance_due() {
    if (scheduler_.step() >= due_) advance_all_due();
  }
  void advance_any();  // there must be one
  void finish(u32 grid);
  bool empty() const { return copies_.empty(); }

  void check_read(const CudaThread& thread);  // called when a thread exits
  void check_arrived(const Cta& cta);         // called when a CTA ends

 private:
  static constexpr u64 kNever = ~0ull;  // a step that does not come
  struct OfCta {
    bool has_fenced = false;  // some thread has executed fence_shared_for_bulk
    bool has_loaded = false;
  };

  BulkCopy& issue(BulkCopy::Direction direction, void* shared, void* global, u32 bytes, host::Site site);
  void check(const void* shared, const void* global, u32 bytes, host::Site site);
  void begin_newest();  // the newest copy may read at once
  u32 draw_time() {
    return choices_.schedule.copy_delay != 0 ? choices_.random.around(choices_.schedule.copy_delay) : 0;
  }
  bool finished_for(const CudaThread& thread) const;  // the copies that it waits for
  void advance_all_due();
  void advance(std::size_t index);
  static void read_source(BulkCopy& copy);
  void write_destination(const BulkCopy& copy);
  void wake_issuer(const BulkCopy& copy);

  Choices& choices_;
  WeakMemory& memory_;
  WatchedWrites& watched_;
  Fibres& fibres_;
  Scheduler& scheduler_;
  Failures& failures_;
  GlobalAccess& global_;
  Barriers& barriers_;

  std::vector<BulkCopy> copies_;
  u64 due_ = kNever;  // step at which the first of them goes on
  std::array<OfCta, kSlots> ctas_;
};

}  // namespace scantune
