// pipelined: one pass by persistent CTAs, for large n on sm_90 and newer. Every warp has a role.
//
// The loader draws tiles from an atomic ticket and fills a ring of stages in shared memory by bulk asynchronous copies,
// which complete on barriers. It also stores. Consumers reduce tiles ahead of the one they scan. A publisher makes
// their aggregates known, and look-back warps add up the aggregates since the CTA's own last tile. Only aggregates
// travel between CTAs, and no read depends on another CTA's look-back, so CTAs reduce later tiles while they wait for
// the carry-in.
//
// Each thread owns an odd number of 16-byte vectors, which touches each bank of shared memory once. Items before the
// first vector boundary of the input are scanned one by one. An output that is aligned otherwise than the input is
// stored by the consumers. Items of a custom type that are aligned to less than their size may cross every boundary:
// one warp loads them one by one, which is slow. So may lines, which are the items of few dense columns.
#pragma once

#include "core/contract/family.h"
#include "core/contract/status_layout.h"
#include "core/contract/warp_scan.h"
#include "scan/config/tile.h"
#include "scan/config/window.h"

namespace scantune {

enum class StorePath {
  bulk,   // asynchronous copies from shared memory
  direct  // stores of the warps that scan; always so where input and output are aligned differently
};
template <>
struct Tokens<StorePath> {
  static constexpr const char* kNames[] = {"bulk", "direct"};
};

struct PipelinedConfig {
  int consumer_warps = 8;      // warps that reduce and scan; three more load and store, publish, and look back
  int vectors_per_thread = 5;  // 16-byte vectors of a tile that one thread owns; odd, so that no bank of shared memory
                               // is touched twice
  WarpScan warp_scan = WarpScan::kogge_stone;
  int stages = 10;          // tiles in shared memory
  int look_ahead = 4;       // tiles that are reduced and published before the one being scanned
  int refill_distance = 0;  // stores that may still be reading their stage when the next tile is loaded
  StorePath store_path = StorePath::bulk;
  int ctas_per_sm = 1;      // persistent CTAs on each SM
  int look_back_warps = 2;  // warps that add up the aggregates of other CTAs
  int window = 128;         // descriptors that each of them reads at once
  int poll_distance = 3;    // tiles this CTA reduces beyond the one whose carry-in it starts to look for
  int poll_delay_ns = 0;    // sleep between unsuccessful polls
  int prefetch_tiles = 2;   // tiles that each CTA brings into L2 while the kernel before drains; none without pdl
  StatusLayout status_layout = StatusLayout::packed;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains

  constexpr bool operator==(const PipelinedConfig&) const = default;
};

constexpr int consumer_threads(const PipelinedConfig& config) { return config.consumer_warps * kWarpThreads; }

constexpr int tile_bytes(const PipelinedConfig& config) {
  return consumer_threads(config) * config.vectors_per_thread * kVectorAlignmentBytes;
}

// Other CTAs and polls fill the time of a shuffle.
constexpr WarpScan warp_scan_method(const PipelinedConfig& config) {
  return config.warp_scan == WarpScan::kogge_stone ? WarpScan::kogge_stone_2 : config.warp_scan;
}

// The warps that scan are the consumers and the one that publishes.
constexpr int exchange_bytes(const PipelinedConfig& config, const ScanRequest& request) {
  return (config.consumer_warps + 1) * scan_exchange_bytes(config.warp_scan, request);
}

// Bytes of shared memory. Each stage has the tile, the prefixes of threads in their warp and of warps in the tile, the
// carry-in, four barriers, and the indices of the tile and of the one before it. After the stages: the exchange space
// of the warps that scan, the epoch, and padding for alignment.
constexpr int shared_bytes(const PipelinedConfig& config, const ScanRequest& request) {
  constexpr u64 kBarriersAndIndices = 4 * sizeof(u64) + 2 * sizeof(u32), kEpochAndAlignment = 32;
  const int values = consumer_threads(config) + config.consumer_warps + 1;
  const u64 stage = static_cast<u64>(tile_bytes(config) + values * request.accumulator_bytes()) + kBarriersAndIndices;
  const u64 exchange = static_cast<u64>(exchange_bytes(config, request));
  return static_cast<int>(round_up(exchange + static_cast<u64>(config.stages) * stage + kEpochAndAlignment, 16));
}

template <>
struct Family<PipelinedConfig> {
  static constexpr const char* kName = "pipelined";
  static constexpr const char* kConfigName = "PipelinedConfig";
  static constexpr const char* kHeader = "scan/kernels/pipelined.h";
  static constexpr const char* const kKernels[] = {"pipelined_scan"};
  static constexpr const char* const kCompiledExtents[] = {"columns"};
  static constexpr int kMinTileBytes = kWarpThreads * kVectorAlignmentBytes;
  static constexpr u64 kLongRowBytes = u64{1} << 14;  // of rows that fill tiles
  static constexpr u64 kVeryLongRowBytes = u64{1} << 18;
  static constexpr u64 kManyRows = 132;               // a CTA for each SM of a large GPU
  static constexpr u64 kManyRowBytes = u64{1} << 19;  // of all rows, from where on they keep more than a few CTAs busy
  static constexpr u64 kMinItems = 16;                // more than there are before a vector boundary

