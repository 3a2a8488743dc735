// races: textbook kernels that have a race. They belong to no family, so nothing selects, tunes or times them.
// `scantune gallery --races` runs them on the host device under random schedules, and the family without the race under
// the same ones.
#pragma once

#include "gallery/shared_single.h"
#include "gallery/sum_two_pass.h"
#include "gallery/sum_two_pass_warp.h"

#ifdef SCANTUNE_KERNELS

namespace scantune {

// One buffer and one barrier a step: a thread may read what another has overwritten in the same step. A second barrier
// mends it (shared_single), or a second buffer (shared_double).
struct OneBarrier {
  static constexpr int shared_values(int capacity) { return capacity; }

  template <class Op, int kCapacity, class T, class Count>
  SCANTUNE_DEVICE static T* scan(T* items, Count count) {
    const u32 item = thread_rank();
    for (u32 distance = 1; distance < count; distance *= 2) {
      if (item < count && item >= distance) items[item] = Op::combine(items[item - distance], items[item]);
      sync_block();
    }
    return items;
  }
};

template <class Problem, SharedSingleConfig kConfig>
SCANTUNE_DEVICE void one_barrier(const KernelArguments& arguments) {
  scantune::scan_row_in_shared_memory<Problem, kConfig, OneBarrier>(arguments);
}

// A tree in shared memory whose steps over up to kUnparted values have no barrier between them: a thread may read a sum
// that another has not written yet.
template <class Problem, auto kConfig, u32 kUnparted>
SCANTUNE_DEVICE void leave_sum_of_race(const KernelArguments& arguments) {
  using Tile = SummedTile<Problem, kConfig>;
  typename Tile::T* const sums = shared_memory<typename Tile::Shared>().values;
  const u64 first = static_cast<u64>(block_rank()) * kConfig.block_threads, left = arguments.n - first;
  const u32 count = left < kConfig.block_threads ? static_cast<u32>(left) : kConfig.block_threads;
  if (thread_rank() < count)
    sums[thread_rank()] = Tile::one_by_one(Problem::input(arguments) + first + thread_rank(), 1);
  sync_block();
  for (u32 distance = kConfig.block_threads / 2; distance > 0; distance /= 2) {
    if (thread_rank() < distance && thread_rank() + distance < count)
      sums[thread_rank()] = Tile::Op::combine(sums[thread_rank()], sums[thread_rank() + distance]);
    if (distance > kUnparted) sync_block();
  }
  if (thread_rank() == 0)
    scantune::store_global<CacheHint::normal>(static_cast<typename Tile::T*>(arguments.workspace) + block_rank(),
                                              sums[0]);
}

// No step waits for the one before it. A barrier after each mends it (sum_two_pass).
template <class Problem, SumTwoPassConfig kConfig>
SCANTUNE_DEVICE void tree_without_barriers(const KernelArguments& arguments) {
  scantune::leave_sum_of_race<Problem, kConfig, kConfig.block_threads>(arguments);
}

// The last steps stay within a warp, and trust its threads to go on together, which none has done by itself since
// Volta. Shuffles mend it (sum_two_pass_warp).
template <class Problem, SumTwoPassWarpConfig kConfig>
SCANTUNE_DEVICE void warp_without_barriers(const KernelArguments& arguments) {
  scantune::leave_sum_of_race<Problem, kConfig, kWarpThreads>(arguments);
}

}  // namespace scantune

#endif
