#pragma once

#include "core/machine/bits.h"
#include "core/machine/known_value.h"
#include "core/machine/warp.h"
#include "core/parts/begin_kernel.h"
#include "sort/parts/merged_tile.h"

namespace scantune {

// The copies between which a sort moves its keys and payloads, by the number of doublings that follow: even ones and
// odd ones are the same.
template <class Problem>
struct MergeCopies {
  using Key = typename KeyOrder<Problem>::Type;
  using Value = typename Problem::Value;
  static constexpr SortRequest kRequest = Problem::kRequest;

  SCANTUNE_DEVICE static Key* keys(const KernelArguments& arguments, u32 copy) {
    auto* const workspace = static_cast<unsigned char*>(arguments.workspace);
    if (copy % 2 == 0) return kRequest.writes_keys() ? output(arguments) : reinterpret_cast<Key*>(workspace);
    if constexpr (kRequest.consumes_input()) return const_cast<Key*>(input(arguments));
    return reinterpret_cast<Key*>(workspace + arguments.scratch[0]);
  }
  SCANTUNE_DEVICE static Value* payload(const KernelArguments& arguments, u32 copy) {
    if (copy % 2 == 0) return Problem::payload_output(arguments);
    if constexpr (kRequest.has_values() && kRequest.consumes_input()) return Problem::consumed_values(arguments);
    return reinterpret_cast<Value*>(static_cast<unsigned char*>(arguments.workspace) + arguments.scratch[1]);
  }

  SCANTUNE_DEVICE static const Key* input(const KernelArguments& arguments) {
    return arguments.operand<const Key>(OperandRole::input);
  }
  SCANTUNE_DEVICE static Key* output(const KernelArguments& arguments) {
    return arguments.operand<Key>(OperandRole::output);
  }
  // Keys that are not put out move as long as they are compared again.
  SCANTUNE_DEVICE static bool moves_keys(u32 copy) { return kRequest.writes_keys() || copy > 0; }
};

template <class Problem, SortMergeConfig kConfig, bool kIsFull>
SCANTUNE_DEVICE void sort_tile(const KernelArguments& arguments, u64 begin, u32 count) {
  using Copies = MergeCopies<Problem>;
  using Tile = MergedTile<Problem, kConfig.block_threads, kConfig.items_per_thread, kConfig.load_hint,
                          kConfig.store_hint, kIsFull>;
  const u32 copy = MergeLaunch::unpacked(arguments.extents[1]).left;
  Tile tile(shared_memory<typename Tile::Shared>(), count);

  // Sort the keys of each thread, and merge runs until there is one.
  tile.load([&](u32 place) { return Copies::input(arguments) + begin + place; });
  tile.sort_threads();
#pragma unroll 1
  for (u32 threads = 1; threads < kConfig.block_threads && threads * kConfig.items_per_thread < count; threads *= 2)
    tile.merge_threads(threads);

  // Store them, and what moves with them.
  tile.put();
  sync_block();
  if (Copies::moves_keys(copy)) tile.store_keys(Copies::keys(arguments, copy) + begin);
  if constexpr (Problem::kRequest.has_values())
    tile.store_payload(Copies::payload(arguments, copy) + begin,
                       [&](u32 place) { return Problem::values(arguments) + begin + place; });
  else if constexpr (Problem::kRequest.has_payload())
    tile.store_indices(Copies::payload(arguments, copy) + begin, begin);
}

// Each CTA sorts a tile of the input.
template <class Problem, SortMergeConfig kConfig>
SCANTUNE_DEVICE void sort_tiles(const KernelArguments& arguments) {
  constexpr u32 kTile = static_cast<u32>(kConfig.tile_items());
  const u64 begin = static_cast<u64>(block_rank()) * kTile, left = arguments.n - begin;
  begin_kernel<kConfig.pdl>();
  if (left >= kTile)
    scantune::sort_tile<Problem, kConfig, true>(arguments, begin, kTile);
  else
    scantune::sort_tile<Problem, kConfig, false>(arguments, begin, static_cast<u32>(left));
}

// How many of the first `diagonal` keys of a merge are the first run's, as merge_path() in memory, of all lanes of a
// warp: each compares at another place.
template <class Keys>
SCANTUNE_DEVICE u64 merge_path_of_warp(const typename Keys::Type* first, u64 first_count,
                                       const typename Keys::Type* second, u64 second_count, u64 diagonal) {
  const u32 lane = thread_rank() % kWarpThreads;
  u64 low = diagonal > second_count ? diagonal - second_count : 0;
  u64 high = diagonal < first_count ? diagonal : first_count;
#pragma unroll 1
  while (low < high) {
    const u64 step = ceil_div(high - low, static_cast<u64>(kWarpThreads + 1)), place = low + (lane + 1) * step - 1;
    bool comes_first = false;
    if (place < high)
      comes_first = !Keys::precedes(scantune::load_global<CacheHint::normal>(second + (diagonal - 1 - place)),
                                    scantune::load_global<CacheHint::normal>(first + place));
    // The bound comes after all places before the first one that says no.
    const u32 denials = ~scantune::ballot(~0u, comes_first);
    const u32 lanes = denials == 0 ? kWarpThreads : scantune::count_trailing_zeros(denials);
    if (const u64 next = low + (lanes + 1) * step - 1; lanes < kWarpThreads && next < high) high = next;
    low += lanes * step;
  }
  return low;
}

// The merge of two runs.
template <class Problem, SortMergeConfig kConfig>
class RunMerge {
  using Copies = MergeCopies<Problem>;
  using Keys = KeyOrder<Problem>;
  template <bool kIsFull>
  using Tile =
      MergedTile<Problem, kConfig.merge_threads, kConfig.merge_items, kConfig.load_hint, kConfig.store_hint, kIsFull>;