  static constexpr const char* unsupported_reason(const ScanRequest& request, int sm) {
    if (!limits_of(sm).has_bulk_copy) return "bulk copies need sm_90 or newer";
    if (needs_fixed_association(request)) return "pipelined combines in an order that changes from run to run";
    if (has_starts(request.segments)) return "pipelined loads items alone, and not where segments start";
    if (request.segments > Segments::rows) return "bulk copies bring rows, not columns or other segments";
    if (const char* reason = strided_reason(request)) return reason;
    if (const char* reason = mapped_reason(request)) return reason;
    if (request.n < kMinItems) return "pipelined scans at least 16 items";
    if (const char* reason = scantune::unsupported_reason(request)) return reason;
    const int bytes = request.input_bytes();
    if (request.output_bytes() != bytes) return "input and output items must have the same size";
    if (kVectorAlignmentBytes % bytes != 0) return "items must fill 16-byte vectors";
    const u64 tile = static_cast<u64>(kMinTileBytes / bytes);
    if (request.segments == Segments::rows && row_items(request) < tile)
      return "rows are shorter than 512 bytes, which a tile of pipelined has at least";
    if (tiles(request, tile) > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    // A ring of lines with wide accumulators may not fit.
    return request.line_columns() > 1 ? invalid_reason(default_config(request, sm), request, sm) : nullptr;
  }

  static constexpr int preference(const ScanRequest& request, int) {
    if (request.segments == Segments::rows) {
      // Many rows keep all SMs busy by scan_rows, unless they are very long.
      const u64 row_bytes = bytes_of(request, row_items(request));
      const bool are_long = row_bytes >= (request.rows < kManyRows ? kLongRowBytes : kVeryLongRowBytes);
      if (suits_a_cta_each(request)) return 0;
      return are_long && bytes_of(request, request.n) >= kManyRowBytes ? 4 : 0;
    }
    if (request.line_columns() > 1 && !prefers_lines(request)) return 0;
    return all_sms_hold(request) ? 0 : 4;
  }

  static constexpr PipelinedConfig default_config(const ScanRequest& request, int sm) {
    PipelinedConfig config;
    // In long scans polls that come too early slow the data down; in short ones every carry-in is needed soon.
    const int item_bytes = request.input_bytes() + request.output_bytes();
    if (request.n * static_cast<u64>(item_bytes) < (u64{1} << 28)) config.poll_distance = 2;
    while (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block) {
      config.stages -= 2;
      while (config.look_ahead + config.refill_distance >= config.stages) --config.look_ahead;
      while (config.poll_distance > config.look_ahead || config.poll_distance + config.look_back_warps > config.stages)
        --config.poll_distance;
    }
    return config;
  }

  static constexpr const char* invalid_reason(const PipelinedConfig& config, const ScanRequest& request, int sm) {
    if (config.consumer_warps < 1 || config.consumer_warps > 16) return "consumer_warps must be between 1 and 16";
    if (config.vectors_per_thread < 1 || config.vectors_per_thread > 15 || config.vectors_per_thread % 2 == 0)
      return "vectors_per_thread must be odd, and at most 15";
    if (config.stages < 2 || config.stages > 32) return "stages must be between 2 and 32";
    if (config.look_ahead < 1 || config.look_ahead >= config.stages) return "look_ahead must be less than stages";
    if (config.poll_distance < 0 || config.poll_distance > config.look_ahead)
      return "poll_distance must be between 0 and look_ahead";
    // A barrier tells two phases apart, not three: no warp may wait for one before it knows that the last has ended.
    if (config.look_back_warps < 1 || config.look_back_warps > config.stages - config.poll_distance)
      return "look_back_warps must be at least 1, and with poll_distance at most stages";
    if (const char* reason = invalid_window_reason(config.window)) return reason;
    if (config.poll_delay_ns < 0 || config.poll_delay_ns > 2000) return "poll_delay_ns must be between 0 and 2000";
    if (config.refill_distance < 0 || config.refill_distance >= config.stages - config.look_ahead)
      return "look_ahead and refill_distance together must be less than stages";
    if (block_threads(config) > kMaxBlockThreads)
      return "the warps that consume and look back, and two more, must be at most 32";
    if (config.ctas_per_sm < 1 || config.ctas_per_sm > 4) return "ctas_per_sm must be between 1 and 4";
    if (config.ctas_per_sm * block_threads(config) > limits_of(sm).threads_per_sm)
      return "ctas_per_sm CTAs do not fit the threads of one SM";
    if (config.ctas_per_sm * (shared_bytes(config, request) + 1024) > limits_of(sm).shared_bytes_per_block + 1024)
      return "ctas_per_sm CTAs do not fit the shared memory of one SM";
    if (const char* reason = invalid_pdl_reason(config.pdl, 1, sm)) return reason;
    if (config.prefetch_tiles < 0 || config.prefetch_tiles > 8) return "prefetch_tiles must be between 0 and 8";
    if (100 * descriptor_bytes(config.status_layout, request.accumulator_bytes()) >
        static_cast<u64>(tile_bytes(config)))
      return "a tile must hold 100 times the bytes of its status descriptor";
    return nullptr;
  }

  static constexpr int block_threads(const PipelinedConfig& config) {
    return consumer_threads(config) + (2 + config.look_back_warps) * kWarpThreads;
  }

  static constexpr int tile_items(const PipelinedConfig& config, const ScanRequest& request) {
    return tile_bytes(config) / request.input_bytes();
  }

  // Tiles of all rows, none of which holds items of two.
  static constexpr u64 tiles(const ScanRequest& request, u64 tile_items) {
    const u64 length = row_items(request);
    return length == 0 ? 0 : ceil_div(request.n, length) * ceil_div(length, tile_items);
  }
  static constexpr u64 tiles(const PipelinedConfig& config, const ScanRequest& request) {
    return tiles(request, static_cast<u64>(tile_items(config, request)));
  }

  static constexpr WorkspaceNeed workspace(const PipelinedConfig& config, const ScanRequest& request) {
    const int value_bytes = request.accumulator_bytes();
    return {config.status_layout == StatusLayout::packed ? WorkspaceKind::packed_status : WorkspaceKind::split_status,
            value_bytes,
            sizeof(WorkspaceHeader) + tiles(config, request) * descriptor_bytes(config.status_layout, value_bytes)};
  }

  // The extent is the items of a row.
  static constexpr LaunchList launches(const PipelinedConfig& config, const ScanRequest& request, Variant) {
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(tiles(config, request)),
              .block_threads = block_threads(config),
              .shared_bytes = shared_bytes(config, request),
              .n = request.n,
              .extents = {row_items(request)},
              .pdl = config.pdl != 0,
              .persistent_ctas_per_sm = config.ctas_per_sm});
    return list;
  }

