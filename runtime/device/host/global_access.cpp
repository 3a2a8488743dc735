#include "device/host/global_access.h"

#include <algorithm>

namespace scantune {

void GlobalAccess::reset() { std::fill(std::begin(recent_), std::end(recent_), Allocations::Range{}); }

u32 GlobalAccess::fetch_add(u32* address, u32 value, host::Site site) {
  const CudaThread& thread = begin(address, sizeof *address, site);
  const u32 old = memory_.fetch_add(thread.viewer, reinterpret_cast<unsigned char*>(address), value);
  scheduler_.take_long_sometimes();
  return old;
}

u64 GlobalAccess::compare_exchange(u64* address, u64 expected, u64 desired, host::Site site) {
  const CudaThread& thread = begin(address, sizeof *address, site);
  const u64 old = memory_.compare_exchange(thread.viewer, reinterpret_cast<unsigned char*>(address), expected, desired);
  scheduler_.take_long_sometimes();
  return old;
}

void GlobalAccess::fence() {
  scheduler_.access_point();
  Viewer& viewer = scheduler_.current().viewer;
  memory_.drain_visible(viewer);
  viewer.view = memory_.now();
  scheduler_.take_long_sometimes();
}

void GlobalAccess::refuse(const char* what, const void* address, host::Site site) {
  failures_.fail({.what = what, .thread = &scheduler_.current(), .site = site, .address = address});
}

bool GlobalAccess::find(const void* address, u32 bytes) {
  if (recent_[2].contains(address, bytes) || recent_[3].contains(address, bytes)) return true;
  const Allocations::Range* const range = allocations_.find(address);
  if (range == nullptr || !range->contains(address, bytes)) return false;
  recent_[recent_next_++ % std::size(recent_)] = *range;
  return true;
}

}  // namespace scantune
