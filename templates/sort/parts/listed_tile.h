// Segments that the warps of a CTA sort side by side. Each warp sorts a chunk, and merges it with those of other warps
// through shared memory. Chunks after the last key take no part.
#pragma once

#include "sort/parts/network_segment.h"

namespace scantune {

template <class Problem, SortSegmentsConfig kConfig, bool kHasPlace>
class ListedTile {
  static constexpr NetworkShape kShape = network_shape(kConfig, Problem::kRequest.input_bytes(), kHasPlace);
  static constexpr int kItems = kShape.long_items_per_thread;
  static constexpr u32 kChunk = static_cast<u32>(kShape.chunk_items());
  using Sorted = NetworkSegment<Problem, kConfig, kHasPlace, kItems>;
  using Network = typename Sorted::Network;

 public:
  using Area = typename Sorted::Area;  // one warp's

  // areas: those of all warps, in shared memory. its: the segment of this warp.
  SCANTUNE_DEVICE ListedTile(Area* areas, const KernelArguments& arguments, const Segment& its, u32 first_bit,
                             u32 last_bit)
      : areas_(areas),
        items_(static_cast<u32>(its.items())),
        chunks_(ceil_div(items_, kChunk)),
        sorted_(arguments, its.begin, items_, first_bit, last_bit) {}

  // warps: those that a segment has, a power of two. All threads of the CTA call this.
  SCANTUNE_DEVICE void sort(u32 warps) const {
    const u32 warp = thread_rank() / kWarpThreads, chunk = warp % warps;
    const typename Sorted::Group group{kWarpThreads, Network::lane(), 0, chunk * kChunk};
    Network network;
    if (chunk < chunks_) {
      sorted_.load(network, group);
      network.sort(kWarpThreads, kWarpThreads);
    }
#pragma unroll 1
    for (u32 run = 2; run <= warps; run *= 2) {
      exchange(network, warp, chunk, run - 1, true);
#pragma unroll 1
      for (u32 distance = run / 4; distance > 0; distance /= 2) exchange(network, warp, chunk, distance, false);
      if (chunk < chunks_ && run / 2 < chunks_) network.merge_bitonic();
    }
    if (chunk < chunks_) sorted_.store(network, group, areas_[warp]);
  }

 private:
  // Compares the chunk with another, whose number differs in these bits. is_mirrored: the first element with the last.
  SCANTUNE_DEVICE void exchange(Network& network, u32 warp, u32 chunk, u32 bits, bool is_mirrored) const {
    const bool meets = chunk < chunks_ && (chunk ^ bits) < chunks_;
    if (meets) {
#pragma unroll
      for (int item = 0; item < kItems; ++item)
        areas_[warp].elements[static_cast<u32>(item) * kWarpThreads + Network::lane()] = network.items[item];
    }
    sync_block();
    if (meets) {
      const auto* const others = areas_[warp ^ bits].elements;
      const bool is_lesser = (chunk ^ bits) > chunk;
#pragma unroll
      for (int item = 0; item < kItems; ++item) {
        const u32 own = static_cast<u32>(item) * kWarpThreads + Network::lane();
        network.items[item] =
            Network::chosen(network.items[item], others[is_mirrored ? kChunk - 1 - own : own], is_lesser);
      }
    }
    sync_block();
  }

  Area* const areas_;
  const u32 items_, chunks_;
  const Sorted sorted_;
};

}  // namespace scantune