  static constexpr u64 bytes_of(const ScanRequest& request, u64 items) {
    return items * static_cast<u64>(request.input_bytes());
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<PipelinedConfig> kParameters[] = {
      SCANTUNE_PARAMETER(PipelinedConfig, consumer_warps, primary, 2, 4, 6, 8, 12, 16).from_default_only(2, 6),
      SCANTUNE_PARAMETER(PipelinedConfig, vectors_per_thread, primary, 3, 5, 7),
      SCANTUNE_PARAMETER(PipelinedConfig, warp_scan, secondary, WarpScan::kogge_stone, WarpScan::brent_kung,
                         WarpScan::hillis_steele, WarpScan::kogge_stone_2, WarpScan::kogge_stone_4)
          .from_default_only(WarpScan::brent_kung, WarpScan::hillis_steele, WarpScan::kogge_stone_2,
                             WarpScan::kogge_stone_4)
          .absent_means(WarpScan::kogge_stone),
      SCANTUNE_PARAMETER(PipelinedConfig, stages, primary, 4, 6, 8, 10, 16),
      SCANTUNE_PARAMETER(PipelinedConfig, look_ahead, secondary, 2, 3, 4, 6),
      SCANTUNE_PARAMETER(PipelinedConfig, refill_distance, secondary, 0, 1),
      SCANTUNE_PARAMETER(PipelinedConfig, store_path, secondary, StorePath::bulk, StorePath::direct)
          .absent_means(StorePath::bulk),
      SCANTUNE_PARAMETER(PipelinedConfig, ctas_per_sm, secondary, 1, 2),
      SCANTUNE_PARAMETER(PipelinedConfig, look_back_warps, primary, 1, 2),
      SCANTUNE_PARAMETER(PipelinedConfig, window, secondary, 32, 64, 128, 256)
          .from_default_only(32, 64, 256)
          .absent_means(128),
      SCANTUNE_PARAMETER(PipelinedConfig, poll_distance, primary, 0, 1, 2, 3),
      SCANTUNE_PARAMETER(PipelinedConfig, poll_delay_ns, secondary, 0, 50, 200),
      SCANTUNE_PARAMETER(PipelinedConfig, prefetch_tiles, secondary, 0, 1, 2, 4).absent_means(0),
      SCANTUNE_PARAMETER(PipelinedConfig, status_layout, secondary, StatusLayout::packed, StatusLayout::split),
      SCANTUNE_PARAMETER(PipelinedConfig, pdl, secondary, 0, 1),
  };
#endif
};

}  // namespace scantune
