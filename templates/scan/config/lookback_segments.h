// lookback_segments: one pass over the items of segments by offsets, whatever their lengths are. A launch before it
// checks that the offsets ascend, and notes for the items of each warp which segments begin there. Then each CTA scans
// a tile of pairs, of an item and whether a segment starts there, and looks back for the carry-in as lookback does. A
// tile in which a segment starts publishes its prefix at once, as nothing before the start counts after it. Segments in
// another order are scanned by a third launch, each by a warp, which is slow.
#pragma once

#include "core/contract/family.h"
#include "core/contract/look_back_rules.h"
#include "core/contract/status_layout.h"
#include "core/contract/warp_scan.h"
#include "scan/config/tile.h"

namespace scantune {

struct LookbackSegmentsConfig {
  static constexpr bool pads_tiles = false;
  static constexpr AggregateFrom aggregate_from = AggregateFrom::scan;
  static constexpr TileLayout layout = TileLayout::warp_transposed;

  int block_threads = 256;    // threads of a CTA
  int items_per_thread = 16;  // consecutive items each thread scans in registers (batchSize)
  int vector_bytes = 16;      // width of a load or store; 16 is int4
  WarpScan warp_scan = WarpScan::kogge_stone;
  int window = 32;         // descriptors read per poll of the look-back
  int first_delay_ns = 0;  // sleep before the first poll, so that it finds a prefix at once
  int poll_delay_ns = 0;   // sleep between unsuccessful polls
  TileOrder tile_order = TileOrder::block_index;
  StatusLayout status_layout = StatusLayout::packed;
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int min_ctas_per_sm = 4;  // register budget: this many CTAs must fit one SM
  int pdl = 1;              // programmatic dependent launch: starts while the kernel before it drains; 2: lets the next
                            // kernel start before that one has ended

  constexpr bool is_latency_bound() const { return false; }

  constexpr bool operator==(const LookbackSegmentsConfig&) const = default;
};

// The request of segments by offsets as tiles see it: a scan of pairs, as that of segments by bits.
constexpr ScanRequest behind_offsets(ScanRequest request) {
  if (!request.has_offsets()) return request;
  request.segments = Segments::bits;
  request.offset_type = OffsetType::i32;
  request.offset_form = OffsetForm::bounds;
  request.count_source = CountSource::call;
  return behind_starts(request);
}

constexpr int shared_bytes(const LookbackSegmentsConfig& config, const ScanVariant& request) {
  // The tile scan's bytes, then the tile index, which one thread gets for all.
  const ScanVariant pairs = {behind_offsets(request), request.variant};
  return tile_shared_bytes(tile_shape(config, pairs), pairs) + 16;
}

// Threads of the launches before and after the one that scans tiles.
inline constexpr int kIndexThreads = 256;
inline constexpr u32 kIndexedBounds = 4;  // a thread of the first one takes so many

// The first item of all segments and the one after the last, in the order of the scan. In the workspace the numbers of
// the first segments follow.
struct alignas(16) SegmentRange {
  u64 first, end;
};

template <>
struct Family<LookbackSegmentsConfig> {
  static constexpr const char* kName = "lookback_segments";
  static constexpr const char* kConfigName = "LookbackSegmentsConfig";
  static constexpr const char* kHeader = "scan/kernels/lookback_segments.h";
  enum KernelIndex { kIndexSegments, kLookbackSegments, kScanUnordered };
  static constexpr const char* const kKernels[] = {"index_segments", "lookback_segments", "scan_unordered"};
  static constexpr int kMinTileItems = 512;
  static constexpr u64 kMostSegments = ~u32{0};  // their numbers take 32 bits

