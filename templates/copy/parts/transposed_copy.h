// Copies a tile whose items are neighbours along one axis of the input, and along another one of the output.
#pragma once

#include "copy/parts/strided_problem.h"
#include "core/machine/bytes.h"
#include "core/machine/memory.h"

namespace scantune {

// The bytes of words as a square of items, transposed: item i of result j is item j of word i.
template <int kPacked>
SCANTUNE_DEVICE void transpose(u32 (&words)[kPacked]) {
  if constexpr (kPacked == 2) {
    const u32 low = permute_bytes(words[0], words[1], 0x5410), high = permute_bytes(words[0], words[1], 0x7632);
    words[0] = low;
    words[1] = high;
  } else if constexpr (kPacked == 4) {
    const u32 low_01 = permute_bytes(words[0], words[1], 0x5140), high_01 = permute_bytes(words[0], words[1], 0x7362);
    const u32 low_23 = permute_bytes(words[2], words[3], 0x5140), high_23 = permute_bytes(words[2], words[3], 0x7362);
    words[0] = permute_bytes(low_01, low_23, 0x5410);
    words[1] = permute_bytes(low_01, low_23, 0x7632);
    words[2] = permute_bytes(high_01, high_23, 0x5410);
    words[3] = permute_bytes(high_01, high_23, 0x7632);
  }
}

template <class Item, int kPacked>
struct TileElement {
  using Type = u32;
};
template <class Item>
struct TileElement<Item, 1> {
  using Type = Item;
};

// In shared memory an element is a word of packed items along x, or an item. Row r of group g is that of item
// g * kPacked + r along y. The rows r of all groups are one after the other, so that lanes side by side along y write
// to different banks.
template <class Problem, CopyStridedConfig kConfig>
class TransposedCopy {
  using Its = StridedProblem<Problem>;
  using Item = typename Its::Item;
  static constexpr TransposedTile kTile = TransposedTile::of(Problem::kRequest);
  static constexpr int kPacked = kTile.packed;
  static constexpr u32 kGroups = kTile.groups, kSide = kTile.side();
  static constexpr u32 kThreads = kConfig.block_threads, kUnroll = kConfig.unroll;
  static constexpr u32 kReads = kGroups * kGroups, kWrites = kReads * kPacked;  // of the threads together

  using Element = typename TileElement<Item, kPacked>::Type;

 public:
  struct alignas(16) Shared {
    Element rows[kPacked * kGroups][kTile.pitch()];
  };
  static_assert(sizeof(Shared) == kTile.shared_bytes(Problem::kRequest));

  SCANTUNE_DEVICE explicit TransposedCopy(const KernelArguments& arguments)
      : input_(Its::input(arguments)), output_(Its::output(arguments)), axes_(Its::axes(arguments)) {
    // Words ascend.
    if (axes_.y.in < 0) turn(axes_.y);
    if (axes_.x.out < 0) turn(axes_.x);
    const u32 wide = static_cast<u32>(ceil_div(axes_.x.count, u64{kSide}));
    const u32 high = static_cast<u32>(ceil_div(axes_.y.count, u64{kSide}));
    const u32 line = block_rank() / wide;
    x_ = u64{block_rank() - line * wide} * kSide;
    y_ = u64{line % high} * kSide;
    const i64 z = static_cast<i64>(line / high);
    input_ += z * axes_.z.in;
    output_ += z * axes_.z.out;
  }

  SCANTUNE_DEVICE void copy() const {
    auto& shared = shared_memory<Shared>();
#pragma unroll 1
    for (u32 first = thread_rank(); first < kReads; first += kThreads * kUnroll) read(first, shared);
    sync_block();
#pragma unroll 1
    for (u32 first = thread_rank(); first < kWrites; first += kThreads * kUnroll) write(first, shared);
  }

