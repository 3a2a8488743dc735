// scan_segments: a group of threads scans a segment by offsets tile after tile, and carries on what is before the tile.
// What is too long for a group is left to its warp. What is too long for a warp goes on a list in the workspace: the
// warps of a second launch reduce equal parts of it, the last one to arrive scans what these come to, and the warps of
// a third launch scan the parts. Groups are as large as segments are long on average.
//
// With warp_segments a warp takes neighbouring segments as one sequence, as far as each begins where the one before it
// ends: lanes are busy and vectors full whatever the lengths are. Those that do not follow each other, of few items,
// are left to groups. A sequence that is too long for a warp goes on the list, and the third launch divides it between
// segments.
//
// A group's tile begins where its segment does or, where results do not depend on how items are put together, at the
// vector boundary before that. Vectors with items of other segments come item by item.
#pragma once

#include "core/contract/family.h"
#include "core/contract/segment_list.h"
#include "scan/config/flat_shape.h"
#include "scan/config/tile.h"

namespace scantune {

struct ScanSegmentsConfig {
  static constexpr bool pads_tiles = true;  // every segment may end in a partial tile
  static constexpr AggregateFrom aggregate_from = AggregateFrom::reduction;
  static constexpr TileLayout layout = TileLayout::direct;
  static constexpr WarpScan warp_scan = WarpScan::kogge_stone;

  int block_threads = 256;   // threads of a CTA
  int segment_threads = 32;  // neighbouring threads that scan a segment: up to a warp, or if more all of the CTA
  int segments_at_once = 1;  // whose tiles a group loads before it scans any; all of a CTA take turns; of a sequence,
                             // as many tiles
  int warp_segments = 0;     // neighbouring segments that a warp takes as one sequence; 0: each is scanned by itself
  int items_per_thread = 4;  // consecutive items each thread scans in registers (batchSize)
  int vector_bytes = 16;     // width of a load or store; 16 is int4
  int long_tiles = 64;       // segments of more tiles of a warp go on the list
  int min_ctas_per_sm = 4;   // register budget
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains; 2: lets the next kernel
                // start before that one has ended

  constexpr bool is_latency_bound() const { return false; }  // warps of other segments fill the SM

  constexpr bool operator==(const ScanSegmentsConfig&) const = default;
};

constexpr bool takes_all_of_cta(const ScanSegmentsConfig& config) { return config.segment_threads > kWarpThreads; }

// The tiles of all of a CTA, alike for all pointers.
constexpr TileShape segment_shape(const ScanSegmentsConfig& config, const ScanRequest& request) {
  return peeled_tile_shape(config, {request, Variant::any});
}

// How a warp takes neighbouring segments as one sequence.
constexpr FlatShape flat_shape(const ScanSegmentsConfig& config, const ScanRequest& request) {
  return {config.items_per_thread,          vector_items(config.vector_bytes, {request, Variant::aligned}),
          config.segments_at_once,          config.load_hint,
          needs_fixed_association(request), request.direction == Direction::reverse};
}

// All of a CTA need a tile and the total of a segment's head, warps the marks of their sequences.
constexpr int shared_bytes(const ScanSegmentsConfig& config, const ScanVariant& request) {
  if (config.warp_segments > 0)
    return config.block_threads / kWarpThreads * flat_shape(config, request).shared_bytes_of_warp();
  if (!takes_all_of_cta(config)) return 0;
  return tile_shared_bytes(segment_shape(config, request), request) +
         static_cast<int>(round_up(static_cast<u64>(request.accumulator_bytes()), 16));
}

// Segments of more tiles of a group go to its warp.
inline constexpr int kMostTilesOfGroup = 8;

// The most items that one warp scans without others.
constexpr u64 most_items_of_warp(const ScanSegmentsConfig& config) {
  return static_cast<u64>(config.long_tiles) * static_cast<u64>(kWarpThreads * config.items_per_thread);
}

// The most items that a group scans without the rest of its warp.
constexpr u64 most_items_of_group(const ScanSegmentsConfig& config) {
  if (config.segment_threads == kWarpThreads) return most_items_of_warp(config);
  return static_cast<u64>(kMostTilesOfGroup) * static_cast<u64>(config.segment_threads * config.items_per_thread);
}

// A segment on the list has so many parts at most; one warp scans what they come to.
inline constexpr u32 kMostScannedParts = 4096;

constexpr NeighbourLimits neighbour_limits(const ScanSegmentsConfig& config, const ScanRequest& request) {
  return limits_of_neighbours(flat_shape(config, request), config.block_threads, config.warp_segments,
                              config.segment_threads, most_items_of_warp(config), most_items_of_group(config),
                              kMostScannedParts);
}

template <>
struct Family<ScanSegmentsConfig> {
  static constexpr const char* kName = "scan_segments";
  static constexpr const char* kConfigName = "ScanSegmentsConfig";
  static constexpr const char* kHeader = "scan/kernels/scan_segments.h";
  enum KernelIndex { kScanSegments, kReduceListed, kScanListed };
  static constexpr const char* const kKernels[] = {"scan_segments", "reduce_listed", "scan_listed"};

