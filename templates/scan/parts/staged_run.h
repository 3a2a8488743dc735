#pragma once

#include "core/contract/direction.h"
#include "core/parts/item_access.h"
#include "core/parts/run_scan.h"

namespace scantune {

// The consecutive vectors of a tile in shared memory that belong to one thread.
template <class Problem, int kVectors>
class StagedRun {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;

 public:
  static constexpr u32 kVectorItems = kVectorAlignmentBytes / sizeof(Input);
  static constexpr u32 kItems = kVectors * kVectorItems;

  template <class Item>
  struct alignas(kVectorAlignmentBytes) Vector : Words<Item, kVectorItems> {};

  // Vectors of a reverse scan are in reverse order, and so are their items.
  static constexpr bool kReverse = Problem::kRequest.direction == Direction::reverse;

  // Returns the combination of the first `items` items, which is undefined for 0. kFull: all exist.
  template <bool kFull>
  SCANTUNE_DEVICE static T reduce(const Vector<Input>* vectors, u32 items) {
    T total;
#pragma unroll(kFull ? kVectors : 1)
    for (int v = 0; v < kVectors; ++v) {
      const u32 here = items_of<kFull>(v, items);
      if (here == 0) break;
      const Vector<Input> vector = in_order<Input>(vectors[place(v)]);
      const T part = Run<kFull>::reduce(vector, here);
      total = v == 0 ? part : Op::combine(total, part);
    }
    return total;
  }

  // Puts the results in place of the items.
  template <bool kFull>
  SCANTUNE_DEVICE static void scan(Vector<Input>* vectors, u32 items, T prefix, bool has_prefix) {
    // Load all vectors before any is stored, so that their latencies overlap.
    Vector<Input> loaded[kVectors];
    if constexpr (kFull) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) loaded[v] = vectors[place(v)];
    }

    typename Run<kFull>::Carry carry = Run<kFull>::carry_of(prefix, has_prefix);
#pragma unroll(kFull ? kVectors : 1)
    for (int v = 0; v < kVectors; ++v) {
      const u32 here = items_of<kFull>(v, items);
      if (here == 0) break;
      const Vector<Input> vector = in_order<Input>(kFull ? loaded[v] : vectors[place(v)]);
      reinterpret_cast<Vector<Output>&>(vectors[place(v)]) =
          in_order<Output>(Vector<Output>{Run<kFull>::scan(vector, carry, here)});
    }
  }

 private:
  SCANTUNE_DEVICE static int place(int v) { return kReverse ? kVectors - 1 - v : v; }

  template <class Item>
  SCANTUNE_DEVICE static Vector<Item> in_order(const Vector<Item>& vector) {
    if constexpr (kReverse) return scantune::reversed<Item>(vector);
    return vector;
  }

  template <bool kFull>
  using Run = RunScan<Problem, kVectorItems, kFull>;

  // How many of the thread's items are in its v-th vector.
  template <bool kFull>
  SCANTUNE_DEVICE static u32 items_of(int v, u32 items) {
    const u32 first = v * kVectorItems;
    if (kFull) return kVectorItems;
    if (first >= items) return 0;
    return items - first < kVectorItems ? items - first : kVectorItems;
  }
};

}  // namespace scantune
