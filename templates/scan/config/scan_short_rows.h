// scan_short_rows: each CTA takes a tile of neighbouring whole rows, as many as fit, and scans all of them at once. The
// tile is contiguous, loaded and stored as such, whatever the length of a row. No workspace.
//
// Threads scan neighbouring items and start again at every start of a row. A segmented scan combines the threads: no
// lane takes in a lane before the last start. With whole_runs, where a thread's items divide the length of a row, small
// items stay packed and vectors go straight to registers and back.
#pragma once

#include "core/contract/family.h"
#include "scan/config/tile.h"

namespace scantune {

struct ScanShortRowsConfig {
  int block_threads = 256;   // threads of a CTA
  int items_per_thread = 5;  // consecutive items each thread scans (batchSize); where it is odd, threads read different
                             // banks of shared memory
  int whole_runs = 0;        // 1: items_per_thread divides the length of a row, so that none starts among them
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains

  constexpr bool operator==(const ScanShortRowsConfig&) const = default;
};

// Items of the longest row that fits a tile.
constexpr u64 most_row_items(const ScanShortRowsConfig& config) {
  return static_cast<u64>(config.block_threads) * static_cast<u64>(config.items_per_thread);
}

// The tile as loaded, up to a vector past its place, and later the results; then the exchange between warps.
constexpr int shared_bytes(const ScanShortRowsConfig& config, const ScanRequest& request) {
  const u64 in = most_row_items(config) * static_cast<u64>(request.input_bytes()) + kVectorAlignmentBytes;
  const u64 out = most_row_items(config) * static_cast<u64>(request.output_bytes());
  const u64 warps = kWarpThreads * (static_cast<u64>(request.accumulator_bytes()) + sizeof(u32));
  return static_cast<int>(round_up(in > out ? in : out, kVectorAlignmentBytes) +
                          round_up(warps, kVectorAlignmentBytes));
}

template <>
struct Family<ScanShortRowsConfig> {
  static constexpr const char* kName = "scan_short_rows";
  static constexpr const char* kConfigName = "ScanShortRowsConfig";
  static constexpr const char* kHeader = "scan/kernels/scan_short_rows.h";
  static constexpr const char* const kKernels[] = {"scan_short_rows"};
  static constexpr u64 kMostRowItems = 4096;
  static constexpr u64 kManyItems = u64{1} << 18;  // from where on there are tiles for all SMs
  static constexpr u64 kSomeItems = u64{9} << 16;  // from there to 2^20, 5 items a thread are faster than 9
  static constexpr u64 kVeryManyItems = u64{1} << 20;
  static constexpr u64 kManyRows = 256;  // more than a CTA for each is worth
  static constexpr u64 kShortRowItems = 512;
  static constexpr u64 kFastRowItems = 1536;  // items: 2^10 reach 0.97 of a copy, 2^11 0.89, and by scan_rows 0.95
  static constexpr u64 kEnoughCtas = 132;     // for every SM of a large GPU to have one

  static constexpr const char* unsupported_reason(const ScanRequest& request, int sm) {
    if (request.segments != Segments::rows) return "scan_short_rows takes whole rows, and the request has none";
    if (row_items(request) > kMostRowItems) return "rows are longer than 4096 items, the most in a tile";
    if (const char* reason = scantune::unsupported_reason(request)) return reason;
    return invalid_reason(default_config(request, sm), request, sm);
  }

  static constexpr int preference(const ScanRequest& request, int) {
    if (register_bytes(request) > 8) return 0;
    // In few items scan_rows has more CTAs. But a GPU starts some 900 CTAs a microsecond: too few for many short rows.
    const u64 length = row_items(request);
    const bool are_many_short = length <= kShortRowItems && length * kManyRows <= request.n;
    // Small items that come in whole runs stay packed. Of others a CTA of scan_rows takes a long row as fast as a copy.
    const bool are_small = widest_item_bytes(request) == 1 && length % 32 == 0;
    const bool are_short = length <= (are_small ? kMostRowItems : kFastRowItems);
    return are_short && (request.n >= kManyItems || are_many_short) ? 5 : 0;
  }

