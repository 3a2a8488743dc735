// scan_rows: each CTA walks rows of the input, tile after tile, and starts a new scan with every row. No workspace. It
// takes rows of any length, where nothing faster serves. pipelined takes long rows: it numbers tiles row by row and
// cuts the carry where a row starts.
//
// Rows whose bytes are a multiple of 16 begin on vector boundaries. Others may begin anywhere, so each has a head of
// its own. The aligned kernel holds both walks and takes one for all rows. Where results must not depend on pointers,
// both give the same bits.
#pragma once

#include "core/contract/family.h"
#include "core/contract/warp_scan.h"
#include "scan/config/tile.h"

namespace scantune {

struct ScanRowsConfig {
  static constexpr bool pads_tiles = true;  // every row may end in a partial tile
  static constexpr AggregateFrom aggregate_from = AggregateFrom::reduction;

  int block_threads = 256;   // threads of a CTA
  int rows_per_block = 1;    // neighbouring rows that a CTA walks, one after the other
  int items_per_thread = 4;  // consecutive items each thread scans in registers (batchSize)
  int vector_bytes = 16;     // width of a load or store; 16 is int4
  TileLayout layout = TileLayout::direct;
  WarpScan warp_scan = WarpScan::kogge_stone;
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch, as in SingleBlockConfig

  constexpr bool is_latency_bound() const { return false; }  // CTAs of other rows fill the SM

  constexpr bool operator==(const ScanRowsConfig&) const = default;
};

// Rows whose bytes are a multiple of a vector begin where vectors do, as all of the input does for the aligned variant.
// Kernels of that variant take both kinds of rows: the one as that variant, the other as the variant for any pointers.
constexpr TileShape row_shape(const ScanRowsConfig& config, const ScanRequest& request, Variant variant) {
  return peeled_tile_shape(config, {request, variant});
}

// The total of a row's head, and a tile; the more of what the kernel's two kinds of rows need.
constexpr int shared_bytes(const ScanRowsConfig& config, const ScanVariant& request) {
  const int any = tile_shared_bytes(row_shape(config, request, Variant::any), request);
  const int own = tile_shared_bytes(row_shape(config, request, request.variant), request);
  const auto head_total = static_cast<u64>(request.accumulator_bytes());
  return (any > own ? any : own) + static_cast<int>(round_up(head_total, 16));
}

template <>
struct Family<ScanRowsConfig> {
  static constexpr const char* kName = "scan_rows";
  static constexpr const char* kConfigName = "ScanRowsConfig";
  static constexpr const char* kHeader = "scan/kernels/scan_rows.h";
  static constexpr const char* const kKernels[] = {"scan_rows"};
  static constexpr int kMostRowsPerBlock = 1024;
  static constexpr u64 kManyRows = 132;       // a CTA for each SM of a large GPU
  static constexpr u64 kVeryManyRows = 1024;  // from where on the smallest CTAs fill it, however long the rows are
  static constexpr u64 kLongRow = 8192;       // items

  static constexpr const char* unsupported_reason(const ScanRequest& request, int) {
    if (request.rows > kMaxGridBlocks * kMostRowsPerBlock) return "more rows than the CTAs of a grid walk";
    if (request.segments != Segments::rows) return "scan_rows starts anew with every row, and the request has no rows";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ScanRequest&, int) { return 1; }

