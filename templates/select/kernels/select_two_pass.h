#pragma once

#include "core/parts/begin_kernel.h"
#include "core/parts/block_reduce.h"
#include "select/config/select_two_pass.h"
#include "select/parts/select_tile.h"

namespace scantune {

// A CTA's share: contiguous tiles.
template <class Problem, SelectTwoPassConfig kConfig>
class SelectShare {
  using Sum = OperatorOf<u64, Operator::sum>;
  using Block = BlockReduce<Sum, kConfig.block_threads>;

 public:
  using Tile = SelectTile<Problem, kConfig>;
  using Counts = typename Tile::Counts;
  struct alignas(16) Shared {
    typename Tile::Shared tile;
    typename Block::Shared totals[Tile::kCounted];
    Counts through, all;
  };
  static_assert(sizeof(Shared) == shared_bytes(kConfig, Problem::kRequest));

  SCANTUNE_DEVICE explicit SelectShare(const KernelArguments& arguments)
      : arguments_(arguments),
        shared_(shared_memory<Shared>()),
        tiles_(arguments.extents[0]),
        first_(tiles_ * block_rank() / block_count()),
        end_(tiles_ * (block_rank() + 1) / block_count()) {}

  // Leaves the share's counts in the workspace.
  SCANTUNE_DEVICE void count() const {
    u64 counts[Tile::kCounted] = {};
    for (u64 index = first_; index < end_; ++index) {
      Tile tile(shared_.tile, arguments_, static_cast<u32>(index));
      tile.template decide<kConfig.count_hint, false>();
#pragma unroll
      for (int part = 0; part < Tile::kCounted; ++part) counts[part] += tile.decided(part);
    }
#pragma unroll
    for (int part = 0; part < Tile::kCounted; ++part) {
      const u64 total = Block::reduce(shared_.totals[part], counts[part]);
      if (thread_rank() == 0) scantune::store_global<CacheHint::normal>(counts_of(block_rank()) + part, total);
    }
  }

  // Stores the share's items, and in the first CTA what all shares have of each part. The last tile comes first, since
  // it may still be in the L2 cache.
  SCANTUNE_DEVICE void store() const {
    Counts through{};  // the items of each part up to the end of the tile
    for (u64 index = end_; index-- > first_;) {
      const bool is_first = index + 1 == end_;
      Tile tile(shared_.tile, arguments_, static_cast<u32>(index));
      tile.template decide<kConfig.load_hint>();
      if (is_first && tile.in_first_warp() && tiles_ > 1) add_up(tile.lane());
      // Its barrier comes before others read what was added up, and before a tile is put where the last one was.
      tile.count();
      if (tiles_ == 1 && thread_rank() == 0) {
#pragma unroll
        for (int part = 0; part < Tile::kCounted; ++part)
          shared_.all.of[part] = shared_.through.of[part] = tile.counted(part);
      }
      tile.stage();
      sync_block();
      if (is_first) {
        through = shared_.through;
        if (block_rank() == 0 && thread_rank() == 0)
          scantune::store_counts<typename Problem::Count>(arguments_, shared_.all);
      }
#pragma unroll
      for (int part = 0; part < Tile::kCounted; ++part) through.of[part] -= tile.counted(part);
      tile.store(through, shared_.all);
    }
  }

 private:
  SCANTUNE_DEVICE u64* counts_of(u32 share) const {
    return static_cast<u64*>(arguments_.workspace) + u64{share} * Tile::kCounted;
  }

  // Adds up the counts of the shares up to this one, and of all. The first warp calls.
  SCANTUNE_DEVICE void add_up(u32 lane) const {
    Counts through{}, all{};
    for (u32 share = lane; share < block_count(); share += kWarpThreads)
#pragma unroll
      for (int part = 0; part < Tile::kCounted; ++part) {
        const u64 count = scantune::load_global<CacheHint::normal>(counts_of(share) + part);
        all.of[part] += count;
        if (share <= block_rank()) through.of[part] += count;
      }
#pragma unroll
    for (int part = 0; part < Tile::kCounted; ++part) {
      through.of[part] = scantune::warp_reduce<Sum>(through.of[part], lane);
      all.of[part] = scantune::warp_reduce<Sum>(all.of[part], lane);
    }
    if (lane == 0) {
      shared_.through = through;
      shared_.all = all;
    }
  }

  const KernelArguments& arguments_;
  Shared& shared_;
  const u64 tiles_, first_, end_;
};

// Phase 1: what each share has of each part.
template <class Problem, SelectTwoPassConfig kConfig>
SCANTUNE_DEVICE void count_parts(const KernelArguments& arguments) {
  const SelectShare<Problem, kConfig> share(arguments);
  begin_kernel<kConfig.pdl>();
  share.count();
}

// Phase 2: every part where it belongs.
template <class Problem, SelectTwoPassConfig kConfig>
SCANTUNE_DEVICE void store_parts(const KernelArguments& arguments) {
  const SelectShare<Problem, kConfig> share(arguments);
  begin_kernel<kConfig.pdl>();
  share.store();
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                               \
  SCANTUNE_KERNEL(count_parts, kConfig.block_threads, kConfig.ctas_per_sm) { \
    ::scantune::count_parts<Problem, kConfig>(arguments);                    \
  }                                                                          \
  SCANTUNE_KERNEL(store_parts, kConfig.block_threads, kConfig.ctas_per_sm) { \
    ::scantune::store_parts<Problem, kConfig>(arguments);                    \
  }
