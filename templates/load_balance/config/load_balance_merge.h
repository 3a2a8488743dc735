// load_balance_merge: segments and items are merged into one sequence, in which each segment comes before its items,
// and each CTA takes equally many places of it. So CTAs have equal work whatever the lengths are, and empty segments
// cost what items do. One launch without a workspace; no CTA waits for another. The idea is that of merge path: Green,
// McColl and Bader, "GPU merge path", 2012.
//
// Segment s has the place offsets[s] + s. One warp, or several, search how many segments come before the tile, and read
// many offsets in each step. The CTA reads its offsets and marks the places of segments, a byte each; a vote of the
// warp makes a word of 32 marks. An item's segment is the number of marks before it, and its rank the distance to the
// last of them. For the items of the segment before the tile one offset is read again. With `staged` the results pass
// through the memory of the marks and are stored as vectors.
//
// Offsets may hold anything: a search takes the same number of steps, a tile marks only its own places, and items and
// segments, which follow from the marks, exist.
#pragma once

#include "core/contract/cta.h"
#include "core/contract/family.h"
#include "load_balance/config/load_balance.h"

namespace scantune {

struct LoadBalanceMergeConfig {
  int block_threads = 256;     // threads of a CTA
  int places_per_thread = 16;  // places of the merged sequence for each thread (batchSize)
  int search_threads = 32;     // threads that look together for a tile's first segment; more than 32 meet at barriers
  int search_samples = 4;      // offsets that each of them reads in a step
  int offsets_in_flight = 4;   // offsets of the tile that each thread reads at a time
  int staged = 0;              // 1: results go through shared memory, from where they are stored as vectors
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int min_ctas_per_sm = 1;  // register budget: this many CTAs must fit one SM
  int pdl = 1;              // programmatic dependent launch: starts while the kernel before it drains

  constexpr u64 tile_places() const { return static_cast<u64>(block_threads) * static_cast<u64>(places_per_thread); }

  constexpr bool operator==(const LoadBalanceMergeConfig&) const = default;
};

// Bytes of shared memory that hold a mark for each place, and later the staged results, which begin as far past a
// vector boundary as in the output.
constexpr u64 marks_bytes(const LoadBalanceMergeConfig& config, const LoadBalanceRequest& request) {
  const u64 marks = config.tile_places();
  if (config.staged == 0) return marks;
  const u64 staged = round_up(config.tile_places() * static_cast<u64>(request.output_bytes()), kVectorAlignmentBytes) +
                     kVectorAlignmentBytes;
  return staged > marks ? staged : marks;
}

constexpr int shared_bytes(const LoadBalanceMergeConfig& config, const LoadBalanceRequest& request) {
  // After the marks: the finding of each warp, twice, and the segments before the tile.
  return static_cast<int>(round_up(marks_bytes(config, request), kVectorAlignmentBytes)) +
         2 * kWarpThreads * static_cast<int>(sizeof(u32)) + kVectorAlignmentBytes;
}

template <>
struct Family<LoadBalanceMergeConfig> {
  static constexpr const char* kName = "load_balance_merge";
  static constexpr const char* kConfigName = "LoadBalanceMergeConfig";
  static constexpr const char* kHeader = "load_balance/kernels/load_balance_merge.h";
  static constexpr const char* const kKernels[] = {"load_balance_merge"};
  static constexpr u64 kLeastTilePlaces = 128;
  static constexpr u64 kMostPlaces = kMaxGridBlocks * kLeastTilePlaces;

  static constexpr const char* unsupported_reason(const LoadBalanceRequest& request, int) {
    if (request.segments > kMostPlaces || request.n > kMostPlaces - request.segments)
      return "more tiles than a grid has CTAs";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const LoadBalanceRequest&, int) { return 1; }

