// The first keys of many items, by several launches. No CTA waits for another.
#pragma once

#include "core/parts/begin_kernel.h"
#include "top_k/config/top_k_tiles.h"
#include "top_k/parts/entry_network.h"
#include "top_k/parts/rank_select.h"
#include "top_k/parts/tile_state.h"

namespace scantune {

// Finds the first key of each tile, and clears what later launches count in.
template <class Problem, TopKTilesConfig kConfig>
SCANTUNE_DEVICE void find_firsts(const KernelArguments& arguments) {
  using Tiles = TopKTiles<Problem, kConfig>;
  using Key = typename Problem::Key;
  const Tiles tiles(arguments);
  const u64 warp = static_cast<u64>(block_rank()) * kConfig.warps() + thread_rank() / kWarpThreads;
  begin_kernel<kConfig.pdl>();
  if (warp < tiles.layout.tiles) {
    const u32 lane = thread_rank() % kWarpThreads;
    const Key first = scantune::warp_reduce<OperatorOf<Key, Operator::min>>(tiles.first_of_lane(warp), lane);
    if (lane == 0) Tiles::store(tiles.firsts() + warp, first);
  }

  const u64 thread = static_cast<u64>(block_rank()) * kConfig.block_threads + thread_rank();
  const u64 threads = static_cast<u64>(block_count()) * kConfig.block_threads;
  if (thread == 0) {
    Tiles::store(&tiles.state()->listed, 0u);
    Tiles::store(&tiles.state()->chosen, 0u);
  }
  for (u64 digit = thread; digit < arguments.extents[1] * kCountedDigits; digit += threads)
    Tiles::store(tiles.counts(0) + digit, u64{0});
}

// Each group whose first key is `key` has a first tile with it: returns the one of that rank among these tiles. Threads
// lose the first keys of their groups.
template <int kThreads, class Tiles>
SCANTUNE_DEVICE u64 tile_of_rank(const Tiles& tiles, typename RankSelect<u64, kThreads>::Shared& shared,
                                 typename Tiles::Key* firsts, u32 groups, typename Tiles::Key key, u32 rank) {
  for (u32 group = thread_rank(); group < groups; group += kThreads) {
    u64 tile = group;
    if (firsts[group] == key)
      while (Tiles::load(tiles.firsts() + tile) != key) tile += groups;
    firsts[group] = firsts[group] == key ? static_cast<typename Tiles::Key>(tile / groups) : Tiles::kLast;
  }
  const auto selected = RankSelect<u64, kThreads>(shared).select(rank, 0, [&](const auto& use) {
    for (u32 base = 0; base < groups; base += kThreads) {
      const u32 group = base + thread_rank();
      const auto turn = group < groups ? firsts[group] : Tiles::kLast;
      use(turn != Tiles::kLast, static_cast<u64>(turn) * groups + group);
    }
  });
  return selected.number;
}

// Finds a key up to which there are at least k, by the first keys of groups of tiles. An item that equals it in a tile
// after the last one comes after k others: one in each group with a lesser first key, and one in each of the groups
// that have this key up to that tile. In its own tile, as many before it as are left after the lesser ones are enough.
template <class Problem, TopKTilesConfig kConfig>
SCANTUNE_DEVICE void find_bound(const KernelArguments& arguments) {
  using Tiles = TopKTiles<Problem, kConfig>;
  using Key = typename Problem::Key;
  using Select = RankSelect<Key, kConfig.finish_threads>;
  union Shared {
    typename Select::Shared keys;
    typename RankSelect<u64, kConfig.finish_threads>::Shared tiles;
  };
  constexpr u32 kThreads = kConfig.finish_threads, kAtOnce = 8;
  const Tiles tiles(arguments);
  auto& shared = shared_memory<Shared>();
  Key* const firsts = reinterpret_cast<Key*>(&shared + 1);
  const u64 most = bounded_groups(tiles.most), count = tiles.layout.tiles;
  const u32 groups = static_cast<u32>(count < most ? count : most);
  begin_kernel<kConfig.pdl>();
  const u32 k = tiles.k();
  if (Problem::kRequest.reads_k() && k == 0) {  // there are no candidates
    if (thread_rank() == 0) Tiles::store(&tiles.state()->has_bound, u64{0});
    return;
  }
  if (groups < k) {  // all items would be candidates
    if (thread_rank() == 0) {
      Tiles::store(&tiles.state()->has_bound, u64{0});
      Tiles::store(&tiles.state()->listed, static_cast<u32>(tiles.layout.room) + 1);
    }
    return;
  }

  // Tile t is in group t % groups.
  for (u32 group = thread_rank(); group < groups; group += kThreads) {
    Key first = Tiles::kLast;
    for (u64 tile = group; tile < count; tile += static_cast<u64>(groups) * kAtOnce) {
      Key loaded[kAtOnce];
#pragma unroll
      for (u32 step = 0; step < kAtOnce; ++step) {
        const u64 other = tile + static_cast<u64>(step) * groups;
        loaded[step] = other < count ? Tiles::load(tiles.firsts() + other) : Tiles::kLast;
      }
#pragma unroll
      for (const Key key : loaded) first = key < first ? key : first;
    }
    firsts[group] = first;
  }
  const u32 few = k + k / 4;
  const auto selected = Select(shared.keys).select(k, few, [&](const auto& use) {
    for (u32 base = 0; base < groups; base += kThreads) {
      const u32 group = base + thread_rank();
      use(group < groups, group < groups ? firsts[group] : Tiles::kLast);
    }
  });
  const u32 most_equals = k - selected.before;
  u64 last_tile = ~u64{0};
  if (selected.before + selected.equal > few)
    last_tile = scantune::tile_of_rank<kConfig.finish_threads>(tiles, shared.tiles, firsts, groups, selected.number,
                                                               most_equals);
  if (thread_rank() == 0) {
    TopKState* const state = tiles.state();
    Tiles::store(&state->has_bound, u64{1});
    Tiles::store(&state->bound, static_cast<u64>(selected.number));
    Tiles::store(&state->last_tile, last_tile);
    Tiles::store(&state->most_equals, u64{most_equals});
  }
}

// Lists the items up to the bound, of equal ones of a tile the first. A warp looks at several tiles.
template <class Problem, TopKTilesConfig kConfig>
SCANTUNE_DEVICE void list_candidates(const KernelArguments& arguments) {
  using Tiles = TopKTiles<Problem, kConfig>;
  using Key = typename Problem::Key;
  const Tiles tiles(arguments);
  const u32 lane = thread_rank() % kWarpThreads, warp = thread_rank() / kWarpThreads;
  const u64 base = (static_cast<u64>(block_rank()) * kConfig.warps() + warp) * kListedTiles, own = base + lane;
  begin_kernel<kConfig.pdl>();
  if (Tiles::load(&tiles.state()->has_bound) == 0) return;
  const Key bound = static_cast<Key>(Tiles::load(&tiles.state()->bound));
  const u64 last_tile = Tiles::load(&tiles.state()->last_tile);
  const u32 most_equals = static_cast<u32>(Tiles::load(&tiles.state()->most_equals));
  const bool has = lane < kListedTiles && own < tiles.layout.tiles;
  const Key first = has ? Tiles::load(tiles.firsts() + own) : Tiles::kLast;
  u32 wanted = ballot(~0u, has && (first < bound || (first == bound && own <= last_tile)));
  for (bool has_room = true; wanted != 0 && has_room; wanted &= wanted - 1) {
    const u64 tile = base + count_trailing_zeros(wanted);
    u32 equals_left = tile <= last_tile ? most_equals : 0;
    tiles.visit(tile, [&](bool is_item, u64 index, Key key) {
      const u32 equals = ballot(~0u, is_item && key == bound);
      const bool is_among_first = count_ones(equals & ((1u << lane) - 1)) < equals_left;
      equals_left -= count_ones(equals) < equals_left ? count_ones(equals) : equals_left;
      const bool is_candidate = is_item && (key < bound || (key == bound && is_among_first));
      if (has_room) has_room = tiles.append(&tiles.state()->listed, is_candidate, key, index);
    });
  }
}

// Counts the digits of all items that may still be the last result.
template <class Problem, TopKTilesConfig kConfig>
SCANTUNE_DEVICE void count_digits(const KernelArguments& arguments) {
  using Tiles = TopKTiles<Problem, kConfig>;
  constexpr u32 kThreads = kConfig.block_threads;
  const Tiles tiles(arguments);
  auto& shared = shared_memory<SharedCounts>();
  const u32 count = static_cast<u32>(arguments.extents[1]);
  begin_kernel<kConfig.pdl>();
  if (tiles.has_room()) return;

  // Decide the digit that was counted last.
  const auto digits = scantune::digits_before<kConfig.block_threads>(tiles, shared, count, arguments.n);
  if (block_rank() == 0 && thread_rank() == 0) Tiles::store(tiles.state()->digits + count, digits);
  if (digits.is_decided != 0) return;

  // Count the next one.
  for (u32 digit = thread_rank(); digit < kCountedDigits; digit += kThreads) shared.own.counts[digit] = 0;
  sync_block();
  const CountedDigit place = scantune::counted_digit<Problem>(count, arguments.n);
  const u64 warps = static_cast<u64>(block_count()) * kConfig.warps();
  for (u64 tile = static_cast<u64>(block_rank()) * kConfig.warps() + thread_rank() / kWarpThreads;
       tile < tiles.layout.tiles; tile += warps) {
    if (Tiles::load(tiles.firsts() + tile) > digits.key) continue;
    tiles.visit(tile, [&](bool has, u64 index, typename Problem::Key key) {
      shared.own.count(has && place.may_be(digits, key, index), place.of(key, index));
    });
  }
  sync_block();
  for (u32 digit = thread_rank(); digit < kCountedDigits; digit += kThreads)
    if (const u32 found = shared.own.counts[digit]; found != 0) fetch_add(tiles.counts(count) + digit, u64{found});
}

// Lists the results, by the digits of the last one.
template <class Problem, TopKTilesConfig kConfig>
SCANTUNE_DEVICE void list_chosen(const KernelArguments& arguments) {
  using Tiles = TopKTiles<Problem, kConfig>;
  const Tiles tiles(arguments);
  begin_kernel<kConfig.pdl>();
  if (tiles.has_room()) return;
  const auto digits = scantune::digits_before<kConfig.block_threads>(
      tiles, shared_memory<SharedCounts>(), static_cast<u32>(arguments.extents[1]), arguments.n);
  const u64 warps = static_cast<u64>(block_count()) * kConfig.warps();
  for (u64 tile = static_cast<u64>(block_rank()) * kConfig.warps() + thread_rank() / kWarpThreads;
       tile < tiles.layout.tiles; tile += warps) {
    if (Tiles::load(tiles.firsts() + tile) > digits.key) continue;
    tiles.visit(tile, [&](bool has, u64 index, typename Problem::Key key) {
      const bool is_chosen = key < digits.key || (key == digits.key && index <= digits.index);
      tiles.append(&tiles.state()->chosen, has && is_chosen, key, index);
    });
  }
}

// Puts the first k of what is listed in order.
template <class Problem, TopKTilesConfig kConfig>
SCANTUNE_DEVICE void order_candidates(const KernelArguments& arguments) {
  using Tiles = TopKTiles<Problem, kConfig>;
  using Key = typename Problem::Key;
  using Select = EntrySelect<Key, u64, kConfig.finish_threads>;
  constexpr u32 kThreads = kConfig.finish_threads;
  struct alignas(kVectorAlignmentBytes) Shared {
    typename Select::Shared select;
    u32 taken;
  };
  static_assert(sizeof(Shared) <= rank_shared_bytes(kConfig.finish_threads) + kVectorAlignmentBytes);
  const Tiles tiles(arguments);
  auto& shared = shared_memory<Shared>();
  const u32 most = tiles.most, room = static_cast<u32>(network_entries(most));
  Key* const keys = reinterpret_cast<Key*>(&shared + 1);
  const Entries<Key, u64> entries{keys, reinterpret_cast<u64*>(keys + room)};
  begin_kernel<kConfig.pdl>();
  u32 k = most;
  if constexpr (Problem::kRequest.reads_k()) {
    k = tiles.k();
    if (k == 0) return;
  }
  u32 listed = tiles.has_room() ? Tiles::load(&tiles.state()->listed) : k;
  const auto visit = [&](const auto& use) {
    for (u32 base = 0; base < listed; base += kThreads) {
      const u32 place = base + thread_rank();
      const bool has = place < listed;
      use(has, has ? Tiles::load(tiles.keys() + place) : Tiles::kLast, has ? Tiles::load(tiles.indices() + place) : 0);
    }
  };
  if (listed <= room) {
    for (u32 place = thread_rank(); place < listed; place += kThreads)
      entries.put(place, Tiles::load(tiles.keys() + place), Tiles::load(tiles.indices() + place));
  } else {
    const auto first = Select::select(shared.select, k, visit);
    if (thread_rank() == 0) shared.taken = 0;
    sync_block();
    visit([&](bool has, Key key, u64 index) {
      if (has && first.has(key, index)) entries.put(scantune::fetch_add_shared(&shared.taken, 1), key, index);
    });
    listed = k;
  }
  scantune::take_first<Problem::kRequest.result_order, kConfig.finish_threads>(entries, k, listed);
  for (u32 place = thread_rank(); place < k; place += kThreads)
    Problem::store(arguments, place, entries.keys[place], entries.indices[place], 0);
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                                       \
  SCANTUNE_KERNEL(find_firsts, kConfig.block_threads, 1) { ::scantune::find_firsts<Problem, kConfig>(arguments); }   \
  SCANTUNE_KERNEL(find_bound, kConfig.finish_threads, 1) { ::scantune::find_bound<Problem, kConfig>(arguments); }    \
  SCANTUNE_KERNEL(list_candidates, kConfig.block_threads, 1) {                                                       \
    ::scantune::list_candidates<Problem, kConfig>(arguments);                                                        \
  }                                                                                                                  \
  SCANTUNE_KERNEL(count_digits, kConfig.block_threads, 1) { ::scantune::count_digits<Problem, kConfig>(arguments); } \
  SCANTUNE_KERNEL(list_chosen, kConfig.block_threads, 1) { ::scantune::list_chosen<Problem, kConfig>(arguments); }   \
  SCANTUNE_KERNEL(order_candidates, kConfig.finish_threads, 1) {                                                     \
    ::scantune::order_candidates<Problem, kConfig>(arguments);                                                       \
  }
