#pragma once

#include "core/parts/begin_kernel.h"
#include "sort/config/sort_segments.h"
#include "sort/parts/listed_tile.h"
#include "sort/parts/long_sort.h"
#include "sort/parts/segment_queues.h"
#include "sort/parts/short_segments.h"

namespace scantune {

// Each warp takes neighbouring segments, lists the long ones and sorts the others.
template <class Problem, SortSegmentsConfig kConfig, bool kHasPlace>
SCANTUNE_DEVICE void sort_short_segments(const KernelArguments& arguments) {
  constexpr NetworkShape kShape = network_shape(kConfig, Problem::kRequest.input_bytes(), kHasPlace);
  constexpr u32 kWarps = kConfig.block_threads / kWarpThreads, kTaken = kConfig.segments_per_warp;
  using Short = ShortSegments<Problem, kConfig, kHasPlace, kShape.short_items_per_thread>;
  struct Shared {
    typename Short::Shared warps[kWarps];
  };
  static_assert(sizeof(Shared) == short_shared_bytes(kConfig, kShape));
  const u32 warp = thread_rank() / kWarpThreads, lane = thread_rank() % kWarpThreads;
  const Short taken(shared_memory<Shared>().warps[warp], arguments, arguments.extents[1] & 0xff,
                    arguments.extents[1] >> 8);
  begin_kernel<kConfig.pdl>();
  const u64 count = SegmentsOf<Problem>::count(arguments, arguments.extents[0]);
#pragma unroll 1
  for (u64 first = (u64{block_rank()} * kWarps + warp) * kTaken; first < count;
       first += u64{block_count()} * kWarps * kTaken) {
    const u64 number = first + lane;
    Segment its = lane < kTaken && number < count ? SegmentsOf<Problem>::at(arguments, number) : Segment{0, 0};
    const bool is_long = its.items() > kShape.short_items();
    if (ballot(~0u, is_long) != 0) SegmentQueues<kShape>(arguments).add(is_long, number, its.items(), lane);
    if (is_long) its = {0, 0};
    taken.sort(its);
  }
}

// What a CTA has taken from the queues.
struct TakenSegments {
  u64 slot;
  u32 left;  // queues: the last of them has the slot
};

// Each CTA takes some segments after others from the queues, the longest first.
template <class Problem, SortSegmentsConfig kConfig, bool kHasPlace>
SCANTUNE_DEVICE void sort_long_segments(const KernelArguments& arguments) {
  constexpr NetworkShape kShape = network_shape(kConfig, Problem::kRequest.input_bytes(), kHasPlace);
  using Tile = ListedTile<Problem, kConfig, kHasPlace>;
  using Long = LongSort<Problem, radix_shape(kConfig)>;
  struct alignas(kVectorAlignmentBytes) Shared {
    TakenSegments taken[2];
  };
  static_assert(sizeof(Shared) == kTakenBytes);
  static_assert(sizeof(typename Long::Shared) == radix_shared_bytes(kConfig, Problem::kRequest));
  const u32 first_bit = arguments.extents[1] & 0xff, last_bit = arguments.extents[1] >> 8;
  auto& shared = shared_memory<Shared>();
  void* const tile = __builtin_addressof(shared) + 1;
  const SegmentQueues<kShape> queues(arguments);
  begin_kernel<kConfig.pdl>();
  u32 left = kShape.queues();
#pragma unroll 1
  for (u32 turn = 0;; turn ^= 1) {
    // Take the next ones. What was taken before the last ones has been read at their barrier.
    if (thread_rank() == 0) {
      const u64 slot = queues.take(left);
      shared.taken[turn] = {slot, left};
    }
    sync_block();
    const TakenSegments taken = shared.taken[turn];
    if (taken.left == 0) break;

    // Sort them.
    const u32 queue = taken.left - 1;
    if (queue == kShape.classes()) {
      const Segment its = SegmentsOf<Problem>::at(arguments, queues.at(queue, taken.slot));
      Long(*static_cast<typename Long::Shared*>(tile), arguments, its, first_bit, last_bit).sort();
    } else {
      const u64 slot = taken.slot + (thread_rank() / kWarpThreads >> queue);
      const Segment its =
          slot < queues.count(queue) ? SegmentsOf<Problem>::at(arguments, queues.at(queue, slot)) : Segment{0, 0};
      Tile(static_cast<typename Tile::Area*>(tile), arguments, its, first_bit, last_bit).sort(1u << queue);
    }
  }
  if (thread_rank() == 0) queues.leave();
}

template <class Problem, SortSegmentsConfig kConfig>
SCANTUNE_DEVICE void sort_segments(const KernelArguments& arguments) {
  scantune::sort_short_segments<Problem, kConfig, moves_places(Problem::kRequest)>(arguments);
}
template <class Problem, SortSegmentsConfig kConfig>
SCANTUNE_DEVICE void sort_listed(const KernelArguments& arguments) {
  scantune::sort_long_segments<Problem, kConfig, moves_places(Problem::kRequest)>(arguments);
}

// Keys alone, by some of their bits. Only a launch says which these are, and others have nothing beside the keys to
// move.
template <class Problem, SortSegmentsConfig kConfig>
SCANTUNE_DEVICE void sort_segments_by_bits(const KernelArguments& arguments) {
  if constexpr (!moves_places(Problem::kRequest)) scantune::sort_short_segments<Problem, kConfig, true>(arguments);
}
template <class Problem, SortSegmentsConfig kConfig>
SCANTUNE_DEVICE void sort_listed_by_bits(const KernelArguments& arguments) {
  if constexpr (!moves_places(Problem::kRequest)) scantune::sort_long_segments<Problem, kConfig, true>(arguments);
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                             \
  SCANTUNE_KERNEL(sort_segments, kConfig.block_threads, kConfig.min_ctas_per_sm) {         \
    ::scantune::sort_segments<Problem, kConfig>(arguments);                                \
  }                                                                                        \
  SCANTUNE_KERNEL(sort_listed, kConfig.long_threads, kConfig.long_ctas_per_sm) {           \
    ::scantune::sort_listed<Problem, kConfig>(arguments);                                  \
  }                                                                                        \
  SCANTUNE_KERNEL(sort_segments_by_bits, kConfig.block_threads, kConfig.min_ctas_per_sm) { \
    ::scantune::sort_segments_by_bits<Problem, kConfig>(arguments);                        \
  }                                                                                        \
  SCANTUNE_KERNEL(sort_listed_by_bits, kConfig.long_threads, kConfig.long_ctas_per_sm) {   \
    ::scantune::sort_listed_by_bits<Problem, kConfig>(arguments);                          \
  }