  // Measured on an H200: tests/bench/results/h200-rows-and-columns.csv.
  static constexpr ScanRowsConfig default_config(const ScanRequest& request, int sm) {
    ScanRowsConfig config;
    const u64 items = row_items(request), rows = items == 0 ? 0 : ceil_div(request.n, items);
    const int item_bytes = widest_item_bytes(request);
    const bool wide = register_bytes(request) > 8;  // values of which many threads cannot hold several in registers
    const bool small = item_bytes < 4 && items_fill_vectors(request);
    const auto fits = [&](int parts) {
      return items * static_cast<u64>(parts) <= static_cast<u64>(tile_items(config, request));
    };
    config.items_per_thread = wide ? 2 : small ? kVectorAlignmentBytes / item_bytes : 4;
    config.block_threads = kWarpThreads;
    if (!wide && rows >= kManyRows) {
      // CTAs of other rows fill the SM. Small ones of many items for each thread walk over the fewest tiles.
      config.block_threads = rows < kVeryManyRows && items > kLongRow ? 256 : 128;
      config.items_per_thread = register_bytes(request) == 8 ? 16 : 32;
      while (config.items_per_thread > 4 && fits(2)) config.items_per_thread /= 2;
      while (config.block_threads > kWarpThreads && fits(2)) config.block_threads /= 2;
    } else {
      // A CTA has as few warps as hold a row, for single_block's reason, and then more items for each thread.
      while (config.items_per_thread > 4 && fits(2)) config.items_per_thread /= 2;
      const int most_items = wide ? config.items_per_thread : item_bytes < 4 && register_bytes(request) == 4 ? 32 : 16;
      while (config.block_threads < (wide ? 256 : 512) && !fits(1)) config.block_threads *= 2;
      while (config.items_per_thread < most_items && !fits(1)) config.items_per_thread *= 2;
      // A thread of so many has registers for a built-in operator alone.
      const bool is_plain = !is_custom(request.op) && !has_maps(request) && !needs_fixed_association(request);
      if (register_bytes(request) == 4 && is_plain && !fits(1)) config.block_threads = kMaxBlockThreads;
    }
    // Vectors of neighbouring lanes are neighbours in all layouts but the direct one.
    if (config.items_per_thread * item_bytes > kVectorAlignmentBytes)
      config.layout = needs_fixed_association(request) ? TileLayout::warp_transposed : TileLayout::striped;
    while (most_shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block) config.items_per_thread /= 2;
    config.vector_bytes = default_vector_bytes(config.items_per_thread, request);
    while (blocks(config, request) > kMaxGridBlocks) config.rows_per_block *= 2;
    config.pdl = limits_of(sm).has_pdl ? 1 : 0;
    return config;
  }

  static constexpr const char* invalid_reason(const ScanRowsConfig& config, const ScanRequest& request, int sm) {
    if (config.rows_per_block < 1 || config.rows_per_block > kMostRowsPerBlock)
      return "rows_per_block must be between 1 and 1024";
    if (blocks(config, request) > kMaxGridBlocks) return "more rows than a grid of so many rows_per_block walks";
    return invalid_tile_reason(config, 1, request, sm);
  }

  static constexpr int tile_items(const ScanRowsConfig& config, const ScanRequest&) {
    return config.block_threads * config.items_per_thread;
  }

  // CTAs of the grid; 0 for a request without items.
  static constexpr u64 blocks(const ScanRowsConfig& config, const ScanRequest& request) {
    const u64 length = row_items(request), of_block = static_cast<u64>(config.rows_per_block);
    return length == 0 ? 0 : ceil_div(ceil_div(request.n, length), of_block);
  }

  static constexpr WorkspaceNeed workspace(const ScanRowsConfig&, const ScanRequest&) { return {}; }

  // The extent is the items of a row.
  static constexpr LaunchList launches(const ScanRowsConfig& config, const ScanRequest& request, Variant variant) {
    LaunchList list;
    list.add({.kernel = 0,
              .grid_blocks = static_cast<u32>(blocks(config, request)),
              .block_threads = config.block_threads,
              .shared_bytes = shared_bytes(config, {request, variant}),
              .n = request.n,
              .extents = {row_items(request)},
              .pdl = config.pdl != 0});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ScanRowsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ScanRowsConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(ScanRowsConfig, rows_per_block, secondary, 1, 2, 4, 16),
      SCANTUNE_PARAMETER(ScanRowsConfig, items_per_thread, primary, 1, 2, 4, 8, 16, 32),
      SCANTUNE_PARAMETER(ScanRowsConfig, vector_bytes, primary, 4, 8, 16),
      SCANTUNE_PARAMETER(ScanRowsConfig, layout, primary, TileLayout::direct, TileLayout::striped,
                         TileLayout::warp_transposed),
      SCANTUNE_PARAMETER(ScanRowsConfig, warp_scan, secondary, WarpScan::kogge_stone, WarpScan::brent_kung,
                         WarpScan::hillis_steele, WarpScan::kogge_stone_2, WarpScan::kogge_stone_4)
          .from_default_only(WarpScan::kogge_stone_2, WarpScan::kogge_stone_4),
      SCANTUNE_PARAMETER(ScanRowsConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ScanRowsConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(ScanRowsConfig, pdl, secondary, 0, 1, 2),
  };
#endif
};

}  // namespace scantune
