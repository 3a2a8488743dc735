// The vectors of a warp in shared memory, by which lanes exchange them: those that lane by lane are neighbours, and
// those that a lane has one after the other.
#pragma once

#include "core/machine/kernel.h"
#include "core/machine/warp.h"
#include "scan/parts/started_items.h"

namespace scantune {

template <class T, int kItems, int kVectorItems>
struct TurnedVectors {
  using Vector = HeldItems<T, kVectorItems, Variant::aligned>;
  static constexpr int kVectors = kItems / kVectorItems;

  // The place of a warp's k-th vector. Each lane writes vectors a warp apart and reads neighbouring ones; either way
  // lanes that access at once find different banks.
  SCANTUNE_DEVICE static u32 slot(u32 k) {
    constexpr u32 kBytes = sizeof(Vector);
    if constexpr (is_power_of_two(kBytes) && is_power_of_two(kVectors)) {
      constexpr u32 kOfAllBanks = kBytes >= 128 ? 1 : kBytes < 4 ? 32 : 128 / kBytes;
      constexpr u32 kRow = kVectors < kOfAllBanks ? kOfAllBanks : kVectors;
      return k ^ (k / kRow % kOfAllBanks);
    } else if constexpr (kVectorItems == 1 && kVectors % 2 == 0) {
      return k + k / kVectors;
    } else {
      return k;
    }
  }

  // Gives each lane the vectors that are a warp apart for consecutive ones. A lane's only vector is that already.
  SCANTUNE_DEVICE static void turn_back(T (&items)[kItems], u32 lane, unsigned char* space) {
    if constexpr (kVectors > 1) {
      Vector* const turned = reinterpret_cast<Vector*>(space);
#pragma unroll
      for (int v = 0; v < kVectors; ++v)
        scantune::copy_bytes(turned + slot(lane * kVectors + v), items + v * kVectorItems, sizeof(Vector));
      sync_warp();
#pragma unroll
      for (int v = 0; v < kVectors; ++v)
        scantune::copy_bytes(items + v * kVectorItems, turned + slot(v * kWarpThreads + lane), sizeof(Vector));
    }
  }

 private:
  static constexpr bool is_power_of_two(u32 number) { return (number & (number - 1)) == 0; }
};

}  // namespace scantune