  // Items of one or two bytes are moved in whole runs, if rows have them. Other items get the first tile that whole
  // rows fill to nine tenths, or else the closest one. Measurements on an H200 order the tiles: few threads with many
  // items, unless SMs would get no tile.
  static constexpr ScanShortRowsConfig default_config(const ScanRequest& request, int sm) {
    constexpr int kFew[] = {5, 7, 9}, kSome[] = {9, 11, 13, 7}, kSomeNarrow[] = {11, 13, 9, 7},
                  kSomeLarge[] = {9, 7, 11};
    constexpr int kMany[] = {13, 15, 11, 9}, kManyNarrow[] = {15, 13, 11, 9}, kManyLarge[] = {11, 9, 7}, kWide[] = {3};
    if (const ScanShortRowsConfig config = by_runs(request, sm); config.whole_runs == 1) return spread(config, request);
    const auto of = [&](const auto& large, const auto& narrow, const auto& others) {
      return register_bytes(request) == 8     ? best_filled(large, 128, request, sm)
             : widest_item_bytes(request) < 4 ? best_filled(narrow, 128, request, sm)
                                              : best_filled(others, 128, request, sm);
    };
    if (register_bytes(request) > 8) return best_filled(kWide, 256, request, sm);
    if (request.n >= kVeryManyItems) return of(kManyLarge, kManyNarrow, kMany);
    if (request.n >= kManyItems && request.n <= kSomeItems) return of(kSomeLarge, kSomeNarrow, kSome);
    return spread(best_filled(kFew, 256, request, sm), request);
  }

  static constexpr const char* invalid_reason(const ScanShortRowsConfig& config, const ScanRequest& request, int sm) {
    const int threads = config.block_threads;
    if (const char* reason = invalid_threads_reason(threads)) return reason;
    if (config.items_per_thread < 1 || config.items_per_thread > 128 / register_bytes(request))
      return "items_per_thread must be at least 1, and their accumulators take at most 128 bytes";
    if (most_row_items(config) < row_items(request)) return "the CTA holds fewer items than a row has";
    if (config.whole_runs != 0 && config.whole_runs != 1) return "whole_runs must be 0 or 1";
    if (config.whole_runs == 1) {
      const u64 items = static_cast<u64>(config.items_per_thread);
      if (row_items(request) % items != 0 || request.n % items != 0)
        return "whole_runs needs rows of a multiple of items_per_thread";
      if (items * static_cast<u64>(request.input_bytes()) % sizeof(u32) != 0 ||
          items * static_cast<u64>(request.output_bytes()) % sizeof(u32) != 0)
        return "whole_runs needs items_per_thread items to be whole words";
    }
    if (tiles(config, request) > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    if (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block)
      return "the tile does not fit in shared memory";
    return invalid_pdl_reason(config.pdl, 1, sm);
  }

  static constexpr int tile_items(const ScanShortRowsConfig& config, const ScanRequest&) {
    return config.block_threads * config.items_per_thread;
  }

  // CTAs of the grid; 0 for a request without items.
  static constexpr u64 tiles(const ScanShortRowsConfig& config, const ScanRequest& request) {
    const u64 length = row_items(request);
    if (length == 0) return 0;
    return ceil_div(ceil_div(request.n, length), rows_of_tile(config, request));
  }

  // At least one, although a row of a request that the config is not for may be longer than a tile.
  static constexpr u64 rows_of_tile(const ScanShortRowsConfig& config, const ScanRequest& request) {
    const u64 length = row_items(request), rows = length == 0 ? 0 : most_row_items(config) / length;
    return rows > 0 ? rows : 1;
  }

  static constexpr WorkspaceNeed workspace(const ScanShortRowsConfig&, const ScanRequest&) { return {}; }

  // The extents are the items of a row, and of the rows of a tile.
  static constexpr LaunchList launches(const ScanShortRowsConfig& config, const ScanRequest& request, Variant) {
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(tiles(config, request)),
              .block_threads = config.block_threads,
              .shared_bytes = shared_bytes(config, request),
              .n = request.n,
              .extents = {row_items(request), rows_of_tile(config, request) * row_items(request)},
              .pdl = config.pdl != 0});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ScanShortRowsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ScanShortRowsConfig, block_threads, primary, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(ScanShortRowsConfig, items_per_thread, primary, 1, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 32),
      SCANTUNE_PARAMETER(ScanShortRowsConfig, whole_runs, primary, 0, 1).absent_means(0),
      SCANTUNE_PARAMETER(ScanShortRowsConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ScanShortRowsConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(ScanShortRowsConfig, pdl, secondary, 0, 1),
  };
#endif

