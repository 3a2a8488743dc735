// Accesses of threads to global memory, after a check that they are legal.
#pragma once

#include <bit>

#include "device/host/allocations.h"
#include "device/host/pollers.h"

namespace scantune {

class GlobalAccess {
 public:
  GlobalAccess(const Allocations& allocations, WeakMemory& memory, Scheduler& scheduler, Failures& failures,
               Pollers& pollers)
      : allocations_(allocations), memory_(memory), scheduler_(scheduler), failures_(failures), pollers_(pollers) {}

  void reset();

  // What the current thread does.
  void load(void* out, const void* address, u32 bytes, host::Order order, host::Site site) {
    CudaThread& thread = begin(address, bytes, site);
    if (order == host::Order::plain) moved_bytes_ += bytes;
    if (order != host::Order::plain) pollers_.note_poll(thread, address);
    memory_.load(thread.viewer, out, static_cast<const unsigned char*>(address), bytes, order == host::Order::plain);
    if (order == host::Order::acquire) thread.viewer.view = memory_.now();
  }
  void store(void* address, const void* in, u32 bytes, host::Order order, host::Site site) {
    const Viewer& viewer = begin(address, bytes, site).viewer;
    if (order == host::Order::plain) moved_bytes_ += bytes;
    if (order == host::Order::release) memory_.drain_visible(viewer);
    memory_.store(viewer, static_cast<unsigned char*>(address), in, bytes);
  }
  u32 fetch_add(u32* address, u32 value, host::Site site);
  u64 compare_exchange(u64* address, u64 expected, u64 desired, host::Site site);
  void fence();

  // How much ordinary loads and stores have moved so far; not those of status words.
  u64 moved_bytes() const { return moved_bytes_; }

  // Fails unless the current thread may access it.
  void check(const void* address, u32 bytes, host::Site site) {
    if (!scheduler_.current().predecessor_done)
      refuse("accesses global memory before wait_for_predecessor, in a launch that may overlap the one before it:",
             address, site);
    if (!allocated(address, bytes)) refuse("accesses global memory out of bounds:", address, site);
  }
  bool allocated(const void* address, u32 bytes) {
    return recent_[0].contains(address, bytes) || recent_[1].contains(address, bytes) || find(address, bytes);
  }

 private:
  CudaThread& begin(const void* address, u32 bytes, host::Site site) {
    CudaThread& thread = scheduler_.begin_operation(site);
    if (!std::has_single_bit(bytes) || bytes > 16)
      refuse("accesses a number of bytes that no instruction moves:", address, site);
    if ((reinterpret_cast<u64>(address) & (bytes - 1)) != 0) refuse("accesses a misaligned address:", address, site);
    check(address, bytes, site);
    return thread;
  }
  bool find(const void* address, u32 bytes);
  void refuse(const char* what, const void* address, host::Site site);  // fails an access of the current thread

  const Allocations& allocations_;
  WeakMemory& memory_;
  Scheduler& scheduler_;
  Failures& failures_;
  Pollers& pollers_;
  Allocations::Range recent_[4] = {};
  u32 recent_next_ = 0;
  u64 moved_bytes_ = 0;
};

}  // namespace scantune