  static constexpr const char* unsupported_reason(const ScanRequest& request, int) {
    if (!request.has_offsets()) return "scan_segments takes segments by offsets, and the request has none";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ScanRequest&, int) { return 1; }

  static constexpr u64 kManySegments = 8192;       // as many warps fill a large GPU
  static constexpr u64 kFewItems = u64{1} << 17;   // of which a CTA takes each long segment
  static constexpr u64 kManyItems = u64{1} << 26;  // of which long segments are many enough for a CTA each

  // Threads have a vector each, so that neighbours move neighbouring vectors. A group's tile holds one and a half
  // segments of average length, so that most have one. Segments are taken as sequences, where none has an initial value
  // of its own. All of a CTA take long ones of few items, which need no list then, or of very many. Without sequences
  // they take those of which there are too few to keep all SMs busy warp by warp, or which are too long for a warp.
  static constexpr ScanSegmentsConfig default_config(const ScanRequest& request, int sm) {
    const u64 average = request.segment_count == 0 ? request.n : request.n / request.segment_count;
    const int bytes = register_bytes(request);
    ScanSegmentsConfig config{.segment_threads = 1, .pdl = limits_of(sm).has_pdl ? 1 : 0};
    config.items_per_thread = bytes >= 8 ? 2 : widest_item_bytes(request) < 4 ? 8 : 4;
    if (config.items_per_thread * bytes <= 16) config.segments_at_once = 2;
    config.vector_bytes = default_vector_bytes(config.items_per_thread, request);
    while (config.segment_threads < kWarpThreads && 3 * average > 2 * static_cast<u64>(tile_items(config, request)))
      config.segment_threads *= 2;
    const bool takes_sequences = request.init != Init::each;
    const bool has_few = takes_sequences ? request.n <= kFewItems : request.segment_count < kManySegments;
    const bool has_many = !takes_sequences || request.n > kManyItems;
    if ((average >= 8 * static_cast<u64>(tile_items(config, request)) && has_few) ||
        (average > most_items_of_warp(config) / 2 && has_many)) {
      config.segment_threads = kMaxBlockThreads;
      config.segments_at_once = 1;
    } else if (takes_sequences) {
      take_sequences(config, average, request);
    }
    if (is_custom(request.op)) config.min_ctas_per_sm = 1;  // else state would spill
    return config;
  }

  static constexpr const char* invalid_reason(const ScanSegmentsConfig& config, const ScanRequest& request, int sm) {
    const int threads = config.segment_threads;
    if (threads < 1 || threads > kMaxBlockThreads || (threads & (threads - 1)) != 0)
      return "segment_threads must be a power of two up to 1024";
    if (config.segments_at_once < 1 || config.segments_at_once > 8) return "segments_at_once must be between 1 and 8";
    if (const char* reason = invalid_tile_reason(config, config.min_ctas_per_sm, request, sm)) return reason;
    if (config.segments_at_once * config.items_per_thread > 128 / register_bytes(request))
      return "items_per_thread of segments_at_once would not fit the registers of a thread (at most 128 bytes of "
             "values)";
    if (config.long_tiles < 1 || config.long_tiles > 4096) return "long_tiles must be between 1 and 4096";
    if (config.warp_segments < 0 || config.warp_segments > 1024) return "warp_segments must be between 0 and 1024";
    if (config.warp_segments == 0) return nullptr;
    if (static_cast<u64>(config.warp_segments) * most_items_of_warp(config) >= u64{1} << 31)
      return "the longest segments of warp_segments must have fewer than 2^31 items together";
    if (takes_all_of_cta(config)) return "warp_segments is 0 where all of a CTA scan a segment";
    if (request.init == Init::each) return "warp_segments is 0 where each segment has an initial value of its own";
    return invalid_flat_items_reason(config.items_per_thread);
  }

