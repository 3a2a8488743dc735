// lookback: one pass over the data. Each CTA scans a tile, publishes its aggregate, looks back over its predecessors'
// descriptors for the carry-in and publishes its inclusive prefix (Merrill and Garland, "Single-pass Parallel Prefix
// Scan with Decoupled Look-back", 2016). Rows are cut into tiles each for itself, and the first tile of a row begins
// again. So it takes few long rows, and items with any strides. Of few dense columns the items are lines, which are
// combined column by column. A tile in which a segment by flags, bits or keys starts publishes its prefix at once, as
// nothing before the start counts after it, unless segments are counted.
#pragma once

#include "core/contract/family.h"
#include "core/contract/look_back_rules.h"
#include "core/contract/status_layout.h"
#include "core/contract/warp_scan.h"
#include "scan/config/tile.h"

namespace scantune {

struct LookbackConfig {
  static constexpr bool pads_tiles = false;  // one tile of many is partial, and branches save registers
  static constexpr AggregateFrom aggregate_from = AggregateFrom::scan;

  int block_threads = 256;    // threads per CTA
  int items_per_thread = 16;  // items each thread scans in registers (batchSize)
  int vector_bytes = 16;      // width of a load or store; 16 is int4
  TileLayout layout = TileLayout::striped;
  WarpScan warp_scan = WarpScan::kogge_stone;
  int window = 32;         // descriptors read per poll of the look-back
  int first_delay_ns = 0;  // sleep before the first poll, so that it finds a prefix at once
  int poll_delay_ns = 0;   // sleep between unsuccessful polls
  TileOrder tile_order = TileOrder::block_index;
  StatusLayout status_layout = StatusLayout::packed;
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int min_ctas_per_sm = 1;  // register budget: this many CTAs must fit one SM
  int pdl = 1;              // programmatic dependent launch: starts while the kernel before it drains

  constexpr bool is_latency_bound() const { return false; }

  constexpr bool operator==(const LookbackConfig&) const = default;
};

constexpr int shared_bytes(const LookbackConfig& config, const ScanVariant& request) {
  // The tile scan's bytes, then the tile index and the epoch, which one thread gets for all. Rows begin anywhere.
  const Variant variant = request.segments == Segments::rows ? Variant::any : request.variant;
  return tile_shared_bytes(peeled_tile_shape(config, {request, variant}), request) + 16;
}

template <>
struct Family<LookbackConfig> {
  static constexpr const char* kName = "lookback";
  static constexpr const char* kConfigName = "LookbackConfig";
  static constexpr const char* kHeader = "scan/kernels/lookback.h";
  static constexpr const char* const kKernels[] = {"lookback_scan"};
  static constexpr const char* const kCompiledExtents[] = {"columns"};
  static constexpr int kMinTileItems = 512;  // smaller tiles are slower, and more than a grid has CTAs at 2^40 items
  static constexpr int kMaxTileItems = kMaxBlockThreads * 128;
  static constexpr u64 kLongRow = 4096;  // items that take a CTA of scan_rows several tiles
  static constexpr u64 kManyRows = 132;  // so many CTAs of scan_rows occupy a large GPU

