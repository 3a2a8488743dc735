// A list of segments in a counted workspace, filled by one launch and taken one by one by the next.
#pragma once

#include "core/machine/status.h"

namespace scantune {

// The header counts entries and those that have been taken.
class ListedSegments {
 public:
  SCANTUNE_DEVICE ListedSegments(const KernelArguments& arguments, u64 begin, u64 room)
      : header_(static_cast<WorkspaceHeader*>(arguments.workspace)),
        entries_(reinterpret_cast<u64*>(static_cast<unsigned char*>(arguments.workspace) + begin)),
        room_(room) {}

  // Called by one thread. A segment for which there is no room is left out.
  SCANTUNE_DEVICE void add(u64 segment) const {
    const u64 slot = fetch_add(&header_->gathered, u64{1});
    if (slot < room_) scantune::store_global<CacheHint::normal>(entries_ + slot, segment);
  }

  SCANTUNE_DEVICE u64 count() const {
    const u64 count = scantune::load_relaxed_wide(&header_->gathered);
    return count < room_ ? count : room_;
  }
  SCANTUNE_DEVICE u64 at(u64 slot) const { return scantune::load_global<CacheHint::normal>(entries_ + slot); }

  // The next slot to take, by one thread of a CTA.
  SCANTUNE_DEVICE u64 take() const { return fetch_add(&header_->ticket, 1); }

  // A thread of each CTA calls this once, when no slot is left. The last one leaves the header as the next launch must
  // find it.
  SCANTUNE_DEVICE void leave() const {
    if (fetch_add(&header_->finished, 1) != block_count() - 1) return;
    scantune::store_relaxed_wide(&header_->gathered, u64{0});
    store_relaxed(&header_->ticket, 0);
    store_relaxed(&header_->finished, 0);
  }

 private:
  WorkspaceHeader* const header_;
  u64* const entries_;
  const u64 room_;
};

}  // namespace scantune
