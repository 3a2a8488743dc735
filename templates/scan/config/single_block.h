// single_block: one CTA scans tile after tile and keeps the carry in registers. It needs no workspace and has the least
// latency for small n.
#pragma once

#include "core/contract/family.h"
#include "core/contract/pdl.h"
#include "core/contract/warp_scan.h"
#include "scan/config/tile.h"

namespace scantune {

struct SingleBlockConfig {
  static constexpr bool pads_tiles = true;  // most scans so small have one partial tile

  int block_threads = 256;   // threads of the one CTA
  int items_per_thread = 4;  // consecutive items each thread scans in registers (batchSize)
  int vector_bytes = 16;     // width of a load or store; 16 is int4
  TileLayout layout = TileLayout::direct;
  WarpScan warp_scan = WarpScan::kogge_stone;
  AggregateFrom aggregate_from = AggregateFrom::reduction;
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains; 2: lets the next kernel
                // start before that one has ended

  constexpr bool is_latency_bound() const { return true; }

  constexpr bool operator==(const SingleBlockConfig&) const = default;
};

constexpr int shared_bytes(const SingleBlockConfig& config, const ScanVariant& request) {
  const auto head_total = static_cast<u64>(request.accumulator_bytes());
  return tile_shared_bytes(peeled_tile_shape(config, request), request) + static_cast<int>(round_up(head_total, 16));
}

// Whether one instruction reduces the lanes of a warp: LaneReduction in core/parts/warp_reduce.h.
constexpr bool has_lane_reduction(const ScanRequest& request, int sm) {
  return (sm == kHostSm || sm >= 80) && is_integer(request.accumulator_type) && request.accumulator_bytes() == 4 &&
         !is_custom(request.op) && request.op != Operator::product;
}

template <>
struct Family<SingleBlockConfig> {
  static constexpr const char* kName = "single_block";
  static constexpr const char* kConfigName = "SingleBlockConfig";
  static constexpr const char* kHeader = "scan/kernels/single_block.h";
  enum KernelIndex { kOneTile, kTiles };
  static constexpr const char* const kKernels[] = {"scan_one_tile", "scan_tiles"};
  static constexpr u64 kMaxItems = 1u << 17;  // above, one SM is far too slow to be worth measuring
  static constexpr u64 kBytesOfOneSm = 8192;  // above, a cluster is faster where there is one
  static constexpr u64 kItemsOfOneSm = 4096;  // above, any family of several CTAs is faster

  static constexpr const char* unsupported_reason(const ScanRequest& request, int) {
    if (const char* reason = unlike_one_sequence_reason(request)) return reason;
    if (request.n > kMaxItems) return "single_block scans at most 131072 items";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ScanRequest& request, int sm) {
    if (request.n > kItemsOfOneSm) return 0;
    return limits_of(sm).cluster_blocks == 1 || wider_side_bytes(request) <= kBytesOfOneSm ? 4 : 2;
  }

  static constexpr SingleBlockConfig default_config(const ScanRequest& request, int sm) {
    SingleBlockConfig config;
    // There are as few warps as hold the items, since each is one more to wait for. A thread has no more items than it
    // adds up in the time that warps would take to meet.
    const int item_bytes = widest_item_bytes(request);
    const bool wide = register_bytes(request) > 8;  // values of which 1024 threads cannot hold several in registers
    const bool small = item_bytes < 4 && items_fill_vectors(request);
    config.items_per_thread = wide ? 2 : small ? kVectorAlignmentBytes / item_bytes : 4;
    config.block_threads = kWarpThreads;
    while (config.items_per_thread > 4 && request.n <= static_cast<u64>(tile_items(config, request)) / 2)
      config.items_per_thread /= 2;
    while (config.block_threads < (wide ? 256 : 1024) && request.n > static_cast<u64>(tile_items(config, request)))
      config.block_threads *= 2;
    config.vector_bytes = default_vector_bytes(config.items_per_thread, request);
    // More than two warps load two vectors of two items for each thread faster side by side.
    if (item_bytes == 8 && request.n > 256 && !is_custom(request.op) && !needs_fixed_association(request))
      config.layout = TileLayout::striped;
    if (has_starts(request.segments)) config.layout = TileLayout::warp_transposed;
    config.pdl = default_pdl(request, sm);
    return config;
  }

  static constexpr const char* invalid_reason(const SingleBlockConfig& config, const ScanRequest& request, int sm) {
    if (const char* reason = invalid_tile_reason(config, 1, request, sm)) return reason;
    if (config.aggregate_from == AggregateFrom::scan && !has_lane_reduction(request, sm))
      return "no instruction reduces such values, which are scanned at once anyway: aggregate_from must be reduction";
    return nullptr;
  }

  static constexpr int tile_items(const SingleBlockConfig& config, const ScanRequest&) {
    return config.block_threads * config.items_per_thread;
  }

  static constexpr WorkspaceNeed workspace(const SingleBlockConfig&, const ScanRequest&) { return {}; }

  static constexpr LaunchList launches(const SingleBlockConfig& config, const ScanRequest& request, Variant variant) {
    LaunchList list;
    const bool is_one_tile = request.n <= static_cast<u64>(tile_items(config, request));
    list.add({.kernel = is_one_tile ? kOneTile : kTiles,
              .block_threads = config.block_threads,
              .shared_bytes = shared_bytes(config, {request, variant}),
              .n = request.n,
              .pdl = config.pdl != 0});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SingleBlockConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SingleBlockConfig, block_threads, primary, 32, 64, 128, 256, 512, 640, 768, 1024)
          .from_default_only(640, 768),
      SCANTUNE_PARAMETER(SingleBlockConfig, items_per_thread, primary, 1, 2, 4, 8, 16, 32),
      SCANTUNE_PARAMETER(SingleBlockConfig, vector_bytes, primary, 4, 8, 16),
      SCANTUNE_PARAMETER(SingleBlockConfig, layout, primary, TileLayout::direct, TileLayout::striped,
                         TileLayout::warp_transposed),
      SCANTUNE_PARAMETER(SingleBlockConfig, warp_scan, secondary, WarpScan::kogge_stone, WarpScan::brent_kung,
                         WarpScan::hillis_steele, WarpScan::kogge_stone_2, WarpScan::kogge_stone_4)
          .from_default_only(WarpScan::kogge_stone_2, WarpScan::kogge_stone_4),
      SCANTUNE_PARAMETER(SingleBlockConfig, aggregate_from, secondary, AggregateFrom::reduction, AggregateFrom::scan)
          .from_default_only(AggregateFrom::scan)
          .absent_means(AggregateFrom::reduction),
      SCANTUNE_PARAMETER(SingleBlockConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(SingleBlockConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(SingleBlockConfig, pdl, secondary, 0, 1, 2),
  };
#endif
};

}  // namespace scantune
