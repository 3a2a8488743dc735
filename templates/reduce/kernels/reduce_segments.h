#pragma once

#include "core/parts/begin_kernel.h"
#include "core/parts/block_reduce.h"
#include "core/parts/offset_segments.h"
#include "core/parts/segment_list.h"
#include "reduce/config/reduce_segments.h"
#include "reduce/parts/folded_parts.h"
#include "reduce/parts/group_reduce.h"

namespace scantune {

// What is too long for a group: a warp reduces it part by part.
template <class Problem, ReduceSegmentsConfig kConfig>
class LongReduction {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  static constexpr u32 kMostItems = most_items_of_warp(kConfig, Problem::kRequest);

 public:
  using Warp = GroupReduce<Problem, kWarpThreads, long_unroll(Problem::kRequest), kConfig.load_hint>;

  SCANTUNE_DEVICE LongReduction(const KernelArguments& arguments, u64 number, const Segment& its)
      : arguments_(arguments), number_(number), its_(its), parts_(its.items(), kMostItems, kMostSegmentParts) {}

  SCANTUNE_DEVICE u32 parts() const { return static_cast<u32>(parts_.count); }

  // Lane 0 gets the total of a part.
  SCANTUNE_DEVICE T total_of(u32 part, u32 lane) const {
    const u64 place = u64{part} * parts_.items, left = its_.items() - place;
    const u32 items = left < parts_.items ? static_cast<u32>(left) : parts_.items;
    return Warp::reduce(Warp::run_of(Problem::input(arguments_), its_.begin + place, items, place), lane);
  }

  // Puts it on the list, if it is too long for a warp and there is room. All lanes of a warp call this.
  SCANTUNE_DEVICE bool is_listed(const SegmentList<T>& list, u32 lane) const {
    if (parts_.count == 1) return false;
    return scantune::shuffle_index(lane == 0 && list.add(number_, parts_.count) ? 1u : 0u, 0) != 0;
  }

  // Reduces it part by part, and stores the result. All lanes of a warp call this.
  SCANTUNE_DEVICE void reduce(u32 lane) const {
    FoldedParts<Op> folded(parts());
    for (u32 part = 0; part < parts(); ++part) {
      const T total = scantune::shuffle_index(total_of(part, lane), 0);
      folded.take(part, lane, total);
    }
    store(folded, lane);
  }

  SCANTUNE_DEVICE void store(const FoldedParts<Op>& folded, u32 lane) const {
    const T total = folded.total(lane);
    if (lane == 0) Problem::store(arguments_, total, true, number_);
  }

