// One CTA that scans a sequence tile after tile and keeps the carry in registers.
#pragma once

#include "scan/parts/tile_place.h"
#include "scan/parts/tile_scan.h"

namespace scantune {

// Everything before the items at hand, if there is anything.
template <class Problem>
struct WalkedCarry {
  using T = typename Problem::Accumulator;
  T value;
  bool exists;

  SCANTUNE_DEVICE void append(T later) {
    value = exists ? Problem::Op::combine(value, later) : later;
    exists = true;
  }
};

template <class Problem, TileShape kShape>
struct TileWalk {
  using T = typename Problem::Accumulator;
  using Tile = TileScan<Problem, kShape>;
  using Place = TilePlace<Problem, kShape>;
  using Carry = WalkedCarry<Problem>;
  struct alignas(16) Shared {
    typename Tile::Shared tile;
    T head_total;
  };
  static constexpr u64 kFirstItem = Place::kHead;

  // Scans the items of `input` from kFirstItem on, of which n is the end. n is not copied, since the compiler makes
  // other code of a copy of the kernel's argument.
  SCANTUNE_DEVICE static void scan(Shared& shared, typename Problem::InputItems input,
                                   typename Problem::OutputItems output, const u64& n, T init) {
    // Scan the head.
    Carry carry{init, Problem::kHasInit};
    const Place place(input, n, 0);
    const HeadScan<Problem> head(input + Place::kHead, place.head_items(), thread_rank());
    if (head.exists()) {
      if (thread_rank() < kWarpThreads) {
        const auto total = head.scan(output + Place::kHead, carry.value);
        if (thread_rank() == 0) shared.head_total = total;
      }
      sync_block();
      carry.append(shared.head_total);
    }

    for (u64 first = place.first();; first += Tile::kTileItems) {
      const u64 left = n - first;
      Tile tile(shared.tile, left);

      // Load and scan the tile.
      tile.load(input + first);
      const auto aggregate = tile.scan_in_every_warp();

      // Combine with what is before and store.
      if (carry.exists) tile.carry_in(carry.value);
      tile.store(output + first, carry.exists);

      // Carry on, when no warp reads the totals of this tile any more.
      if (left <= Tile::kTileItems) break;
      carry.append(aggregate);
      sync_block();
    }
  }
};

}  // namespace scantune
