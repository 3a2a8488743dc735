// Copies item by item.
#pragma once

#include "copy/parts/strided_problem.h"
#include "copy/parts/tile_division.h"
#include "core/machine/memory.h"
#include "core/parts/begin_kernel.h"

namespace scantune {

template <class Problem, CopyStridedConfig kConfig>
class ItemCopy {
  using Its = StridedProblem<Problem>;
  using Item = typename Its::Item;
  static constexpr u32 kUnroll = kConfig.unroll, kThreads = kConfig.block_threads, kTile = kConfig.tile();

 public:
  SCANTUNE_DEVICE explicit ItemCopy(const KernelArguments& arguments)
      : input_(Its::input(arguments)),
        output_(Its::output(arguments)),
        axes_(Its::axes(arguments)),
        items_(axes_.x.count * axes_.y.count * axes_.z.count),
        by_row_(axes_.x.count),
        by_plane_(axes_.y.count) {
    const Divided row = divided(u64{block_rank()} * kTile, axes_.x.count);
    const Divided plane = divided(row.quotient, axes_.y.count);
    x_ = row.rest;
    y_ = plane.rest;
    z_ = plane.quotient;
  }

  SCANTUNE_DEVICE void copy() const {
    Item items[kUnroll];
    i64 to[kUnroll];
#pragma unroll
    for (u32 step = 0; step < kUnroll; ++step) {
      const u32 ahead = step * kThreads + thread_rank();
      if (!is_there(ahead)) continue;
      const Divided row = by_row_.of(x_ + ahead), plane = by_plane_.of(y_ + row.quotient);
      const i64 x = static_cast<i64>(row.rest), y = static_cast<i64>(plane.rest);
      const i64 z = static_cast<i64>(z_ + plane.quotient);
      to[step] = x * axes_.x.out + y * axes_.y.out + z * axes_.z.out;
      items[step] =
          scantune::load_global<kConfig.load_hint>(input_ + (x * axes_.x.in + y * axes_.y.in + z * axes_.z.in));
    }
#pragma unroll
    for (u32 step = 0; step < kUnroll; ++step)
      if (is_there(step * kThreads + thread_rank()))
        scantune::store_global<kConfig.store_hint>(output_ + to[step], items[step]);
  }

 private:
  SCANTUNE_DEVICE bool is_there(u32 ahead) const { return u64{block_rank()} * kTile + ahead < items_; }

  const Item* input_;
  Item* output_;
  CopyAxes axes_;
  u64 items_;
  TileDivision<kTile> by_row_, by_plane_;
  u64 x_, y_, z_;  // of the tile's first item
};

}  // namespace scantune