  static constexpr int tile_items(const ScanSegmentsConfig& config, const ScanRequest&) {
    return (takes_all_of_cta(config) ? config.block_threads : config.segment_threads) * config.items_per_thread;
  }

  static constexpr WorkspaceNeed workspace(const ScanSegmentsConfig& config, const ScanRequest& request) {
    return list_workspace(listed_parts(config, request), request.accumulator_bytes());
  }

  // The extents are the segments, and how many parts of those on the list there is room for.
  static constexpr LaunchList launches(const ScanSegmentsConfig& config, const ScanRequest& request, Variant variant) {
    LaunchList list;
    const u64 parts = listed_parts(config, request);
    const u64 blocks = ceil_div(request.segment_count, segments_of_block(config));
    Launch launch{.kernel = kScanSegments,
                  .grid_blocks = grid_for(blocks),
                  .block_threads = config.block_threads,
                  .shared_bytes = shared_bytes(config, {request, variant}),
                  .n = request.n,
                  .extents = {request.segment_count, parts},
                  .scratch = {sizeof(WorkspaceHeader), partials_begin(parts)},
                  .pdl = config.pdl != 0};
    list.add(launch);
    if (parts == 0) return list;
    launch.grid_blocks = static_cast<u32>(ceil_div(parts, static_cast<u64>(config.block_threads / kWarpThreads)));
    launch.shared_bytes = 0;
    launch.persistent_ctas_per_sm = kMaxBlockThreads / config.block_threads;
    launch.kernel = kReduceListed;
    list.add(launch);
    if (config.warp_segments > 0) launch.shared_bytes = shared_bytes(config, {request, variant});
    launch.kernel = kScanListed;
    list.add(launch);
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ScanSegmentsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ScanSegmentsConfig, block_threads, primary, 64, 128, 256),
      SCANTUNE_PARAMETER(ScanSegmentsConfig, segment_threads, primary, 1, 2, 4, 8, 16, 32, 1024),
      SCANTUNE_PARAMETER(ScanSegmentsConfig, segments_at_once, primary, 1, 2, 4).from_default_only(4),
      SCANTUNE_PARAMETER(ScanSegmentsConfig, warp_segments, secondary, 0, 1, 4, 16, 64, 128, 256)
          .absent_means(0)
          .from_default_only(1, 4, 16, 64, 128, 256),
      SCANTUNE_PARAMETER(ScanSegmentsConfig, items_per_thread, primary, 1, 2, 4, 8, 16),
      SCANTUNE_PARAMETER(ScanSegmentsConfig, vector_bytes, secondary, 4, 8, 16),
      SCANTUNE_PARAMETER(ScanSegmentsConfig, long_tiles, secondary, 16, 64, 256),
      SCANTUNE_PARAMETER(ScanSegmentsConfig, min_ctas_per_sm, secondary, 1, 2, 4, 6, 8),
      SCANTUNE_PARAMETER(ScanSegmentsConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ScanSegmentsConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(ScanSegmentsConfig, pdl, secondary, 0, 1, 2),
  };
#endif

 private:
  static constexpr void take_sequences(ScanSegmentsConfig& config, u64 average, const ScanRequest& request) {
    const u64 tile = flat_shape(config, request).tile_items();
    const DefaultSequences sequences(request.n, average, tile);
    config.warp_segments = sequences.warp_segments;
    config.long_tiles = sequences.long_tiles;
    config.block_threads = 128;
    config.min_ctas_per_sm = 6;
  }

  // The segments that a CTA scans before it takes others.
  static constexpr u64 segments_of_block(const ScanSegmentsConfig& config) {
    if (config.warp_segments > 0)
      return static_cast<u64>(config.block_threads / kWarpThreads) * static_cast<u64>(config.warp_segments);
    const int groups = takes_all_of_cta(config) ? 1 : config.block_threads / config.segment_threads;
    return static_cast<u64>(groups) * static_cast<u64>(config.segments_at_once);
  }

  // Sequences have parts of half of what a warp takes, so three of a little more than that.
  static constexpr u64 listed_parts(const ScanSegmentsConfig& config, const ScanRequest& request) {
    const u64 most = most_items_of_warp(config);
    if (request.n <= most) return 0;
    return scantune::listed_parts(request.n, config.warp_segments > 0 ? most * 2 / 3 : most,
                                  request.n * static_cast<u64>(request.input_bytes()), request.accumulator_bytes());
  }
};

}  // namespace scantune
