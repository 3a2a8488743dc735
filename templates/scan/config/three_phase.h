// three_phase: reduce every tile, scan the sums (recursively, until one tile holds them), scan every tile again with
// its carry-in. No CTA waits for another, and the association is fixed by the config: equal bits on every run.
#pragma once

#include "core/contract/direction.h"
#include "core/contract/family.h"
#include "core/contract/warp_scan.h"
#include "scan/config/tile.h"

namespace scantune {

struct ThreePhaseConfig {
  static constexpr bool pads_tiles = false;  // one tile of many is partial, and branches save registers
  static constexpr AggregateFrom aggregate_from = AggregateFrom::scan;

  int block_threads = 256;    // threads per CTA
  int items_per_thread = 16;  // items each thread holds in registers (batchSize)
  int vector_bytes = 16;      // width of a load or store; 16 is int4
  TileLayout layout = TileLayout::striped;
  WarpScan warp_scan = WarpScan::kogge_stone;
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int min_ctas_per_sm = 1;  // register budget: this many CTAs must fit one SM
  int pdl = 1;              // programmatic dependent launch: starts while the kernel before it drains

  constexpr bool is_latency_bound() const { return false; }

  constexpr bool operator==(const ThreePhaseConfig&) const = default;
};

// Sums are scanned inclusively, as values of the accumulator type, aligned for vectors whatever the caller's pointers
// are.
constexpr ScanRequest sums_request(ScanRequest request) {
  request.input_type = request.output_type = request.accumulator_type;
  request.kind = Kind::inclusive;
  request.direction = Direction::forward;
  request.segments = Segments::none;  // where they start is in the sums
  request.load = Load::none;
  request.store = Store::none;
  return request;
}

// How the sums are scanned: small tiles whatever the config says, since there are few sums and less to compile.
constexpr ThreePhaseConfig sums_config(const ThreePhaseConfig& config, const ScanRequest& request) {
  constexpr int kItemsPerThread = 4;
  return {.block_threads = 256,
          .items_per_thread = kItemsPerThread,
          .vector_bytes = default_vector_bytes(kItemsPerThread, sums_request(request)),
          .layout = TileLayout::direct,
          .pdl = config.pdl};
}

constexpr int shared_bytes(const ThreePhaseConfig& config, const ScanVariant& request) {
  return tile_shared_bytes(peeled_tile_shape(config, request), request);
}

template <>
struct Family<ThreePhaseConfig> {
  static constexpr const char* kName = "three_phase";
  static constexpr const char* kConfigName = "ThreePhaseConfig";
  static constexpr const char* kHeader = "scan/kernels/three_phase.h";
  enum KernelIndex { kReduceInput, kReduceSums, kDownsweepSums, kDownsweepInput };
  static constexpr const char* const kKernels[] = {"reduce_input", "reduce_sums", "downsweep_sums", "downsweep_input"};
  static constexpr int kMinTileItems = 512;  // smaller tiles are slower, and more than a grid has CTAs at 2^40 items

  static constexpr const char* unsupported_reason(const ScanRequest& request, int) {
    if (const char* reason = unlike_one_sequence_reason(request)) return reason;
    if (request.n > kMaxGridBlocks * kMinTileItems) return "more tiles than a grid has CTAs";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ScanRequest&, int) { return 1; }

  static constexpr ThreePhaseConfig default_config(const ScanRequest& request, int sm) {
    ThreePhaseConfig config;
    config.items_per_thread = register_bytes(request) <= 8 ? 64 / register_bytes(request) : 4;
    config.vector_bytes = default_vector_bytes(config.items_per_thread, request);
    if (needs_fixed_association(request) || has_starts(request.segments)) config.layout = TileLayout::warp_transposed;
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const ThreePhaseConfig& config, const ScanRequest& request, int sm) {
    if (const char* reason = invalid_tile_reason(config, config.min_ctas_per_sm, request, sm)) return reason;
    if (tile_items(config, request) < kMinTileItems) return "a tile must hold at least 512 items";
    // The workspace has the sums of the tiles, and less than a hundredth more for the sums of sums.
    if (!keeps_workspace_small(tile_items(config, request), static_cast<u64>(request.accumulator_bytes()) * 101 / 100,
                               request))
      return "a tile must hold 100 times the bytes of its sum";
    return nullptr;
  }

  static constexpr int tile_items(const ThreePhaseConfig& config, const ScanRequest&) {
    return config.block_threads * config.items_per_thread;
  }

