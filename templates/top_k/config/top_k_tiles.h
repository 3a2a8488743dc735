// top_k_tiles: many items, in tiles of a warp. One launch reads them all and finds the first key of each tile. A CTA
// finds a bound by these, as top_k_rows does by those of its groups. Then only tiles whose first key is up to the bound
// are read again, for all of their keys that are. One CTA puts these in order.
//
// Many keys may equal the bound. Then only some of them are candidates: those in tiles up to a last one, and of each
// tile so many as are left. Still they may be more than there is room for. Then further launches count the digits of
// keys and of indices, the highest first, until the last result is known, and list the results. Otherwise these return
// at once.
#pragma once

#include "core/contract/family.h"
#include "top_k/config/top_k.h"

namespace scantune {

struct TopKTilesConfig {
  int block_threads = 256;    // threads of the CTAs that read all items
  int vectors_of_lane = 32;   // 16-byte vectors of a tile that each lane of its warp reads
  int vectors_at_once = 4;    // loads of a lane that are under way at the same time
  int finish_threads = 1024;  // threads of the CTA that finds the bound, and of the one that puts keys in order
  CacheHint load_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains

  constexpr u32 warps() const { return static_cast<u32>(block_threads / kWarpThreads); }
  constexpr u64 tile_items(int input_bytes) const {
    return static_cast<u64>(vectors_of_lane * kWarpThreads * kVectorAlignmentBytes / input_bytes);
  }

  constexpr bool operator==(const TopKTilesConfig&) const = default;
};

// Digits of keys and indices, where they are counted in the whole input.
inline constexpr int kCountedBits = 11;
inline constexpr u32 kCountedDigits = 1u << kCountedBits;
inline constexpr u32 kMostCounts = 16;

constexpr int bits_of_indices(u64 n) {
  int bits = 1;
  while (bits < 64 && (n - 1) >> bits > 0) ++bits;
  return bits;
}
constexpr u32 counts_of_bits(int bits) { return static_cast<u32>(ceil_div(bits, kCountedBits)); }
constexpr u32 counts_of(int input_bytes, u64 n) {
  return counts_of_bits(8 * input_bytes) + counts_of_bits(bits_of_indices(n));
}

// What the workspace begins with.
struct TopKState {
  u32 listed;  // candidates, also those that there is no room for
  u32 chosen;  // results that have been listed by their digits
  u64 bound;   // the last key of a candidate
  u64 has_bound;
  // The last tile with candidates that equal the bound, and how many of these each tile has at most.
  u64 last_tile, most_equals;
  // Before each count of digits: the last key and the last index that a result may have, and how many results are among
  // the items whose digits agree with these so far. Where is_decided is not 0, all of these items are results.
  struct Digits {
    u64 key, index, left, is_decided;
  };
  Digits digits[kMostCounts];
};

// In bytes from the workspace's start: counts of digits, first keys of tiles, and keys and indices of candidates.
struct TopKLayout {
  u64 tiles, room;  // how many tiles there are, and candidates at most
  u64 counts, firsts, keys, indices, end;
};
constexpr TopKLayout top_k_layout(const TopKTilesConfig& config, const TopKRequest& request, u64 n, u64 k) {
  constexpr u64 kLeastRoom = 4096;
  const u64 bytes = static_cast<u64>(request.compared_bytes());
  TopKLayout layout{};
  layout.tiles = ceil_div(n, config.tile_items(request.input_bytes()));
  layout.room = 4 * k + kLeastRoom;
  layout.counts = round_up(sizeof(TopKState), kVectorAlignmentBytes);
  layout.firsts = layout.counts + counts_of(request.input_bytes(), n) * kCountedDigits * sizeof(u64);
  layout.keys = round_up(layout.firsts + layout.tiles * bytes, kVectorAlignmentBytes);
  layout.indices = round_up(layout.keys + layout.room * bytes, kVectorAlignmentBytes);
  layout.end = layout.indices + layout.room * sizeof(u64);
  return layout;
}

inline constexpr u32 kListedTiles = 4;  // of which a warp lists the candidates

// The groups of tiles by whose first keys a bound is found.
constexpr u64 bounded_groups(u64 k) {
  constexpr u64 kLeastGroups = 4096;
  return 2 * network_entries(k) < kLeastGroups ? kLeastGroups : 2 * network_entries(k);
}

constexpr u64 bound_shared_bytes(const TopKTilesConfig& config, const TopKRequest& request) {
  return rank_shared_bytes(config.finish_threads) +
         bounded_groups(request.k) * static_cast<u64>(request.compared_bytes());
}
constexpr u64 order_shared_bytes(const TopKTilesConfig& config, const TopKRequest& request) {
  return rank_shared_bytes(config.finish_threads) + kVectorAlignmentBytes +
         network_entries(request.k) * (static_cast<u64>(request.compared_bytes()) + sizeof(u64));
}

template <>
struct Family<TopKTilesConfig> {
  static constexpr const char* kName = "top_k_tiles";
  static constexpr const char* kConfigName = "TopKTilesConfig";
  static constexpr const char* kHeader = "top_k/kernels/top_k_tiles.h";
  enum KernelIndex { kFindFirsts, kFindBound, kListCandidates, kCountDigits, kListChosen, kOrderCandidates };
  static constexpr const char* const kKernels[] = {"find_firsts",  "find_bound",  "list_candidates",
                                                   "count_digits", "list_chosen", "order_candidates"};

  static constexpr const char* unsupported_reason(const TopKRequest& request, int sm) {
    if (const char* reason = scantune::unsupported_reason(request)) return reason;
    if (const char* reason = segmented_reason(request)) return reason;
    if (request.n >= u64{1} << 40) return "more items than its counts of digits are for";
    const TopKTilesConfig least{.finish_threads = kWarpThreads};
    if (!fits(least, request, sm)) return kTooManyResults;
    return nullptr;
  }