  static constexpr const char* unsupported_reason(const ScanRequest& request, int) {
    if (!request.has_offsets()) return "lookback_segments takes segments by offsets, and the request has none";
    if (request.offset_form != OffsetForm::bounds)
      return "lookback_segments takes segments without gaps, and begins and ends may leave some";
    if (request.init == Init::each) return "lookback_segments begins every segment from the same value";
    if (needs_fixed_association(request)) return "lookback_segments combines in an order that changes from run to run";
    if (request.segment_count >= kMostSegments) return "lookback_segments counts segments in 32 bits";
    if (ceil_div(request.n, u64{kMinTileItems}) > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    if (const char* reason = scantune::unsupported_reason(request)) return reason;
    ScanRequest starts = request;
    starts.segments = Segments::bits;
    return invalid_starts_reason(starts);
  }

  // scan_segments is faster of few items, which one launch scans, and of many in segments that its warps take whole.
  // Between, and where it would read segments twice, one pass is. Measured on an H200 of lengths of all kinds.
  static constexpr u64 kFewItems = u64{1} << 18, kManyItems = u64{1} << 22;
  static constexpr u64 kLongSegment = u64{1} << 13;  // items on average

  static constexpr int preference(const ScanRequest& request, int) {
    const u64 average = request.segment_count == 0 ? request.n : request.n / request.segment_count;
    return request.n >= kFewItems && (request.n <= kManyItems || average > kLongSegment) ? 2 : 0;
  }

  // Small CTAs of an SM wait for one another less than large ones.
  static constexpr LookbackSegmentsConfig default_config(const ScanRequest& request, int sm) {
    LookbackSegmentsConfig config;
    const int bytes = register_bytes(request);
    if (bytes == 4 && widest_item_bytes(request) == 4) config.block_threads = 128;
    config.items_per_thread = bytes > 8 ? 4 : bytes > 4 ? 8 : widest_item_bytes(request) == 1 ? 32 : 16;
    config.vector_bytes = default_vector_bytes(config.items_per_thread, behind_offsets(request));
    config.min_ctas_per_sm = is_custom(request.op) ? 1 : sm == 90 ? 4 : 2;
    if (request.n > (u64{1} << 22)) config.store_hint = CacheHint::streaming;
    while (most_shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block) config.block_threads /= 2;
    if (request.forward_progress == ForwardProgress::documented) config.tile_order = TileOrder::ticket;
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const LookbackSegmentsConfig& config, const ScanRequest& request,
                                              int sm) {
    if (const char* reason = invalid_tile_reason(config, config.min_ctas_per_sm, behind_offsets(request), sm))
      return reason;
    if (config.items_per_thread > 32) return "items_per_thread must be at most 32: a word has a bit for each";
    if (tile_items(config, request) < kMinTileItems) return "a tile must hold at least 512 items";
    const u64 tile_bytes = static_cast<u64>(tile_items(config, request)) * static_cast<u64>(widest_item_bytes(request));
    if (100 * descriptor(config, request) > tile_bytes)
      return "a tile must hold 100 times the bytes of its status descriptor";
    return invalid_look_back_reason(config, request.forward_progress);
  }

  static constexpr int tile_items(const LookbackSegmentsConfig& config, const ScanRequest&) {
    return config.block_threads * config.items_per_thread;
  }

  // The header is zero between scans. The first launch writes all else.
  static constexpr WorkspaceNeed workspace(const LookbackSegmentsConfig& config, const ScanRequest& request) {
    constexpr u64 kLast = 2;  // numbers after those of all warps' items
    const u64 warps = tiles(config, request) * static_cast<u64>(config.block_threads / kWarpThreads);
    return {WorkspaceKind::counted, 0,
            index_begin(config, request) + sizeof(SegmentRange) + (warps + kLast) * sizeof(u32)};
  }

  // The extent is the segments. Status words are in the workspace up to where the index begins.
  static constexpr LaunchList launches(const LookbackSegmentsConfig& config, const ScanRequest& request,
                                       Variant variant) {
    LaunchList list;
    const u64 begin = index_begin(config, request);
    const u64 words = (begin - sizeof(WorkspaceHeader)) / sizeof(u64), bounds = request.segment_count + 1;
    const u64 most = bounds < words ? words : bounds;
    Launch launch{.kernel = kIndexSegments,
                  .grid_blocks = grid_for(ceil_div(most, u64{kIndexThreads * kIndexedBounds})),
                  .block_threads = kIndexThreads,
                  .n = request.n,
                  .extents = {request.segment_count},
                  .scratch = {begin},
                  .pdl = config.pdl != 0};
    list.add(launch);
    Launch tile_launch = launch;
    tile_launch.kernel = kLookbackSegments;
    tile_launch.grid_blocks = static_cast<u32>(tiles(config, request));
    tile_launch.block_threads = config.block_threads;
    tile_launch.shared_bytes = shared_bytes(config, {request, variant});
    tile_launch.dispatch = config.tile_order == TileOrder::ticket ? Dispatch::any_order : Dispatch::in_order;
    list.add(tile_launch);
    launch.kernel = kScanUnordered;
    launch.grid_blocks = grid_for(ceil_div(request.segment_count, u64{kIndexThreads / kWarpThreads}));
    launch.persistent_ctas_per_sm = 1;
    list.add(launch);
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<LookbackSegmentsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(LookbackSegmentsConfig, block_threads, primary, 64, 128, 256, 384, 512).from_default_only(64),
      SCANTUNE_PARAMETER(LookbackSegmentsConfig, items_per_thread, primary, 4, 8, 12, 16, 20, 24, 32),
      SCANTUNE_PARAMETER(LookbackSegmentsConfig, vector_bytes, secondary, 8, 16),
      SCANTUNE_PARAMETER(LookbackSegmentsConfig, warp_scan, secondary, WarpScan::kogge_stone, WarpScan::brent_kung,
                         WarpScan::hillis_steele, WarpScan::kogge_stone_2, WarpScan::kogge_stone_4)
          .from_default_only(WarpScan::brent_kung, WarpScan::hillis_steele, WarpScan::kogge_stone_2,
                             WarpScan::kogge_stone_4),
      SCANTUNE_PARAMETER(LookbackSegmentsConfig, window, secondary, 8, 16, 32, 64),
      SCANTUNE_PARAMETER(LookbackSegmentsConfig, first_delay_ns, secondary, 0, 400, 1000, 1600),
      SCANTUNE_PARAMETER(LookbackSegmentsConfig, poll_delay_ns, secondary, 0, 300, 700),
      SCANTUNE_PARAMETER(LookbackSegmentsConfig, tile_order, primary, TileOrder::block_index, TileOrder::ticket),
      SCANTUNE_PARAMETER(LookbackSegmentsConfig, status_layout, secondary, StatusLayout::packed, StatusLayout::split),
      SCANTUNE_PARAMETER(LookbackSegmentsConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(LookbackSegmentsConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(LookbackSegmentsConfig, min_ctas_per_sm, secondary, 1, 2, 3, 4, 6, 8),
      SCANTUNE_PARAMETER(LookbackSegmentsConfig, pdl, secondary, 0, 1, 2),
  };
#endif

 private:
  static constexpr u64 tiles(const LookbackSegmentsConfig& config, const ScanRequest& request) {
    return ceil_div(request.n, static_cast<u64>(tile_items(config, request)));
  }
  static constexpr u64 descriptor(const LookbackSegmentsConfig& config, const ScanRequest& request) {
    return descriptor_bytes(config.status_layout, behind_offsets(request).accumulator_bytes());
  }
  // Bytes into the workspace, where the status words have ended.
  static constexpr u64 index_begin(const LookbackSegmentsConfig& config, const ScanRequest& request) {
    return sizeof(WorkspaceHeader) +
           round_up(tiles(config, request) * descriptor(config, request), u64{kVectorAlignmentBytes});
  }
};

}  // namespace scantune