  // Measured: tests/bench/load_balances.py. Few places go to many CTAs, whose threads all search. Wide values take
  // fewer of them at a time.
  static constexpr LoadBalanceMergeConfig default_config(const LoadBalanceRequest& request, int sm) {
    LoadBalanceMergeConfig config;
    const u64 places = request.n + request.segments;
    config.block_threads = places <= (u64{1} << 22) ? 128 : 256;
    config.places_per_thread = places <= (u64{1} << 22) ? 16 : 32;
    if (places <= (u64{1} << 18)) {
      config.places_per_thread = request.assigned == Assigned::segments_and_ranks ? 4 : 8;
      config.search_threads = 128;
      config.search_samples = request.segments <= 4096 ? 4 : 1;
    }
    if (request.output_bytes() > 8 && config.places_per_thread > 8) config.places_per_thread = 8;
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const LoadBalanceMergeConfig& config, const LoadBalanceRequest& request,
                                              int sm) {
    const int threads = config.block_threads;
    if (const char* reason = invalid_threads_reason(threads)) return reason;
    if (config.places_per_thread < 1 || config.places_per_thread > kWarpThreads)
      return "places_per_thread must be between 1 and 32";
    if (config.tile_places() < kLeastTilePlaces) return "a tile must hold at least 128 places";
    if (ceil_div(request.n + request.segments, config.tile_places()) > kMaxGridBlocks)
      return "more tiles than a grid has CTAs";
    const int searchers = config.search_threads;
    if (searchers < kWarpThreads || searchers > threads || (searchers & (searchers - 1)) != 0)
      return "search_threads must be a power of two from 32 to block_threads";
    if (config.search_samples != 1 && config.search_samples != 2 && config.search_samples != 4 &&
        config.search_samples != 8)
      return "search_samples must be 1, 2, 4 or 8";
    if (config.offsets_in_flight < 1 || config.offsets_in_flight > 16)
      return "offsets_in_flight must be between 1 and 16";
    if (config.offsets_in_flight > config.places_per_thread)
      return "offsets_in_flight must be no more than places_per_thread, for a tile has no more offsets";
    if (config.staged != 0 && config.staged != 1) return "staged must be 0 or 1";
    if (const char* reason = invalid_budget_reason(config.min_ctas_per_sm, threads, sm)) return reason;
    if (const char* reason = invalid_pdl_reason(config.pdl, 2, sm)) return reason;
    if (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block)
      return "the tile does not fit in shared memory";
    return nullptr;
  }

  static constexpr int tile_items(const LoadBalanceMergeConfig& config, const LoadBalanceRequest&) {
    return static_cast<int>(config.tile_places());
  }

  static constexpr WorkspaceNeed workspace(const LoadBalanceMergeConfig&, const LoadBalanceRequest&) { return {}; }

  static constexpr LaunchList launches(const LoadBalanceMergeConfig& config, const LoadBalanceRequest& request,
                                       Variant) {
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(ceil_div(request.n + request.segments, config.tile_places())),
              .block_threads = config.block_threads,
              .shared_bytes = shared_bytes(config, request),
              .n = request.n,
              .extents = {request.segments},
              .pdl = config.pdl != 0});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<LoadBalanceMergeConfig> kParameters[] = {
      SCANTUNE_PARAMETER(LoadBalanceMergeConfig, block_threads, primary, 64, 128, 256, 512, 1024)
          .from_default_only(1024),
      SCANTUNE_PARAMETER(LoadBalanceMergeConfig, places_per_thread, primary, 4, 8, 16, 32),
      SCANTUNE_PARAMETER(LoadBalanceMergeConfig, search_threads, secondary, 32, 64, 128, 256),
      SCANTUNE_PARAMETER(LoadBalanceMergeConfig, search_samples, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(LoadBalanceMergeConfig, offsets_in_flight, secondary, 1, 2, 4, 8, 16),
      SCANTUNE_PARAMETER(LoadBalanceMergeConfig, staged, primary, 0, 1),
      SCANTUNE_PARAMETER(LoadBalanceMergeConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(LoadBalanceMergeConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(LoadBalanceMergeConfig, min_ctas_per_sm, secondary, 1, 2, 3, 4, 6, 8),
      SCANTUNE_PARAMETER(LoadBalanceMergeConfig, pdl, secondary, 0, 1, 2),
  };
#endif
};

}  // namespace scantune