  // One CTA keeps up with few items.
  static constexpr int preference(const TopKRequest& request, int) {
    constexpr u64 kManyItems = u64{1} << 17;
    return request.n > kManyItems ? 2 : 0;
  }

  // Several tiles for each result, and enough that all SMs have some.
  static constexpr TopKTilesConfig default_config(const TopKRequest& request, int sm) {
    constexpr u64 kTilesOfResult = 32, kManyTiles = u64{1} << 13;
    constexpr int kSomeVectors = 4;  // of a lane, which are faster than more tiles
    TopKTilesConfig config;
    const auto has_tiles = [&](u64 wanted) { return request.n / config.tile_items(request.input_bytes()) >= wanted; };
    while (config.vectors_of_lane > kSomeVectors && !has_tiles(kManyTiles)) config.vectors_of_lane /= 2;
    while (config.vectors_of_lane > 1 && !has_tiles(kTilesOfResult * request.k)) config.vectors_of_lane /= 2;
    while (config.vectors_at_once > config.vectors_of_lane) config.vectors_at_once /= 2;
    while (config.finish_threads > kWarpThreads && !fits(config, request, sm)) config.finish_threads /= 2;
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const TopKTilesConfig& config, const TopKRequest& request, int sm) {
    if (const char* reason = invalid_threads_reason(config.block_threads)) return reason;
    if (invalid_threads_reason(config.finish_threads) != nullptr)
      return "finish_threads must be a multiple of 32 up to 1024";
    if (config.vectors_of_lane < 1 || config.vectors_of_lane > kMostVectors)
      return "vectors_of_lane must be between 1 and 1024";
    if (config.vectors_at_once < 1 || config.vectors_at_once > 16) return "vectors_at_once must be between 1 and 16";
    if (ceil_div(request.n, config.tile_items(request.input_bytes())) > kMaxGridBlocks * config.warps())
      return "a grid has fewer warps than there are tiles";
    if (!fits(config, request, sm)) return "what a CTA puts in order does not fit in shared memory";
    return invalid_pdl_reason(config.pdl, 1, sm);
  }

  static constexpr int tile_items(const TopKTilesConfig& config, const TopKRequest& request) {
    return static_cast<int>(config.tile_items(request.input_bytes()));
  }

  static constexpr WorkspaceNeed workspace(const TopKTilesConfig& config, const TopKRequest& request) {
    return {WorkspaceKind::scratch, 0, top_k_layout(config, request, request.n, request.k).end};
  }

  // The extents are the results, and the number of a count of digits; of the other launches, how many counts there are.
  static constexpr LaunchList launches(const TopKTilesConfig& config, const TopKRequest& request, Variant) {
    const u64 tiles = top_k_layout(config, request, request.n, request.k).tiles;
    const u32 counts = counts_of(request.input_bytes(), request.n);
    const Launch of_tiles{.kernel = kFindFirsts,
                          .grid_blocks = grid_for(ceil_div(tiles, static_cast<u64>(config.warps()))),
                          .block_threads = config.block_threads,
                          .n = request.n,
                          .extents = {request.k, counts},
                          .pdl = config.pdl != 0};
    Launch of_one = of_tiles, listing = of_tiles, counting = of_tiles;
    of_one.grid_blocks = 1;
    of_one.block_threads = config.finish_threads;
    LaunchList list;
    list.add(of_tiles);

    of_one.kernel = kFindBound;
    of_one.shared_bytes = static_cast<int>(bound_shared_bytes(config, request));
    list.add(of_one);

    listing.kernel = kListCandidates;
    listing.grid_blocks = grid_for(ceil_div(tiles, u64{config.warps() * kListedTiles}));
    list.add(listing);

    // These launches count only where more keys are equal than the list holds. Otherwise they return at once, so
    // there are no more CTAs than run together.
    counting.kernel = kCountDigits;
    counting.shared_bytes = static_cast<int>(kCountedDigits * (sizeof(u64) + sizeof(u32)));
    counting.persistent_ctas_per_sm = kMaxBlockThreads / config.block_threads;
    for (u32 count = 0; count < counts; ++count) {
      counting.extents[1] = count;
      list.add(counting);
    }
    counting.kernel = kListChosen;
    counting.extents[1] = counts;
    list.add(counting);

    of_one.kernel = kOrderCandidates;
    of_one.shared_bytes = static_cast<int>(order_shared_bytes(config, request));
    list.add(of_one);
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<TopKTilesConfig> kParameters[] = {
      SCANTUNE_PARAMETER(TopKTilesConfig, block_threads, primary, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(TopKTilesConfig, vectors_of_lane, primary, 1, 2, 4, 8, 16, 32, 64, 128),
      SCANTUNE_PARAMETER(TopKTilesConfig, vectors_at_once, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(TopKTilesConfig, finish_threads, secondary, 256, 512, 1024),
      SCANTUNE_PARAMETER(TopKTilesConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(TopKTilesConfig, pdl, secondary, 0, 1),
  };
#endif

 private:
  static constexpr int kMostVectors = 1024;

  static constexpr bool fits(const TopKTilesConfig& config, const TopKRequest& request, int sm) {
    const auto most_bytes = static_cast<u64>(limits_of(sm).shared_bytes_per_block);
    return request.k < u64{1} << 32 && bound_shared_bytes(config, request) <= most_bytes &&
           order_shared_bytes(config, request) <= most_bytes;
  }
};

}  // namespace scantune
