#pragma once

#include "core/parts/begin_kernel.h"
#include "core/parts/offset_segments.h"
#include "core/parts/segment_list.h"
#include "scan/config/scan_segments.h"
#include "scan/parts/any_pointers.h"
#include "scan/parts/group_scan.h"
#include "scan/parts/part_prefixes.h"
#include "scan/parts/tile_walk.h"

namespace scantune {

// The place of the segment's first item in the order of the scan.
template <class Problem>
SCANTUNE_DEVICE u64 first_item(const KernelArguments& arguments, const Segment& its) {
  return Problem::kRequest.direction == Direction::reverse ? arguments.n - its.end : its.begin;
}

template <class Problem>
SCANTUNE_DEVICE auto init_of_segment(const KernelArguments& arguments, u64 number) {
  using T = typename Problem::Accumulator;
  if constexpr (Problem::kInitOfEach)
    return scantune::load_global<CacheHint::normal>(arguments.operand<const T>(OperandRole::init) + number);
  else
    return Problem::init(arguments);
}

// What is too long for a group: a warp scans it part by part.
template <class Problem, ScanSegmentsConfig kConfig>
class LongScan {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Warp = GroupScan<Problem, kConfig, kWarpThreads>;

 public:
  SCANTUNE_DEVICE LongScan(const KernelArguments& arguments, u64 number)
      : arguments_(arguments),
        number_(number),
        its_(SegmentsOf<Problem>::at(arguments, number)),
        parts_(its_.items(), most_items_of_warp(kConfig), kMostScannedParts) {}

  // Puts it on the list, if it is too long for a warp and there is room. All lanes of a warp call this.
  SCANTUNE_DEVICE bool is_listed(const SegmentList<T>& list, u32 lane) const {
    if (parts_.count == 1) return false;
    return scantune::shuffle_index(lane == 0 && list.add(number_, parts_.count) ? 1u : 0u, 0) != 0;
  }

  // Scans it part by part. All lanes of a warp call this.
  SCANTUNE_DEVICE void scan(u32 lane) const {
    PartPrefixes<Op> prefixes;
    for (u32 part = 0; part < parts_.count; ++part) {
      T prefix;
      if (part > 0) prefix = prefixes.before(part, lane);
      prefixes.take(part, lane, scan(part, prefix));
    }
  }

  // Scans a part, given what is before it in the segment if it is not the first. Returns the combination of its items.
  SCANTUNE_DEVICE T scan(u32 part, T prefix) const {
    T before[1] = {prefix}, total[1];
    if constexpr (Problem::kHasInit) {
      const T init = init_of_segment<Problem>(arguments_, number_);
      before[0] = part > 0 ? Op::combine(init, prefix) : init;
    }
    const typename Warp::Run runs[1] = {run_of(part)};
    Warp::scan(arguments_, runs, before, Problem::kHasInit || part > 0, total);
    return total[0];
  }

  SCANTUNE_DEVICE T reduce(u32 part) const { return Warp::reduce(arguments_, run_of(part)); }

 private:
  SCANTUNE_DEVICE typename Warp::Run run_of(u32 part) const {
    const u64 place = u64{part} * parts_.items, left = its_.items() - place;
    return Warp::run_of(arguments_, first_item<Problem>(arguments_, its_) + place,
                        left < parts_.items ? static_cast<u32>(left) : parts_.items);
  }

