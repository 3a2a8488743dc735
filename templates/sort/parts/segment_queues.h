// Queues of segments in a counted workspace, one for each range of lengths: one launch fills them, and CTAs of the next
// take from them.
#pragma once

#include "core/machine/bits.h"
#include "core/machine/status.h"
#include "core/machine/warp.h"
#include "sort/config/sort_segments.h"

namespace scantune {

template <NetworkShape kShape>
class SegmentQueues {
 public:
  SCANTUNE_DEVICE explicit SegmentQueues(const KernelArguments& arguments)
      : header_(static_cast<QueuesHeader*>(arguments.workspace)),
        entries_(reinterpret_cast<u64*>(static_cast<unsigned char*>(arguments.workspace) + sizeof(WorkspaceHeader))),
        n_(arguments.n),
        segments_(arguments.extents[0]) {}

  // Adds the segments of those lanes of the warp that have one, `its` items long. One without room is left out.
  SCANTUNE_DEVICE void add(bool has_one, u64 segment, u64 its, u32 lane) const {
    const u32 own = has_one ? queue_of(its) : kShape.queues();
#pragma unroll 1
    for (u32 queue = 0; queue < kShape.queues(); ++queue) {
      const u32 lanes = ballot(~0u, own == queue);
      if (lanes == 0) continue;
      const u32 first_lane = count_trailing_zeros(lanes);
      u64 slot = 0;
      if (lane == first_lane) slot = fetch_add(&header_->added[queue], u64{count_ones(lanes)});
      slot = scantune::shuffle_index(slot, first_lane) + count_ones(lanes_before(lanes, lane));
      if (own == queue && slot < kShape.room(queue, n_, segments_))
        scantune::store_global<CacheHint::normal>(entries_ + begin(queue) + slot, segment);
    }
  }

  SCANTUNE_DEVICE u64 count(u32 queue) const {
    const u64 count = scantune::load_relaxed_wide(&header_->added[queue]), room = kShape.room(queue, n_, segments_);
    return count < room ? count : room;
  }
  SCANTUNE_DEVICE u64 at(u32 queue, u64 slot) const {
    return scantune::load_global<CacheHint::normal>(entries_ + begin(queue) + slot);
  }

  // Takes the next slots of the last queue that has any, for one thread of a CTA. left: the queues that may have some;
  // in the end 0. Returns the first slot.
  SCANTUNE_DEVICE u64 take(u32& left) const {
    for (; left > 0; --left) {
      const u64 all = count(left - 1);
      if (all == 0) continue;
      const u64 slot = fetch_add(&header_->taken[left - 1], u64{kShape.at_once(left - 1)});
      if (slot < all) return slot;
    }
    return 0;
  }

  // A thread of each CTA calls this once, when no slot is left. The last one leaves the header as the next launch must
  // find it.
  SCANTUNE_DEVICE void leave() const {
    if (fetch_add(&header_->finished, 1) != block_count() - 1) return;
    for (u32 queue = 0; queue < kShape.queues(); ++queue) {
      scantune::store_relaxed_wide(&header_->added[queue], u64{0});
      scantune::store_relaxed_wide(&header_->taken[queue], u64{0});
    }
    store_relaxed(&header_->finished, 0);
  }

 private:
  SCANTUNE_DEVICE static u32 queue_of(u64 items) {
    if (items > kShape.tile_items()) return kShape.classes();
    const u32 last_chunk = static_cast<u32>((items - 1) >> kShape.chunk_bits);
    return last_chunk == 0 ? 0 : highest_bit(last_chunk) + 1;
  }
  SCANTUNE_DEVICE u64 begin(u32 queue) const {
    u64 begin = 0;
    for (u32 before = 0; before < queue; ++before) begin += kShape.room(before, n_, segments_);
    return begin;
  }

  QueuesHeader* const header_;
  u64* const entries_;
  const u64 n_, segments_;
};

}  // namespace scantune