 private:
  SCANTUNE_DEVICE void turn(CopyAxis& axis) {
    const i64 last = static_cast<i64>(axis.count - 1);
    input_ += last * axis.in;
    output_ += last * axis.out;
    axis.in = -axis.in;
    axis.out = -axis.out;
  }

  // Threads side by side read along y.
  SCANTUNE_DEVICE void read(u32 first, Shared& shared) const {
    Element held[kUnroll][kPacked];
#pragma unroll
    for (u32 step = 0; step < kUnroll; ++step)
      if (const u32 place = first + step * kThreads; place < kReads)
#pragma unroll
        for (u32 row = 0; row < kPacked; ++row)
          held[step][row] = read(x_ + place / kGroups * kPacked + row, y_ + place % kGroups * kPacked);
#pragma unroll
    for (u32 step = 0; step < kUnroll; ++step)
      if (const u32 place = first + step * kThreads; place < kReads) {
        if constexpr (kPacked > 1) scantune::transpose<kPacked>(held[step]);
#pragma unroll
        for (u32 row = 0; row < kPacked; ++row)
          shared.rows[row * kGroups + place % kGroups][place / kGroups] = held[step][row];
      }
  }

  // Threads side by side write along x.
  SCANTUNE_DEVICE void write(u32 first, const Shared& shared) const {
#pragma unroll
    for (u32 step = 0; step < kUnroll; ++step)
      if (const u32 place = first + step * kThreads; place < kWrites) {
        const u32 row = place / kGroups, group = place % kGroups;
        write(x_ + group * kPacked, y_ + row % kGroups * kPacked + row / kGroups, shared.rows[row][group]);
      }
  }

  // The items from y on; any for those that are not there.
  SCANTUNE_DEVICE Element read(u64 x, u64 y) const {
    Element element{};
    if (x >= axes_.x.count || y >= axes_.y.count) return element;
    const Item* const from = input_ + (static_cast<i64>(x) * axes_.x.in + static_cast<i64>(y) * axes_.y.in);
    if constexpr (kPacked == 1) {
      element = scantune::load_global<kConfig.load_hint>(from);
    } else if (axes_.y.in == 1 && axes_.y.count - y >= kPacked && is_word(from)) {
      element = scantune::load_global<kConfig.load_hint>(reinterpret_cast<const u32*>(from));
    } else {
#pragma unroll
      for (u32 item = 0; item < kPacked; ++item)
        if (item < axes_.y.count - y) {
          const Item one = scantune::load_global<kConfig.load_hint>(from + static_cast<i64>(item) * axes_.y.in);
          element |= u32{one.units[0]} << 8 * Its::kBytes * item;
        }
    }
    return element;
  }

  SCANTUNE_DEVICE void write(u64 x, u64 y, Element element) const {
    if (x >= axes_.x.count || y >= axes_.y.count) return;
    Item* const to = output_ + (static_cast<i64>(x) * axes_.x.out + static_cast<i64>(y) * axes_.y.out);
    if constexpr (kPacked == 1) {
      scantune::store_global<kConfig.store_hint>(to, element);
    } else if (axes_.x.out == 1 && axes_.x.count - x >= kPacked && is_word(to)) {
      scantune::store_global<kConfig.store_hint>(reinterpret_cast<u32*>(to), element);
    } else {
#pragma unroll
      for (u32 item = 0; item < kPacked; ++item)
        if (item < axes_.x.count - x) {
          const Item one{{static_cast<typename Item::Unit>(element >> 8 * Its::kBytes * item)}};
          scantune::store_global<kConfig.store_hint>(to + static_cast<i64>(item) * axes_.x.out, one);
        }
    }
  }

  SCANTUNE_DEVICE static bool is_word(const Item* items) { return reinterpret_cast<u64>(items) % sizeof(u32) == 0; }

  const Item* input_;
  Item* output_;
  CopyAxes axes_;
  u64 x_, y_;  // of the tile's first item
};

}  // namespace scantune
