// The segments that are too long for one warp: a list in the workspace, with room for what each part of them comes to.
#pragma once

#include "core/contract/segment_list.h"
#include "core/machine/bits.h"
#include "core/machine/status.h"
#include "core/machine/warp.h"
#include "core/parts/offset_segments.h"

namespace scantune {

// How a segment is cut: into parts of a multiple of so many items, at most `most_parts` unless there would be more than
// 2^31 items in one.
struct SegmentParts {
  u32 items;  // of a part
  u64 count;

  SCANTUNE_DEVICE SegmentParts(u64 segment_items, u32 least_items, u32 most_parts) {
    const u64 least = ceil_div(segment_items, u64{least_items} * most_parts), most = (u32{1} << 31) / least_items;
    items = least_items * static_cast<u32>(least < most ? least : most);
    count = ceil_div(segment_items, u64{items});
  }
};

// The header of the workspace counts entries, and the parts of all of them below.
template <class T>
class SegmentList {
  static constexpr int kCountShift = 40;

 public:
  SCANTUNE_DEVICE explicit SegmentList(const KernelArguments& arguments)
      : header_(static_cast<WorkspaceHeader*>(arguments.workspace)),
        entries_(reinterpret_cast<ListedSegment*>(bytes(arguments) + arguments.scratch[0])),
        partials_(reinterpret_cast<T*>(bytes(arguments) + arguments.scratch[1])),
        room_(arguments.extents[1]) {}

  // Returns whether there is room for the segment: the list then has it. Called by one thread. Once it is full nothing
  // is added to the counts, which could not hold any number of them.
  SCANTUNE_DEVICE bool add(u64 segment, u64 parts) const {
    if (parts > room_ || parts_of(scantune::load_relaxed_wide(&header_->gathered)) >= room_) return false;
    const u64 before = fetch_add(&header_->gathered, (u64{1} << kCountShift) + parts);
    const u64 first = parts_of(before), slot = before >> kCountShift;
    const bool fits = first + parts <= room_;
    if (slot < room_ / 2)
      scantune::store_payload(entries_ + slot, {segment, first, fits ? static_cast<u32>(parts) : 0, 0});
    return fits;
  }

  // How many parts there are. Those of entries without room are among them, and nothing is to be done for them.
  SCANTUNE_DEVICE u64 parts() const {
    const u64 parts = parts_of(scantune::load_relaxed_wide(&header_->gathered));
    return parts < room_ ? parts : room_;
  }

  // The entry with that part. All lanes of the warp search it, and get its slot.
  SCANTUNE_DEVICE u64 slot_of(u64 part, u32 lane) const {
    const u64 all = scantune::load_relaxed_wide(&header_->gathered) >> kCountShift, most = room_ / 2;
    u64 first = 0, count = all < most ? all : most;
    while (count > 1) {
      const u64 step = ceil_div(count, u64{kWarpThreads}), mine = lane * step;
      const bool begins_before = mine < count && scantune::load_payload(&entries_[first + mine].first_part) <= part;
      const u64 before = (count_ones(ballot(~0u, begins_before)) - 1) * step;
      first += before;
      count = count - before < step ? count - before : step;
    }
    return first;
  }

  SCANTUNE_DEVICE ListedSegment at(u64 slot) const { return scantune::load_payload(entries_ + slot); }

  SCANTUNE_DEVICE T* partials(const ListedSegment& entry) const { return partials_ + entry.first_part; }

  // Calls visit(slot, entry, part of the entry) for every part that the warp takes, of CTAs with so many warps. Returns
  // whether the list has any: of an empty one no warp needs to leave.
  template <class Visit>
  SCANTUNE_DEVICE bool visit_parts(u32 block_warps, u32 lane, const Visit& visit) const {
    const u64 all = parts();
    for (u64 part = block_rank() * block_warps + thread_rank() / kWarpThreads; part < all;
         part += block_count() * block_warps) {
      const u64 slot = slot_of(part, lane);
      const ListedSegment entry = at(slot);
      const u32 own = static_cast<u32>(part - entry.first_part);
      if (own >= entry.parts) break;
      visit(slot, entry, own);
    }
    return all > 0;
  }

  // Leaves what a part came to, which the first lane has. Returns whether it is the last part of its entry: what the
  // others came to is there then, for all lanes of the warp.
  SCANTUNE_DEVICE bool is_last_to_leave(u64 slot, const ListedSegment& entry, u32 part, const T& total,
                                        u32 lane) const {
    bool is_last = false;
    if (lane == 0) {
      scantune::store_payload(partials(entry) + part, total);
      fence();  // the partial result is there before it is counted
      is_last = fetch_add(&entries_[slot].arrived, 1) == entry.parts - 1;
      fence();  // what all have counted is there
    }
    if (scantune::shuffle_index(is_last ? 1u : 0u, 0) == 0) return false;
    sync_warp();  // orders the first lane's count before what the others read
    return true;
  }

  // Each of so many warps calls this once, when it has found no more parts. The last one leaves the header as the next
  // launch must find it.
  SCANTUNE_DEVICE void leave(u32 warps) const {
    if (fetch_add(&header_->finished, 1) != warps - 1) return;
    scantune::store_relaxed_wide(&header_->gathered, u64{0});
    store_relaxed(&header_->finished, 0);
  }

 private:
  SCANTUNE_DEVICE static unsigned char* bytes(const KernelArguments& arguments) {
    return static_cast<unsigned char*>(arguments.workspace);
  }
  SCANTUNE_DEVICE static u64 parts_of(u64 counted) { return counted & ((u64{1} << kCountShift) - 1); }

  WorkspaceHeader* const header_;
  ListedSegment* const entries_;
  T* const partials_;
  const u64 room_;
};

// Calls visit(number) for every segment of more than so many items that the warp's groups of kThreads have met, where
// each takes kAtOnce of them, a CTA apart. All lanes of the warp call this. It reads offsets again, so that what the
// groups do before takes no registers for it.
template <class Problem, u32 kThreads, u32 kAtOnce, class Visit>
SCANTUNE_DEVICE void visit_longer(const KernelArguments& arguments, u32 block_threads, u64 most_items,
                                  const Visit& visit) {
  constexpr u32 kGroupsOfWarp = kWarpThreads / kThreads;
  const u32 groups = block_threads / kThreads, lane = thread_rank() % kWarpThreads;
  const u32 before = thread_rank() / kWarpThreads * kGroupsOfWarp;  // groups of the CTA before the warp
  const u64 block = u64{block_rank()} * groups * kAtOnce, stride = u64{block_count()} * groups * kAtOnce;
  const u64 count = SegmentsOf<Problem>::count(arguments, arguments.extents[0]);
  for (u64 first = block; first < count; first += stride)
#pragma unroll 1
    for (u32 turn = 0; turn < kAtOnce; ++turn) {
      const u64 of_warp = first + before + turn * groups, number = of_warp + lane;
      const bool is_longer =
          lane < kGroupsOfWarp && number < count && SegmentsOf<Problem>::at(arguments, number).items() > most_items;
      for (u32 left = ballot(~0u, is_longer); left != 0; left &= left - 1) visit(of_warp + count_trailing_zeros(left));
    }
}

}  // namespace scantune