 private:
  const KernelArguments& arguments_;
  u64 number_;
  Segment its_;
  SegmentParts parts_;
};

// Each group reduces some segments at once, a CTA apart.
template <class Problem, ReduceSegmentsConfig kConfig>
SCANTUNE_DEVICE void reduce_by_groups(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  using Long = LongReduction<Problem, kConfig>;
  constexpr u32 kThreads = kConfig.segment_threads, kGroups = kConfig.block_threads / kThreads;
  constexpr u32 kAtOnce = kConfig.segments_at_once;
  constexpr u64 kMostItems = u64{kConfig.long_tiles} * kThreads * kConfig.unroll * unit_items(Problem::kRequest);
  using Group = GroupReduce<Problem, kThreads, kConfig.unroll, kConfig.load_hint>;
  const u32 lane = thread_rank() % kWarpThreads, rank = thread_rank() % kThreads, group = thread_rank() / kThreads;
  const u64 block = u64{block_rank()} * kGroups * kAtOnce, stride = u64{block_count()} * kGroups * kAtOnce;
  begin_kernel<kConfig.pdl>();
  const u64 count = SegmentsOf<Problem>::count(arguments, arguments.extents[0]);

  // Reduce those that are not too long.
  bool all_short = true;
  for (u64 first = block + group; first - group < count; first += stride) {
    typename Group::Run runs[kAtOnce];
    bool stores[kAtOnce];
#pragma unroll
    for (u32 turn = 0; turn < kAtOnce; ++turn) {
      const u64 number = first + turn * kGroups;
      const Segment its = number < count ? SegmentsOf<Problem>::at(arguments, number) : Segment{0, 0};
      const bool is_short = its.items() <= kMostItems;
      all_short = all_short && is_short;
      stores[turn] = is_short && number < count;
      runs[turn] = Group::run_of(Problem::input(arguments), its.begin, is_short ? static_cast<u32>(its.items()) : 0);
    }
    T totals[kAtOnce];
    Group::reduce(runs, rank, totals);
#pragma unroll
    for (u32 turn = 0; turn < kAtOnce; ++turn)
      if (rank == 0 && stores[turn])
        Problem::store(arguments, totals[turn], runs[turn].items > 0, first + turn * kGroups);
  }
  if (all_lanes(all_short)) return;

  // The warp takes its groups' others one by one.
  const SegmentList<T> list(arguments);
  scantune::visit_longer<Problem, kThreads, kAtOnce>(arguments, kConfig.block_threads, kMostItems, [&](u64 number) {
    const Long segment(arguments, number, SegmentsOf<Problem>::at(arguments, number));
    if (!segment.is_listed(list, lane)) segment.reduce(lane);
  });
}

// Each CTA reduces one segment after another, a run of it with each warp.
template <class Problem, ReduceSegmentsConfig kConfig>
SCANTUNE_DEVICE void reduce_by_blocks(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  using Block = BlockReduce<typename Problem::Op, kConfig.block_threads>;
  using Long = LongReduction<Problem, kConfig>;
  using Warp = GroupReduce<Problem, kWarpThreads, kConfig.unroll, kConfig.load_hint>;
  constexpr u32 kWarps = kConfig.block_threads / kWarpThreads;
  constexpr u64 kMostItems = kWarps * most_items_of_warp(kConfig, Problem::kRequest);
  using Shared = typename Block::Shared;
  static_assert(sizeof(Shared) <= share_shared_bytes(Problem::kRequest));
  Shared& shared = shared_memory<Shared>();
  const u32 lane = thread_rank() % kWarpThreads, warp = thread_rank() / kWarpThreads;
  const SegmentList<T> list(arguments);
  begin_kernel<kConfig.pdl>();
  const u64 count = SegmentsOf<Problem>::count(arguments, arguments.extents[0]);
  const auto input = Problem::input(arguments);

  for (u64 number = block_rank(); number < count; number += block_count()) {
    const Segment its = SegmentsOf<Problem>::at(arguments, number);
    if (its.items() <= kMostItems) {
      const u32 items = static_cast<u32>(its.items());
      const u32 run_items = static_cast<u32>(round_up(ceil_div(items, kWarps), unit_items(Problem::kRequest)));
      const u32 place = warp * run_items, left = place < items ? items - place : 0;
      T total = Warp::reduce(Warp::run_of(input, its.begin + place, left < run_items ? left : run_items, place), lane);
      const u32 active = items == 0 ? 1 : ceil_div(items, run_items);
      total = Block::reduce_warps(shared, total, active);
      if (thread_rank() == 0) Problem::store(arguments, total, items > 0, number);
    } else if (warp == 0) {
      const Long segment(arguments, number, its);
      if (!segment.is_listed(list, lane)) segment.reduce(lane);
    }
    if (count - number > block_count()) sync_block();  // no warp reads what the next segment writes
  }
}

template <class Problem, ReduceSegmentsConfig kConfig>
SCANTUNE_DEVICE void reduce_segments(const KernelArguments& arguments) {
  if constexpr (kConfig.segment_threads > kWarpThreads)
    scantune::reduce_by_blocks<Problem, kConfig>(arguments);
  else
    scantune::reduce_by_groups<Problem, kConfig>(arguments);
}

// Each warp reduces parts of segments on the list. The one that reduces a segment's last part folds what all came to.
template <class Problem, ReduceSegmentsConfig kConfig>
SCANTUNE_DEVICE void reduce_listed(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  constexpr u32 kWarps = kConfig.block_threads / kWarpThreads;
  const u32 lane = thread_rank() % kWarpThreads;
  const SegmentList<T> list(arguments);
  begin_kernel<kConfig.pdl>();
  const bool has_parts = list.visit_parts(kWarps, lane, [&](u64 slot, const ListedSegment& entry, u32 part) {
    const Segment its = SegmentsOf<Problem>::at(arguments, entry.segment);
    const LongReduction<Problem, kConfig> segment(arguments, entry.segment, its);
    if (!list.is_last_to_leave(slot, entry, part, segment.total_of(part, lane), lane)) return;
    const T* const partials = list.partials(entry);
    FoldedParts<typename Problem::Op> folded(entry.parts);
#pragma unroll 8
    for (u32 its_part = folded.first(lane); its_part < folded.end(lane); ++its_part)
      folded.take(its_part, lane, scantune::load_payload(partials + its_part));
    segment.store(folded, lane);
  });
  if (has_parts && lane == 0) list.leave(block_count() * kWarps);
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                       \
  SCANTUNE_KERNEL(reduce_segments, kConfig.block_threads, kConfig.min_ctas_per_sm) { \
    ::scantune::reduce_segments<Problem, kConfig>(arguments);                        \
  }                                                                                  \
  SCANTUNE_KERNEL(reduce_listed, kConfig.block_threads, 1) { ::scantune::reduce_listed<Problem, kConfig>(arguments); }