  static constexpr const char* unsupported_reason(const ScanRequest& request, int sm) {
    const bool has_rows = request.segments == Segments::rows;
    if (!has_rows)
      if (const char* reason = unlike_one_sequence_reason(request)) return reason;
    if (needs_fixed_association(request)) return "lookback combines in an order that changes from run to run";
    if (has_rows && request.n != 0 &&
        !keeps_workspace_small(items_of_tile(kMaxTileItems, request),
                               descriptor_bytes(StatusLayout::packed, request.accumulator_bytes()), request))
      return "rows are shorter than 100 times the bytes of a status descriptor";
    if (tiles(request, kMinTileItems) > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    if (const char* reason = scantune::unsupported_reason(request)) return reason;
    // Tiles of narrow lines with wide accumulators may be too small for their status descriptors.
    return request.line_columns() > 1 ? invalid_reason(default_config(request, sm), request, sm) : nullptr;
  }

  static constexpr int preference(const ScanRequest& request, int) {
    if (request.segments == Segments::rows)
      return row_items(request) > kLongRow && request.rows < kManyRows && !suits_a_cta_each(request) ? 2 : 0;
    return request.line_columns() == 1 || prefers_lines(request) ? 2 : 0;
  }

  static constexpr LookbackConfig default_config(const ScanRequest& request, int sm) {
    LookbackConfig config;
    // These values come from the winners on an H200. Small problems need many CTAs. Large ones need big tiles and few,
    // late polls, since polling slows the data down.
    const int bytes = register_bytes(request);
    // Striped lines that pointers do not let come in vectors would each take a warp scan.
    if (bytes > 4 || request.line_columns() > 1 || has_starts(request.segments))
      config.layout = TileLayout::warp_transposed;
    // Pairs of a start and four bytes. Four small CTAs of an SM wait for one another less than two large ones.
    const bool are_pairs = has_starts(request.segments) && bytes == 8 && key_bytes(request) <= 4 && sm == 90;
    if (are_pairs && request.n > (1u << 20)) {
      config.block_threads = 256;
      config.items_per_thread = 16;
      config.min_ctas_per_sm = 4;
      if (request.n > (1u << 22)) config.first_delay_ns = request.n > (1u << 23) ? 1600 : 1000;
      if (request.n > (1u << 22)) config.store_hint = CacheHint::streaming;
    } else if (sm == 90 && has_starts(request.segments) && request.n > (1u << 21) && (bytes == 8 || bytes == 16)) {
      config.block_threads = bytes == 8 ? 256 : 128;  // wide keys, or pairs of a start and 8 bytes
      config.items_per_thread = 16;
      config.min_ctas_per_sm = bytes == 8 ? 2 : 4;
      config.first_delay_ns = bytes == 8 && widest_item_bytes(request) > 1 ? 1600 : 1000;
      config.store_hint = CacheHint::streaming;
    } else if (request.n <= (1u << 21)) {
      config.block_threads = request.n <= (1u << 17) ? 256 : 512;
      config.items_per_thread = bytes <= 8 ? 8 : 4;
    } else if (bytes > 4) {
      config.block_threads = sm == 90 ? 512 : 384;
      config.items_per_thread = bytes == 8 ? 16 : bytes == 12 ? 8 : 4;
      if (bytes == 8 && key_bytes(request) > 4) config.items_per_thread = 8;  // 16 such keys would spill
      config.first_delay_ns = 1600;
      config.store_hint = CacheHint::streaming;
      // The tile before has published a prefix early if a segment starts in it.
      if (has_starts(request.segments) && !counts_starts(request)) {
        config.first_delay_ns = 0;
        config.poll_delay_ns = 300;
      }
      if (sm == 90 && bytes == 8) config.min_ctas_per_sm = 2;           // elsewhere this register budget would spill
    } else if (has_maps(request) && widest_item_bytes(request) == 4) {  // of which an H100 says this
      config.layout = TileLayout::warp_transposed;
      config.items_per_thread = 32;
      config.min_ctas_per_sm = 3;
      config.window = 8;
      config.first_delay_ns = 1600;
      config.poll_delay_ns = 300;
    } else {
      config.block_threads = 384;
      config.items_per_thread = widest_item_bytes(request) == 1 ? 32 : 24;
      config.window = 8;
      config.first_delay_ns = 1600;
      config.poll_delay_ns = 300;
    }
    // A tile that a row does not fill is larger than it need be.
    const auto exceeds_row = [&] {
      return request.segments == Segments::rows && row_items(request) < static_cast<u64>(tile_items(config, request));
    };
    if (exceeds_row() && config.block_threads > 256) config.block_threads = 256;
    if (exceeds_row() && config.items_per_thread > 16) config.items_per_thread = 16;
    while (most_shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block) config.block_threads /= 2;
    config.vector_bytes = default_vector_bytes(config.items_per_thread, request);
    if (request.forward_progress == ForwardProgress::documented) config.tile_order = TileOrder::ticket;
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const LookbackConfig& config, const ScanRequest& request, int sm) {
    if (const char* reason = invalid_tile_reason(config, config.min_ctas_per_sm, request, sm)) return reason;
    if (tile_items(config, request) < kMinTileItems) return "a tile must hold at least 512 items";
    if (!keeps_workspace_small(items_of_tile(tile_items(config, request), request),
                               descriptor_bytes(config.status_layout, request.accumulator_bytes()), request))
      return "a tile must hold 100 times the bytes of its status descriptor";
    return invalid_look_back_reason(config, request.forward_progress);
  }

  static constexpr int tile_items(const LookbackConfig& config, const ScanRequest&) {
    return config.block_threads * config.items_per_thread;
  }

  // Fewer than fit where a row has fewer.
  static constexpr int items_of_tile(int most, const ScanRequest& request) {
    const bool fill = request.segments != Segments::rows || row_items(request) >= static_cast<u64>(most);
    return fill ? most : static_cast<int>(row_items(request));
  }

  // Tiles of all rows, as many in each, or of all items.
  static constexpr u64 tiles(const ScanRequest& request, u64 tile_items) {
    const u64 length = row_items(request);
    return length == 0 ? 0 : ceil_div(request.n, length) * ceil_div(length, tile_items);
  }
  static constexpr u64 tiles(const LookbackConfig& config, const ScanRequest& request) {
    return tiles(request, static_cast<u64>(tile_items(config, request)));
  }

  static constexpr WorkspaceNeed workspace(const LookbackConfig& config, const ScanRequest& request) {
    const int value_bytes = request.accumulator_bytes();
    return {config.status_layout == StatusLayout::packed ? WorkspaceKind::packed_status : WorkspaceKind::split_status,
            value_bytes,
            sizeof(WorkspaceHeader) + tiles(config, request) * descriptor_bytes(config.status_layout, value_bytes)};
  }

  // The extents, which kernels of rows read, are the items and the tiles of a row.
  static constexpr LaunchList launches(const LookbackConfig& config, const ScanRequest& request, Variant variant) {
    const u64 length = row_items(request), of_tile = static_cast<u64>(tile_items(config, request));
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(tiles(config, request)),
              .block_threads = config.block_threads,
              .shared_bytes = shared_bytes(config, {request, variant}),
              .n = request.n,
              .extents = {length, ceil_div(length, of_tile)},
              .pdl = config.pdl != 0,
              .dispatch = config.tile_order == TileOrder::ticket ? Dispatch::any_order : Dispatch::in_order});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<LookbackConfig> kParameters[] = {
      SCANTUNE_PARAMETER(LookbackConfig, block_threads, primary, 64, 128, 256, 384, 512, 640, 768, 1024)
          .from_default_only(64, 640, 768, 1024),
      SCANTUNE_PARAMETER(LookbackConfig, items_per_thread, primary, 4, 8, 12, 16, 20, 24, 32),
      SCANTUNE_PARAMETER(LookbackConfig, vector_bytes, secondary, 4, 8, 16),
      SCANTUNE_PARAMETER(LookbackConfig, layout, primary, TileLayout::direct, TileLayout::striped,
                         TileLayout::warp_transposed),
      SCANTUNE_PARAMETER(LookbackConfig, warp_scan, secondary, WarpScan::kogge_stone, WarpScan::brent_kung,
                         WarpScan::hillis_steele, WarpScan::kogge_stone_2, WarpScan::kogge_stone_4)
          .from_default_only(WarpScan::kogge_stone_2, WarpScan::kogge_stone_4),
      SCANTUNE_PARAMETER(LookbackConfig, window, secondary, 8, 16, 32, 64),
      SCANTUNE_PARAMETER(LookbackConfig, first_delay_ns, secondary, 0, 400, 1000, 1600).absent_means(0),
      SCANTUNE_PARAMETER(LookbackConfig, poll_delay_ns, secondary, 0, 300, 700),
      SCANTUNE_PARAMETER(LookbackConfig, tile_order, primary, TileOrder::block_index, TileOrder::ticket),
      SCANTUNE_PARAMETER(LookbackConfig, status_layout, secondary, StatusLayout::packed, StatusLayout::split),
      SCANTUNE_PARAMETER(LookbackConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(LookbackConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(LookbackConfig, min_ctas_per_sm, secondary, 1, 2, 3, 4),
      SCANTUNE_PARAMETER(LookbackConfig, pdl, secondary, 0, 1),
  };
#endif
};

}  // namespace scantune
