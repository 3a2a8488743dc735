#pragma once

#include "core/parts/begin_kernel.h"
#include "sort/config/sort_segments.h"
#include "sort/parts/long_sort.h"
#include "sort/parts/ranked_segment.h"
#include "sort/parts/segment_queue.h"

namespace scantune {

// What is too long for the first launch.
SCANTUNE_DEVICE SegmentQueue long_segments(const KernelArguments& arguments) {
  constexpr u64 kBegin = SegmentsLayout::kEntries;
  return {arguments, kBegin, (arguments.scratch[0] - kBegin) / sizeof(u64)};
}

// Each group sorts some segments at once, a CTA's apart.
template <class Problem, SortSegmentsConfig kConfig>
SCANTUNE_DEVICE void sort_by_groups(const KernelArguments& arguments) {
  constexpr u32 kThreads = kConfig.segment_threads, kGroups = kConfig.block_threads / kThreads;
  constexpr u32 kAtOnce = kConfig.segments_at_once;
  using Ranked = RankedSegment<Problem, kThreads, kConfig.items_per_thread, kConfig.load_hint, kConfig.store_hint>;
  const u32 first_bit = arguments.extents[1] & 0xff, last_bit = arguments.extents[1] >> 8;
  const u32 group = thread_rank() / kThreads;
  const u64 block = u64{block_rank()} * kGroups * kAtOnce, stride = u64{block_count()} * kGroups * kAtOnce;
  begin_kernel<kConfig.pdl>();
  const u64 count = SegmentsOf<Problem>::count(arguments, arguments.extents[0]);
#pragma unroll 1
  for (u64 first = block + group; first - group < count; first += stride) {
    Ranked segments[kAtOnce];
#pragma unroll
    for (u32 turn = 0; turn < kAtOnce; ++turn) {
      const u64 number = first + turn * kGroups;
      Segment its = number < count ? SegmentsOf<Problem>::at(arguments, number) : Segment{0, 0};
      if (its.items() > kConfig.short_items()) {
        if (thread_rank() % kThreads == 0) scantune::long_segments(arguments).add(number);
        its = {0, 0};
      }
      segments[turn].load(arguments, its, first_bit, last_bit);
    }
#pragma unroll
    for (u32 turn = 0; turn < kAtOnce; ++turn) segments[turn].rank();
#pragma unroll
    for (u32 turn = 0; turn < kAtOnce; ++turn) segments[turn].store(arguments);
  }
}

// Each CTA sorts one segment after another.
template <class Problem, SortSegmentsConfig kConfig>
SCANTUNE_DEVICE void sort_by_blocks(const KernelArguments& arguments) {
  constexpr SortShape kShape = short_shape(kConfig);
  using Tile = SortedTile<Problem, kShape>;
  auto& shared = shared_memory<typename Tile::Shared>();
  const u32 first_bit = arguments.extents[1] & 0xff, last_bit = arguments.extents[1] >> 8;
  begin_kernel<kConfig.pdl>();
  const u64 count = SegmentsOf<Problem>::count(arguments, arguments.extents[0]);
#pragma unroll 1
  for (u64 number = block_rank(); number < count; number += block_count()) {
    const Segment its = SegmentsOf<Problem>::at(arguments, number);
    if (its.items() == 0) continue;
    if (its.items() <= kConfig.short_items()) {
      Tile tile(shared, {arguments, its.begin}, static_cast<u32>(its.items()));
      scantune::sort_in_tile(tile, first_bit, last_bit);
    } else if (thread_rank() == 0) {
      scantune::long_segments(arguments).add(number);
    }
  }
}

template <class Problem, SortSegmentsConfig kConfig>
SCANTUNE_DEVICE void sort_segments(const KernelArguments& arguments) {
  if constexpr (kConfig.has_groups())
    scantune::sort_by_groups<Problem, kConfig>(arguments);
  else
    scantune::sort_by_blocks<Problem, kConfig>(arguments);
}

// Each CTA takes one segment after another from the list.
template <class Problem, SortSegmentsConfig kConfig>
SCANTUNE_DEVICE void sort_listed(const KernelArguments& arguments) {
  constexpr SortShape kShape = long_shape(kConfig);
  using Long = LongSort<Problem, kShape>;
  struct alignas(kVectorAlignmentBytes) Shared {
    typename Long::Shared segment;
    u64 slot;
  };
  static_assert(sizeof(Shared) == long_shared_bytes(kConfig, Problem::kRequest));
  auto& shared = shared_memory<Shared>();
  const u32 first_bit = arguments.extents[1] & 0xff, last_bit = arguments.extents[1] >> 8;
  const SegmentQueue list = scantune::long_segments(arguments);
  begin_kernel<kConfig.pdl>();
  const u64 count = list.count();
#pragma unroll 1
  for (;;) {
    // Take the next one. Barriers while the last one was sorted come after all have read which it was.
    if (thread_rank() == 0) shared.slot = list.take();
    sync_block();
    const u64 slot = shared.slot;
    if (slot >= count) break;
    const Segment its = SegmentsOf<Problem>::at(arguments, list.at(slot));

    // Sort it in a tile, if that holds it.
    if (kShape.items() > kConfig.short_items() && its.items() <= kShape.items()) {
      SortedTile<Problem, kShape> tile(shared.segment.tile, {arguments, its.begin}, static_cast<u32>(its.items()));
      scantune::sort_in_tile(tile, first_bit, last_bit);
    } else {
      Long(shared.segment, arguments, its, first_bit, last_bit).sort();
    }
  }
  if (thread_rank() == 0) list.leave();
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                     \
  SCANTUNE_KERNEL(sort_segments, kConfig.block_threads, kConfig.min_ctas_per_sm) { \
    ::scantune::sort_segments<Problem, kConfig>(arguments);                        \
  }                                                                                \
  SCANTUNE_KERNEL(sort_listed, kConfig.long_threads, 1) { ::scantune::sort_listed<Problem, kConfig>(arguments); }
