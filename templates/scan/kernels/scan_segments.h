#pragma once

#include "core/parts/begin_kernel.h"
#include "core/parts/offset_segments.h"
#include "core/parts/segment_list.h"
#include "scan/config/scan_segments.h"
#include "scan/parts/any_pointers.h"
#include "scan/parts/flat_scan.h"
#include "scan/parts/group_scan.h"
#include "scan/parts/neighbours.h"
#include "scan/parts/part_prefixes.h"
#include "scan/parts/tile_walk.h"

namespace scantune {

template <class Problem>
inline constexpr bool kGoesBackwards = Problem::kRequest.direction == Direction::reverse;
template <class Problem>
using NeighboursOf = Neighbours<Problem, kGoesBackwards<Problem>>;
template <class Problem>
using PieceOf = Piece<Problem, kGoesBackwards<Problem>>;

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
    return Warp::run_of(arguments_, first_place<kGoesBackwards<Problem>>(arguments_, its_) + place,
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
  constexpr u32 kAtOnce = kConfig.segments_at_once;
  constexpr u64 kMostItems = most_items_of_group(kConfig);
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
      runs[turn] = Group::run_of(arguments, first_place<kGoesBackwards<Problem>>(arguments, its),
                                 is_short ? static_cast<u32>(its.items()) : 0);
      if constexpr (Problem::kHasInit)
        if (number < count) before[turn] = init_of_segment<Problem>(arguments, number);
    }
    Group::scan(arguments, runs, before, Problem::kHasInit, totals);
  }
  if (all_lanes(all_short)) return;

  // The warp takes its groups' others one by one.
  const SegmentList<T> list(arguments);
  scantune::visit_longer<Problem, kThreads, kAtOnce>(arguments, kConfig.block_threads, kMostItems, [&](u64 number) {
    const LongScan<Problem, kConfig> segment(arguments, number);
    if (!segment.is_listed(list, lane)) segment.scan(lane);
  });
}

// Scans so many neighbours from one on, each by a group.
template <class Problem, ScanSegmentsConfig kConfig>
SCANTUNE_DEVICE void scan_neighbours_by_groups(const KernelArguments& arguments,
                                               const NeighboursOf<Problem>& neighbours, u32 place, u32 count) {
  using T = typename Problem::Accumulator;
  constexpr u32 kThreads = kConfig.segment_threads, kGroups = kWarpThreads / kThreads;
  using Group = GroupScan<Problem, kConfig, kThreads>;
#pragma unroll 1
  for (u32 first = 0; first < count; first += kGroups) {
    const u32 mine = first + thread_rank() % kWarpThreads / kThreads;
    const Segment its = mine < count ? neighbours.at(arguments, place + mine) : Segment{0, 0};
    const typename Group::Run runs[1] = {
        Group::run_of(arguments, first_place<kGoesBackwards<Problem>>(arguments, its), static_cast<u32>(its.items()))};
    T before[1], totals[1];
    if constexpr (Problem::kHasInit) before[0] = Problem::init(arguments);
    Group::scan(arguments, runs, before, Problem::kHasInit, totals);
  }
}