  const KernelArguments& arguments_;
  u64 number_;
  Segment its_;
  SegmentParts parts_;
};

// Each group scans some segments at once, a CTA apart.
template <class Problem, ScanSegmentsConfig kConfig>
SCANTUNE_DEVICE void scan_by_groups(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  constexpr u32 kThreads = kConfig.segment_threads, kGroups = kConfig.block_threads / kThreads;
  constexpr u32 kAtOnce = kConfig.segments_at_once, kGroupsOfWarp = kWarpThreads / kThreads;
  constexpr u64 kMostItems = kThreads == kWarpThreads ? most_items_of_warp(kConfig)
                                                      : u64{kMostTilesOfGroup} * kThreads * kConfig.items_per_thread;
  using Group = GroupScan<Problem, kConfig, kThreads>;
  const u32 lane = thread_rank() % kWarpThreads, group = thread_rank() / kThreads;
  const u64 block = u64{block_rank()} * kGroups * kAtOnce, stride = u64{block_count()} * kGroups * kAtOnce;
  begin_kernel<kConfig.pdl>();
  const u64 count = SegmentsOf<Problem>::count(arguments, arguments.extents[0]);

  // Scan those that are not too long.
  bool all_short = true;
  for (u64 first = block + group; first - group < count; first += stride) {
    typename Group::Run runs[kAtOnce];
    T before[kAtOnce], totals[kAtOnce];
#pragma unroll
    for (u32 turn = 0; turn < kAtOnce; ++turn) {
      const u64 number = first + turn * kGroups;
      const Segment its = number < count ? SegmentsOf<Problem>::at(arguments, number) : Segment{0, 0};
      const bool is_short = its.items() <= kMostItems;
      all_short = all_short && is_short;
      runs[turn] =
          Group::run_of(arguments, first_item<Problem>(arguments, its), is_short ? static_cast<u32>(its.items()) : 0);
      if constexpr (Problem::kHasInit)
        if (number < count) before[turn] = init_of_segment<Problem>(arguments, number);
    }
    Group::scan(arguments, runs, before, Problem::kHasInit, totals);
  }
  if (all_lanes(all_short)) return;

  // The warp takes its groups' others one by one. It reads offsets again, so that this takes no registers above.
  const SegmentList<T> list(arguments);
  const u32 warp = thread_rank() / kWarpThreads;
  for (u64 first = block + warp * kGroupsOfWarp; first - warp * kGroupsOfWarp < count; first += stride)
#pragma unroll 1
    for (u32 turn = 0; turn < kAtOnce; ++turn) {
      const u64 of_warp = first + turn * kGroups, number = of_warp + lane;
      const bool is_long =
          lane < kGroupsOfWarp && number < count && SegmentsOf<Problem>::at(arguments, number).items() > kMostItems;
      for (u32 left = ballot(~0u, is_long); left != 0; left &= left - 1) {
        const LongScan<Problem, kConfig> segment(arguments, of_warp + count_trailing_zeros(left));
        if (!segment.is_listed(list, lane)) segment.scan(lane);
      }
    }
}

// Each CTA scans one segment after another.
template <class Problem, ScanSegmentsConfig kConfig>
SCANTUNE_DEVICE void scan_by_blocks(const KernelArguments& arguments) {
  using Walk = TileWalk<AnyPointers<Problem>, segment_shape(kConfig, Problem::kRequest)>;
  constexpr u64 kMostItems = kConfig.block_threads / kWarpThreads * most_items_of_warp(kConfig);
  static_assert(sizeof(typename Walk::Shared) <= shared_bytes(kConfig, Problem::kRequest));
  auto& shared = shared_memory<typename Walk::Shared>();
  const u32 lane = thread_rank() % kWarpThreads;
  const SegmentList<typename Problem::Accumulator> list(arguments);
  begin_kernel<kConfig.pdl>();
  const u64 count = SegmentsOf<Problem>::count(arguments, arguments.extents[0]);

  for (u64 number = block_rank(); number < count; number += block_count()) {
    const Segment its = SegmentsOf<Problem>::at(arguments, number);
    const u64 first = first_item<Problem>(arguments, its), items = its.items();
    if (items > kMostItems) {
      const LongScan<Problem, kConfig> segment(arguments, number);
      if (thread_rank() < kWarpThreads && !segment.is_listed(list, lane)) segment.scan(lane);
    } else if (items > 0) {
      Walk::scan(shared, Problem::input(arguments) + first, Problem::output(arguments) + first, items,
                 init_of_segment<Problem>(arguments, number));
    }
    if (count - number > block_count()) sync_block();  // no warp reads what the next segment writes
  }
}

template <class Problem, ScanSegmentsConfig kConfig>
SCANTUNE_DEVICE void scan_segments(const KernelArguments& arguments) {
  if constexpr (takes_all_of_cta(kConfig))
    scantune::scan_by_blocks<Problem, kConfig>(arguments);
  else
    scantune::scan_by_groups<Problem, kConfig>(arguments);
}

// Calls visit(slot, entry, part of the entry) for parts of segments on the list that the warp takes.
template <class Problem, ScanSegmentsConfig kConfig>
SCANTUNE_DEVICE void visit_parts(const SegmentList<typename Problem::Accumulator>& list, u32 lane, const auto& visit) {
  constexpr u32 kWarps = kConfig.block_threads / kWarpThreads;
  const u64 parts = list.parts();
  for (u64 part = block_rank() * kWarps + thread_rank() / kWarpThreads; part < parts; part += block_count() * kWarps) {
    const u64 slot = list.slot_of(part, lane);
    const ListedSegment entry = list.at(slot);
    const u32 own = static_cast<u32>(part - entry.first_part);
    if (own >= entry.parts) break;
    visit(slot, entry, own);
  }
}

// Each warp reduces parts of segments on the list. What these come to becomes what is before them.
template <class Problem, ScanSegmentsConfig kConfig>
SCANTUNE_DEVICE void reduce_listed(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  const u32 lane = thread_rank() % kWarpThreads;
  const SegmentList<T> list(arguments);
  begin_kernel<kConfig.pdl>();
  visit_parts<Problem, kConfig>(list, lane, [&](u64 slot, const ListedSegment& entry, u32 part) {
    const T total = LongScan<Problem, kConfig>(arguments, entry.segment).reduce(part);

    // Leave it for the warp that arrives last, which scans what the parts come to.
    T* const partials = list.partials(entry);
    bool is_last = false;
    if (lane == 0) {
      scantune::store_payload(partials + part, total);
      fence();  // the partial result is there before it is counted
      is_last = list.arrive(slot, entry.parts);
      fence();  // what all have counted is there
    }
    if (scantune::shuffle_index(is_last ? 1u : 0u, 0) == 0) return;
    sync_warp();  // orders the first lane's count before what the others read
    PartPrefixes<typename Problem::Op>::scan(partials, entry.parts, lane);
  });
}

// Each warp scans parts of segments on the list.
template <class Problem, ScanSegmentsConfig kConfig>
SCANTUNE_DEVICE void scan_listed(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  const u32 lane = thread_rank() % kWarpThreads;
  const SegmentList<T> list(arguments);
  begin_kernel<kConfig.pdl>();
  visit_parts<Problem, kConfig>(list, lane, [&](u64, const ListedSegment& entry, u32 part) {
    T prefix;
    if (part > 0) prefix = scantune::load_payload(list.partials(entry) + part);
    LongScan<Problem, kConfig>(arguments, entry.segment).scan(part, prefix);
  });
  if (lane == 0) list.leave(block_count() * (kConfig.block_threads / kWarpThreads));
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                                         \
  SCANTUNE_KERNEL(scan_segments, kConfig.block_threads, kConfig.min_ctas_per_sm) {                                     \
    ::scantune::scan_segments<Problem, kConfig>(arguments);                                                            \
  }                                                                                                                    \
  SCANTUNE_KERNEL(reduce_listed, kConfig.block_threads, 1) { ::scantune::reduce_listed<Problem, kConfig>(arguments); } \
  SCANTUNE_KERNEL(scan_listed, kConfig.block_threads, 1) { ::scantune::scan_listed<Problem, kConfig>(arguments); }
