// How the warps of a grid take neighbouring segments: as pieces, by groups where they do not follow each other, and
// from a list where they are too long.
#pragma once

#include "core/parts/segment_list.h"
#include "scan/parts/flat_items.h"

namespace scantune {

template <class Problem, bool kBackwards>
SCANTUNE_DEVICE SegmentParts parts_of_piece(const Piece<Problem, kBackwards>& piece, const NeighbourLimits& limits) {
  return {piece.items, limits.of_part, limits.most_parts};
}

// Those segments of a piece on a list that begin in one of its parts. All lanes of a warp call this.
template <class Flat, class Piece>
SCANTUNE_DEVICE Piece part_of_piece(const Flat& flat, const Piece& piece, u32 part, const NeighbourLimits& limits) {
  const SegmentParts parts = scantune::parts_of_piece(piece, limits);
  const u64 first = u64{part} * parts.items;
  return flat.cut(piece, first, part + 1 < parts.count ? first + parts.items : ~u64{0});
}

// Calls take(piece), or take_by_groups(neighbours, place, count) for some that follow one another nowhere, for all of
// this warp's segments but those that are too long for a warp. Returns whether no segment is. A piece that
// is too long goes on the list, if there is room. All lanes of a warp call this, and the next function.
template <NeighbourLimits kLimits, class Flat, class List>
SCANTUNE_DEVICE bool take_neighbours(const KernelArguments& arguments, const Flat& flat, const List& list, u64 count,
                                     const auto& take, const auto& take_by_groups) {
  using Neighbours = typename Flat::Neighbours;
  const u32 lane = thread_rank() % kWarpThreads;
  u64 first = u64{block_rank()} * kLimits.grid_segments() + thread_rank() / kWarpThreads * kLimits.warp_segments;
  bool all_short = true;
  for (; first < count; first += u64{block_count()} * kLimits.grid_segments()) {
    const u64 left = count - first;
    const Neighbours neighbours = {first,
                                   left < kLimits.warp_segments ? static_cast<u32>(left) : kLimits.warp_segments};
    for (u32 place = 0; place < neighbours.count;) {
      const typename Flat::Piece piece = flat.piece_from(neighbours, place, kLimits.of_warp);
      if (piece.segments.count == 0) {
        all_short = false;
        ++place;
        continue;
      }
      if constexpr (kLimits.of_group > 0)
        if (piece.items <= kLimits.few && place + piece.segments.count < neighbours.count) {
          const bool exists = place + lane < neighbours.count;
          const u32 others = ballot(~0u, !exists || neighbours.at(arguments, place + lane).items() > kLimits.of_group);
          const u32 fitting = others == 0 ? u32{kWarpThreads} : count_trailing_zeros(others);
          take_by_groups(neighbours, place, fitting);
          place += fitting;
          continue;
        }
      const u64 parts = piece.items > kLimits.of_warp ? scantune::parts_of_piece(piece, kLimits).count : 1;
      const bool is_added = lane == 0 && parts > 1 && list.add(listed_number(piece.segments), parts);
      if (parts == 1 || scantune::shuffle_index(is_added ? 1u : 0u, 0) == 0) take(piece);
      place += piece.segments.count;
    }
  }
  return all_short;
}

// Calls visit(number) for each of this warp's segments that are too long for a warp. Offsets are read again, so that
// what is before takes no registers for it.
template <class Problem, NeighbourLimits kLimits>
SCANTUNE_DEVICE void visit_longer_neighbours(const KernelArguments& arguments, u64 count, const auto& visit) {
  const u32 lane = thread_rank() % kWarpThreads;
  u64 first = u64{block_rank()} * kLimits.grid_segments() + thread_rank() / kWarpThreads * kLimits.warp_segments;
  for (; first < count; first += u64{block_count()} * kLimits.grid_segments())
#pragma unroll 1
    for (u32 batch = 0; batch < kLimits.warp_segments; batch += kWarpThreads) {
      const u64 number = first + batch + lane;
      const bool is_longer = batch + lane < kLimits.warp_segments && number < count &&
                             SegmentsOf<Problem>::at(arguments, number).items() > kLimits.of_warp;
      for (u32 longer = ballot(~0u, is_longer); longer != 0; longer &= longer - 1)
        visit(first + batch + count_trailing_zeros(longer));
    }
}

}  // namespace scantune