// Each warp scans neighbouring segments as one sequence.
template <class Problem, ScanSegmentsConfig kConfig>
SCANTUNE_DEVICE void scan_neighbours(const KernelArguments& arguments) {
  using Flat = FlatScan<Problem, kConfig>;
  constexpr NeighbourLimits kLimits = neighbour_limits(kConfig, Problem::kRequest);
  static_assert(kLimits.block_warps * sizeof(typename Flat::Shared) <= shared_bytes(kConfig, Problem::kRequest));
  const u32 lane = thread_rank() % kWarpThreads, warp = thread_rank() / kWarpThreads;
  const SegmentList<typename Problem::Accumulator> list(arguments);
  begin_kernel<kConfig.pdl>();
  const u64 count = SegmentsOf<Problem>::count(arguments, arguments.extents[0]);
  Flat flat(arguments, shared_memory<typename Flat::Shared[kLimits.block_warps]>()[warp]);
  const bool all_short = scantune::take_neighbours<kLimits>(
      arguments, flat, list, count, [&](const PieceOf<Problem>& piece) { flat.scan(piece); },
      [&](const NeighboursOf<Problem>& neighbours, u32 place, u32 segments) {
        scantune::scan_neighbours_by_groups<Problem, kConfig>(arguments, neighbours, place, segments);
      });
  if (all_short) return;

  // Take those that are too long one by one.
  scantune::visit_longer_neighbours<Problem, kLimits>(arguments, count, [&](u64 number) {
    const LongScan<Problem, kConfig> segment(arguments, number);
    if (!segment.is_listed(list, lane)) segment.scan(lane);
  });
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
    const u64 first = first_place<kGoesBackwards<Problem>>(arguments, its), items = its.items();
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
  else if constexpr (kConfig.warp_segments > 0)
    scantune::scan_neighbours<Problem, kConfig>(arguments);
  else
    scantune::scan_by_groups<Problem, kConfig>(arguments);
}

// Each warp reduces parts of long segments on the list. What these come to becomes what is before them.
template <class Problem, ScanSegmentsConfig kConfig>
SCANTUNE_DEVICE void reduce_listed(const KernelArguments& arguments) {
  const u32 lane = thread_rank() % kWarpThreads;
  const SegmentList<typename Problem::Accumulator> list(arguments);
  begin_kernel<kConfig.pdl>();
  list.visit_parts(kConfig.block_threads / kWarpThreads, lane, [&](u64 slot, const ListedSegment& entry, u32 part) {
    if (kConfig.warp_segments > 0 && is_listed_piece(entry.segment)) return;
    const auto total = LongScan<Problem, kConfig>(arguments, entry.segment).reduce(part);
    if (list.is_last_to_leave(slot, entry, part, total, lane))
      PartPrefixes<typename Problem::Op>::scan(list.partials(entry), entry.parts, lane);
  });
}

// Each warp scans parts of segments on the list, or of pieces the segments that begin there.
template <class Problem, ScanSegmentsConfig kConfig>
SCANTUNE_DEVICE void scan_listed(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  constexpr u32 kWarps = kConfig.block_threads / kWarpThreads;
  const u32 lane = thread_rank() % kWarpThreads;
  const SegmentList<T> list(arguments);
  begin_kernel<kConfig.pdl>();
  const bool has_parts = list.visit_parts(kWarps, lane, [&](u64, const ListedSegment& entry, u32 part) {
    if constexpr (kConfig.warp_segments > 0) {
      if (is_listed_piece(entry.segment)) {
        using Flat = FlatScan<Problem, kConfig>;
        Flat flat(arguments, shared_memory<typename Flat::Shared[kWarps]>()[thread_rank() / kWarpThreads]);
        const auto piece = listed_piece<Problem, kGoesBackwards<Problem>>(arguments, entry.segment);
        return flat.scan(scantune::part_of_piece(flat, piece, part, neighbour_limits(kConfig, Problem::kRequest)));
      }
    }
    T prefix;
    if (part > 0) prefix = scantune::load_payload(list.partials(entry) + part);
    LongScan<Problem, kConfig>(arguments, entry.segment).scan(part, prefix);
  });
  if (has_parts && lane == 0) list.leave(block_count() * kWarps);
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                                         \
  SCANTUNE_KERNEL(scan_segments, kConfig.block_threads, kConfig.min_ctas_per_sm) {                                     \
    ::scantune::scan_segments<Problem, kConfig>(arguments);                                                            \
  }                                                                                                                    \
  SCANTUNE_KERNEL(reduce_listed, kConfig.block_threads, 1) { ::scantune::reduce_listed<Problem, kConfig>(arguments); } \
  SCANTUNE_KERNEL(scan_listed, kConfig.block_threads, 1) { ::scantune::scan_listed<Problem, kConfig>(arguments); }