 public:
  static constexpr u32 kTile = static_cast<u32>(kConfig.merge_tile_items());
  struct Shared {
    typename Tile<true>::Shared tile;
    alignas(kSplitBytes) u64 splits[2];
  };
  static_assert(sizeof(Shared) == merged_tile_bytes(kTile, Problem::kRequest) + kSplitBytes);

  // Merges the tile of that number, of so many in each pair of runs, after so many doublings of this launch.
  SCANTUNE_DEVICE static void merge(const KernelArguments& arguments, u32 doubling, u64 number, u64 tiles) {
    auto& shared = shared_memory<Shared>();
    const MergeLaunch launch = MergeLaunch::unpacked(arguments.extents[1]);
    const u32 from = launch.left + launch.doublings - doubling, to = from - 1;
    const u64 run = arguments.extents[0] << doubling, begin = number / tiles * (2 * run),
              first = number % tiles * kTile;
    if (begin + first >= arguments.n) return;
    const u64 after = arguments.n - begin, ones_count = after < run ? after : run,
              others_count = after - ones_count < run ? after - ones_count : run;
    if (first >= ones_count + others_count) return;
    const u64 left = ones_count + others_count - first;
    const u32 count = left < kTile ? static_cast<u32>(left) : kTile;
    const auto* const ones = Copies::keys(arguments, from) + begin;

    // Find where the tile begins and ends in both runs.
    for (u32 end = thread_rank() / kWarpThreads; end < 2; end += kConfig.merge_threads / kWarpThreads) {
      const u64 split = scantune::merge_path_of_warp<Keys>(ones, ones_count, ones + ones_count, others_count,
                                                           first + (end == 0 ? 0 : count));
      if (thread_rank() % kWarpThreads == 0) shared.splits[end] = split;
    }
    sync_block();
    const u64 one = shared.splits[0], other = first - one;
    const u32 taken = keys_of_ones(shared.splits[1], count, one, ones_count - one, others_count - other);

    // Merge what is between them.
    const Parts parts{.first = begin + one, .taken = taken, .gap = ones_count + other - one - taken};
    if (count == kTile)
      merge_parts<true>(arguments, shared.tile, parts, begin + first, count, to);
    else
      merge_parts<false>(arguments, shared.tile, parts, begin + first, count, to);
  }

 private:
  // The tile's parts of two runs.
  struct Parts {
    u64 first;  // the place of the first key
    u32 taken;  // how many are of the first run
    u64 gap;    // the keys between these and those of the other run
  };

  template <bool kIsFull>
  SCANTUNE_DEVICE static void merge_parts(const KernelArguments& arguments, auto& shared, const Parts& parts,
                                          u64 output, u32 count, u32 to) {
    const auto source = [&](const auto* copy, u32 taken) {
      const auto *const ones = copy + parts.first, *const others = ones + parts.gap;
      return [=](u32 place) { return (place < taken ? ones : others) + place; };
    };
    Tile<kIsFull> tile(shared, count);
    tile.load(source(Copies::keys(arguments, to + 1), parts.taken));
    tile.merge_loaded(parts.taken);

    // Store the keys, and what moves with them.
    tile.put();
    sync_block();
    if (Copies::moves_keys(to)) tile.store_keys(Copies::keys(arguments, to) + output);
    if constexpr (Problem::kRequest.has_payload()) {
      // Addresses are computed again: those of the keys would take registers during the merge.
      const typename Problem::Value* const payload = Copies::payload(arguments, to + 1);
      tile.store_payload(Copies::payload(arguments, to) + output, source(payload, scantune::known(parts.taken)));
    }
  }

  // How many of the tile's keys are the first run's, of which `one` come before it, or `end` with it. ones, others:
  // what both runs have left. Where less() is not an order the end may come first, and each tile still has all its
  // keys.
  SCANTUNE_DEVICE static u32 keys_of_ones(u64 end, u32 count, u64 one, u64 ones, u64 others) {
    const u64 least = count > others ? count - others : 0, most = count < ones ? count : ones;
    const u64 keys = end > one ? end - one : 0;
    return static_cast<u32>(keys < least ? least : keys > most ? most : keys);
  }
};

// Merges runs in pairs. A CTA has one tile of a pair, or all tiles of a group of runs, which becomes one run.
template <class Problem, SortMergeConfig kConfig>
SCANTUNE_DEVICE void merge_runs(const KernelArguments& arguments) {
  using Merge = RunMerge<Problem, kConfig>;
  const u32 doublings = MergeLaunch::unpacked(arguments.extents[1]).doublings;
  begin_kernel<kConfig.pdl>();
#pragma unroll 1
  for (u32 doubling = 0; doubling < doublings; ++doubling) {
    if (doubling > 0) sync_block();  // what other threads have stored is there
    const u64 tiles = ceil_div(arguments.extents[0] << (doubling + 1), u64{Merge::kTile});  // of a pair
    const u64 mine = doublings == 1 ? 1 : tiles << (doublings - 1 - doubling);
#pragma unroll 1
    for (u64 number = 0; number < mine; ++number)
      Merge::merge(arguments, doubling, block_rank() * mine + number, tiles);
  }
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                    \
  SCANTUNE_KERNEL(sort_tiles, kConfig.block_threads, kConfig.min_ctas_per_sm) {   \
    ::scantune::sort_tiles<Problem, kConfig>(arguments);                          \
  }                                                                               \
  SCANTUNE_KERNEL(merge_runs, kConfig.merge_threads, kConfig.merge_ctas_per_sm) { \
    ::scantune::merge_runs<Problem, kConfig>(arguments);                          \
  }