 private:
  // Fewer items than give every SM a tile get smaller tiles: fewer threads, and then fewer items of each, as long as a
  // row fits.
  static constexpr ScanShortRowsConfig spread(ScanShortRowsConfig config, const ScanRequest& request) {
    constexpr int kLeastThreads = 64, kLeastItems = 3, kLeastRunBytes = 16;
    if (request.n >= kManyItems || row_items(request) == 0) return config;
    const auto shrink = [&](int& parameter, int smaller) {
      const int before = parameter;
      parameter = smaller;
      const bool shrinks = most_row_items(config) >= row_items(request);
      if (!shrinks) parameter = before;
      return shrinks;
    };
    const auto are_few = [&] { return tiles(config, request) < kEnoughCtas; };
    int& threads = config.block_threads;
    int& items = config.items_per_thread;
    while (are_few() && threads > kLeastThreads && shrink(threads, threads / 2)) continue;
    if (config.whole_runs == 1)
      while (are_few() && items * request.input_bytes() > kLeastRunBytes && shrink(items, items / 2)) continue;
    else
      while (are_few() && items > kLeastItems && shrink(items, items - 2)) continue;
    return config;
  }

  // A run of a vector that divides the rows, of many items two vectors; threads are doubled until a tile holds a row.
  static constexpr ScanShortRowsConfig by_runs(const ScanRequest& request, int sm) {
    constexpr u64 kItemsOfLongRuns = u64{1} << 22;
    ScanShortRowsConfig config{.block_threads = 128, .items_per_thread = 32 / request.input_bytes()};
    // Of wider accumulators a thread holds fewer than 32.
    if (request.input_bytes() > 2 || request.output_bytes() != request.input_bytes() || register_bytes(request) > 4)
      return config;
    const u64 length = row_items(request);
    const auto fits = [&] {
      const u64 items = static_cast<u64>(config.items_per_thread);
      return length % items == 0 && request.n % items == 0;
    };
    if (request.n <= kItemsOfLongRuns || !fits())
      config = {.block_threads = request.n <= kItemsOfLongRuns ? 128 : 256,
                .items_per_thread = kVectorAlignmentBytes / request.input_bytes()};
    if (length == 0 || !fits()) return config;
    while (most_row_items(config) < length && config.block_threads < kMaxBlockThreads) config.block_threads *= 2;
    config.pdl = limits_of(sm).has_pdl ? 1 : 0;
    config.whole_runs = 1;
    return config;
  }

  template <int kCount>
  static constexpr ScanShortRowsConfig best_filled(const int (&items_per_thread)[kCount], int least_threads,
                                                   const ScanRequest& request, int sm) {
    ScanShortRowsConfig config, best{.block_threads = 512, .items_per_thread = items_per_thread[0]};
    config.pdl = best.pdl = limits_of(sm).has_pdl ? 1 : 0;
    const u64 length = row_items(request);
    u64 least = ~u64{0};
    const auto try_threads = [&](int from, int to) {
      for (const int items : items_per_thread) {
        config.items_per_thread = items;
        for (config.block_threads = from; config.block_threads <= to; config.block_threads *= 2) {
          const u64 held = most_row_items(config);
          if (length == 0 || held < length) continue;
          const u64 wasted = held % length * 1024 / held;
          if (wasted >= least) continue;
          best = config;
          least = wasted;
          if (wasted <= 1024 / 10) return;
        }
      }
    };
    try_threads(least_threads, 256);
    if (least > 1024 / 6) try_threads(512, 512);
    while (most_row_items(best) < length && best.block_threads < kMaxBlockThreads) best.block_threads *= 2;
    while (most_row_items(best) < length) ++best.items_per_thread;
    return best;
  }
};

}  // namespace scantune
