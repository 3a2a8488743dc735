#pragma once

#include "primitives/run_scan.h"

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

  // Returns the combination of the first `items` items, which is undefined where there are none. kFull: all exist.
  template <bool kFull>
  SCANTUNE_DEVICE static T reduce(const Vector<Input>* vectors, u32 items) {
    T total;
#pragma unroll(kFull ? kVectors : 1)
    for (int v = 0; v < kVectors; ++v) {
      const u32 here = items_of<kFull>(v, items);
      if (here == 0) break;
      const Vector<Input> vector = vectors[v];
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
      for (int v = 0; v < kVectors; ++v) loaded[v] = vectors[v];
    }

    typename Run<kFull>::Carry carry = Run<kFull>::carry_of(prefix, has_prefix);
#pragma unroll(kFull ? kVectors : 1)
    for (int v = 0; v < kVectors; ++v) {
      const u32 here = items_of<kFull>(v, items);
      if (here == 0) break;
      const Vector<Input> vector = kFull ? loaded[v] : vectors[v];
      reinterpret_cast<Vector<Output>&>(vectors[v]) = {Run<kFull>::scan(vector, carry, here)};
    }
  }

 private:
  template <bool kFull>
  using Run = RunScan<Problem, kVectorItems, kFull>;

  // How many of the thread's items lie in its v-th vector.
  template <bool kFull>
  SCANTUNE_DEVICE static u32 items_of(int v, u32 items) {
    const u32 first = v * kVectorItems;
    if (kFull) return kVectorItems;
    if (first >= items) return 0;
    return items - first < kVectorItems ? items - first : kVectorItems;
  }
};

}  // namespace scantune