  // The sums of one level, the smallest level last; each level starts on a vector boundary.
  struct Levels {
    static constexpr int kCapacity = 6;  // 2^40 items are 2^31 sums at most, then 2^21, 2^11 and 2
    u64 items[kCapacity] = {};
    u64 offset[kCapacity] = {};  // bytes into the workspace
    u64 bytes = 0;
    int count = 0;
  };

  static constexpr u64 level_bytes(u64 sums, const ScanRequest& request) {
    return round_up(sums * static_cast<u64>(request.accumulator_bytes()), kVectorAlignmentBytes);
  }

  static constexpr Levels levels(const ThreePhaseConfig& config, const ScanRequest& request) {
    Levels levels;
    const u64 tile = static_cast<u64>(tile_items(sums_config(config, request), request));
    for (u64 items = ceil_div(request.n, static_cast<u64>(tile_items(config, request)));;
         items = ceil_div(items, tile)) {
      levels.items[levels.count] = items;
      levels.offset[levels.count++] = levels.bytes;
      levels.bytes += level_bytes(items, request);
      if (items <= tile) return levels;
    }
  }

  static constexpr WorkspaceNeed workspace(const ThreePhaseConfig& config, const ScanRequest& request) {
    return {WorkspaceKind::scratch, 0, levels(config, request).bytes};
  }

  // The launches go up by sums of tiles, sums of sums, ... until one tile holds them, scan that tile, and go down
  // again.
  static constexpr LaunchList launches(const ThreePhaseConfig& config, const ScanRequest& request, Variant variant) {
    const Levels sums = levels(config, request);
    const int top = sums.count - 1;
    const auto launch = [&](KernelIndex kernel, u64 blocks, u64 n, u64 source, u64 destination) {
      const bool over_sums = kernel == kReduceSums || kernel == kDownsweepSums;
      return Launch{.kernel = kernel,
                    .grid_blocks = static_cast<u32>(blocks),
                    .block_threads = over_sums ? sums_config(config, request).block_threads : config.block_threads,
                    .shared_bytes = over_sums ? shared_bytes(sums_config(config, request),
                                                             {sums_request(request), Variant::aligned})
                                              : shared_bytes(config, {request, variant}),
                    .n = request.reads_n() ? request.n : n,  // the kernels count the sums themselves
                    .scratch = {source, destination},
                    .pdl = config.pdl != 0};
    };
    LaunchList list;
    list.add(launch(kReduceInput, sums.items[0], request.n, 0, sums.offset[0]));
    for (int level = 0; level < top; ++level)
      list.add(
          launch(kReduceSums, sums.items[level + 1], sums.items[level], sums.offset[level], sums.offset[level + 1]));
    list.add(launch(kDownsweepSums, 1, sums.items[top], sums.offset[top], sums.offset[top]));
    for (int level = top - 1; level >= 0; --level)
      list.add(
          launch(kDownsweepSums, sums.items[level + 1], sums.items[level], sums.offset[level + 1], sums.offset[level]));
    list.add(launch(kDownsweepInput, sums.items[0], request.n, sums.offset[0], 0));
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ThreePhaseConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ThreePhaseConfig, block_threads, primary, 64, 128, 256, 384, 512, 640, 768, 1024)
          .from_default_only(64, 640, 768, 1024),
      SCANTUNE_PARAMETER(ThreePhaseConfig, items_per_thread, primary, 4, 8, 12, 16, 20, 24, 32),
      SCANTUNE_PARAMETER(ThreePhaseConfig, vector_bytes, secondary, 4, 8, 16),
      SCANTUNE_PARAMETER(ThreePhaseConfig, layout, primary, TileLayout::direct, TileLayout::striped,
                         TileLayout::warp_transposed),
      SCANTUNE_PARAMETER(ThreePhaseConfig, warp_scan, secondary, WarpScan::kogge_stone, WarpScan::brent_kung,
                         WarpScan::hillis_steele, WarpScan::kogge_stone_2, WarpScan::kogge_stone_4)
          .from_default_only(WarpScan::kogge_stone_2, WarpScan::kogge_stone_4),
      SCANTUNE_PARAMETER(ThreePhaseConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ThreePhaseConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(ThreePhaseConfig, min_ctas_per_sm, secondary, 1, 2, 3, 4),
      SCANTUNE_PARAMETER(ThreePhaseConfig, pdl, secondary, 0, 1),
  };
#endif
};

}  // namespace scantune
