// one_shot: one pass over as much as the SMs hold in their registers. Each CTA keeps its tile, publishes one aggregate
// and reads all aggregates before it at once. That is one trip through L2, where look-back takes a chain of them.
//
// The CTAs of a thread-block cluster exchange their aggregates through shared memory and publish one for all. What fits
// one cluster needs no workspace. With a built-in operator a tile is reduced first and scanned while the aggregates
// travel. Aggregates are combined in the order of tiles, so every run gives the same bits.
#pragma once

#include "core/contract/family.h"
#include "core/contract/pdl.h"
#include "core/contract/status_layout.h"
#include "core/contract/tile_order.h"
#include "core/contract/warp_scan.h"
#include "scan/config/tile.h"
#include "scan/config/window.h"

namespace scantune {

struct OneShotConfig {
  static constexpr bool pads_tiles = true;  // one of the few tiles is partial, and all wait for it

  int block_threads = 256;   // threads per CTA
  int items_per_thread = 8;  // items each thread scans in registers (batchSize)
  int vector_bytes = 16;     // width of a load or store; 16 is int4
  TileLayout layout = TileLayout::striped;
  WarpScan warp_scan = WarpScan::kogge_stone;
  AggregateFrom aggregate_from = AggregateFrom::reduction;
  int cluster_blocks = 1;  // CTAs per cluster, which publish one aggregate together
  int poll_warps = 1;      // warps of a CTA that read a share of the aggregates each
  int window = 128;        // descriptors that each of them reads at once
  int poll_delay_ns = 0;   // sleep between unsuccessful polls
  TileOrder tile_order = TileOrder::block_index;
  StatusLayout status_layout = StatusLayout::packed;
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int min_ctas_per_sm = 1;  // register budget: this many CTAs must fit one SM
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains; 2: lets the next kernel
                // start before that one has ended

  constexpr bool is_latency_bound() const { return cluster_blocks > 1; }  // by default a cluster runs alone

  constexpr bool operator==(const OneShotConfig&) const = default;
};

constexpr int shared_bytes(const OneShotConfig& config, const ScanVariant& request) {
  // The tile scan's bytes, the aggregates of the cluster's CTAs and the barrier where they arrive, the sum that each
  // polling warp has gathered, the head's total, and the tile index and the epoch, which one thread gets for all.
  const u64 cluster =
      round_up(static_cast<u64>(config.cluster_blocks) * static_cast<u64>(register_bytes(request)), 8) + 8;
  const u64 gathered =
      round_up(static_cast<u64>(config.poll_warps + 1) * static_cast<u64>(request.accumulator_bytes()), 4) + 8;
  return tile_shared_bytes(peeled_tile_shape(config, request), request) +
         static_cast<int>(round_up(cluster, 16) + round_up(gathered, 16));
}

// A shape of CTAs, and how many CTAs a default has of it at most. Four polling warps read 128 aggregates at once.
struct OneShotShape {
  int block_threads;
  int items_per_thread;
  int most_ctas = 128;
  int most_light_ctas = most_ctas;  // with an operator that takes few registers, so that two CTAs fit an SM
};

template <>
struct Family<OneShotConfig> {
  static constexpr const char* kName = "one_shot";
  static constexpr const char* kConfigName = "OneShotConfig";
  static constexpr const char* kHeader = "scan/kernels/one_shot.h";
  enum KernelIndex { kByCtas, kByClusters };
  static constexpr const char* const kKernels[] = {"scan_by_ctas", "scan_by_clusters"};
  // Twice the registers of the largest GPUs. Items that do not fit are read in a second wave, which could as well look
  // back.
  static constexpr u64 kMostBytes = u64{1} << 26;
  // So many CTAs read 64 MiB of status words together, as much as they scan.
  static constexpr u64 kMostAggregates = 4096;

  static constexpr const char* unsupported_reason(const ScanRequest& request, int) {
    if (const char* reason = unlike_one_sequence_reason(request)) return reason;
    if (request.n > kMostBytes / static_cast<u64>(register_bytes(request)))
      return "one_shot scans at most 64 MiB of accumulators";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ScanRequest& request, int sm) {
    if (sm != kHostSm && sm < 80) return 0;
    return all_sms_hold(request) ? 3 : 0;
  }

  static constexpr OneShotConfig default_config(const ScanRequest& request, int sm) {
    OneShotConfig config;
    const int bytes = register_bytes(request);
    // Rows of vectors save the turn in shared memory, but each row of single items would take a warp scan.
    const bool in_rows = items_fill_vectors(request) && (bytes <= 4 || (bytes == 8 && !is_custom(request.op)));
    if (!in_rows || needs_fixed_association(request) || has_starts(request.segments))
      config.layout = TileLayout::warp_transposed;
    config.block_threads = 128;
    const int item_bytes = widest_item_bytes(request);
    config.items_per_thread = bytes <= 4 && items_fill_vectors(request) ? kVectorAlignmentBytes / item_bytes : 4;
    config.pdl = default_pdl(request, sm);
    if (request.forward_progress == ForwardProgress::documented) config.tile_order = TileOrder::ticket;
    const OneShotConfig clustered = in_one_cluster(config, request, sm);
    config = with_vectors(clustered.cluster_blocks > 1 ? clustered : on_all_sms(config, request, sm), request);
    config.window = default_window(config, request);
    return config;
  }

  static constexpr const char* invalid_reason(const OneShotConfig& config, const ScanRequest& request, int sm) {
    if (const char* reason = invalid_tile_reason(config, config.min_ctas_per_sm, request, sm)) return reason;
    if (config.block_threads < 2 * kWarpThreads) return "block_threads must be at least 64";
    const int blocks = config.cluster_blocks;
    if (blocks < 1 || blocks > 16 || (blocks & (blocks - 1)) != 0) return "cluster_blocks must be 1, 2, 4, 8 or 16";
    if (blocks > limits_of(sm).cluster_blocks) return "a cluster of cluster_blocks CTAs needs a newer architecture";
    if (config.poll_warps < 1 || config.poll_warps > 8 || config.poll_warps * kWarpThreads > config.block_threads)
      return "poll_warps must be between 1 and 8, and at most the warps of a CTA";
    if (const char* reason = invalid_window_reason(config.window)) return reason;
    if (config.poll_delay_ns < 0 || config.poll_delay_ns > 2000) return "poll_delay_ns must be between 0 and 2000";
    if (config.aggregate_from == AggregateFrom::scan && is_custom(request.op))
      return "custom operators, which need not commute, are scanned at once anyway: aggregate_from must be reduction";
    if (config.tile_order == TileOrder::ticket && blocks > 1) return "tickets are drawn by CTAs, not by clusters";
    const u64 published = aggregates(config, request);
    if (published > 1 && !is_worth_its_descriptor(config, request))
      return "the tiles of a cluster must hold 100 times the bytes of its status descriptor";
    if (published > kMostAggregates) return "more than 4096 aggregates to read at once";
    if (published > 1 && config.tile_order == TileOrder::block_index &&
        request.forward_progress == ForwardProgress::documented)
      return "tile_order block_index relies on an undocumented order of CTAs";
    return nullptr;
  }

  static constexpr int tile_items(const OneShotConfig& config, const ScanRequest&) {
    return config.block_threads * config.items_per_thread;
  }

  // The number of aggregates, one for each cluster.
  static constexpr u64 aggregates(const OneShotConfig& config, const ScanRequest& request) {
    return ceil_div(request.n, static_cast<u64>(tile_items(config, request)) * static_cast<u64>(config.cluster_blocks));
  }

  static constexpr WorkspaceNeed workspace(const OneShotConfig& config, const ScanRequest& request) {
    const u64 published = aggregates(config, request);
    if (published <= 1) return {};
    const int value_bytes = request.accumulator_bytes();
    return {config.status_layout == StatusLayout::packed ? WorkspaceKind::packed_status : WorkspaceKind::split_status,
            value_bytes, sizeof(WorkspaceHeader) + published * descriptor_bytes(config.status_layout, value_bytes)};
  }

  static constexpr LaunchList launches(const OneShotConfig& config, const ScanRequest& request, Variant variant) {
    LaunchList list;
    const u64 published = aggregates(config, request);
    list.add({.kernel = config.cluster_blocks > 1 ? kByClusters : kByCtas,
              .grid_blocks = static_cast<u32>(published) * static_cast<u32>(config.cluster_blocks),
              .block_threads = config.block_threads,
              .shared_bytes = shared_bytes(config, {request, variant}),
              .n = request.n,
              .pdl = config.pdl != 0,
              .dispatch = published > 1 && config.tile_order == TileOrder::block_index ? Dispatch::in_order
                                                                                       : Dispatch::any_order,
              .cluster_blocks = config.cluster_blocks});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<OneShotConfig> kParameters[] = {
      SCANTUNE_PARAMETER(OneShotConfig, block_threads, primary, 64, 128, 256, 512, 640, 768, 1024)
          .from_default_only(64, 640, 768),
      SCANTUNE_PARAMETER(OneShotConfig, items_per_thread, primary, 2, 4, 8, 16, 32),
      SCANTUNE_PARAMETER(OneShotConfig, vector_bytes, secondary, 4, 8, 16),
      SCANTUNE_PARAMETER(OneShotConfig, layout, primary, TileLayout::direct, TileLayout::striped,
                         TileLayout::warp_transposed),
      SCANTUNE_PARAMETER(OneShotConfig, warp_scan, secondary, WarpScan::kogge_stone, WarpScan::brent_kung,
                         WarpScan::hillis_steele, WarpScan::kogge_stone_2, WarpScan::kogge_stone_4)
          .from_default_only(WarpScan::brent_kung, WarpScan::hillis_steele, WarpScan::kogge_stone_2,
                             WarpScan::kogge_stone_4)
          .absent_means(WarpScan::kogge_stone),
      SCANTUNE_PARAMETER(OneShotConfig, aggregate_from, secondary, AggregateFrom::reduction, AggregateFrom::scan)
          .from_default_only(AggregateFrom::scan)
          .absent_means(AggregateFrom::reduction),
      SCANTUNE_PARAMETER(OneShotConfig, cluster_blocks, primary, 1, 2, 4, 8, 16),
      SCANTUNE_PARAMETER(OneShotConfig, poll_warps, secondary, 1, 2, 4),
      SCANTUNE_PARAMETER(OneShotConfig, window, secondary, 32, 64, 128, 256)
          .from_default_only(32, 64, 128, 256)
          .absent_means(128),
      SCANTUNE_PARAMETER(OneShotConfig, poll_delay_ns, secondary, 0, 200),
      SCANTUNE_PARAMETER(OneShotConfig, tile_order, secondary, TileOrder::block_index, TileOrder::ticket),
      SCANTUNE_PARAMETER(OneShotConfig, status_layout, secondary, StatusLayout::packed, StatusLayout::split),
      SCANTUNE_PARAMETER(OneShotConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(OneShotConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(OneShotConfig, min_ctas_per_sm, secondary, 1, 2, 4),
      SCANTUNE_PARAMETER(OneShotConfig, pdl, secondary, 0, 1, 2),
  };
#endif

 private:
  static constexpr bool is_worth_its_descriptor(const OneShotConfig& config, const ScanRequest& request) {
    return keeps_workspace_small(tile_items(config, request) * config.cluster_blocks,
                                 descriptor_bytes(config.status_layout, request.accumulator_bytes()), request);
  }

  // Above this size all SMs are faster than the eight of a cluster, in spite of the polls.
  static constexpr u64 kBytesOfOneCluster = u64{1} << 17;
  static constexpr int kPollWarps = 4;
  static constexpr int kOnePoll = kPollWarps * kWarpThreads;  // aggregates that they read at once

  static constexpr OneShotConfig with_vectors(OneShotConfig config, const ScanRequest& request) {
    config.vector_bytes = default_vector_bytes(config.items_per_thread, request);
    return config;
  }

  // The smallest window that holds all descriptors of a polling warp. A larger one spends registers on descriptors that
  // nothing needs, a smaller one costs another trip to L2. The last CTA reads most. One cluster reads none, so any
  // window serves it.
  static constexpr int default_window(const OneShotConfig& config, const ScanRequest& request) {
    // At most 8 warps. NOLINTNEXTLINE(bugprone-misplaced-widening-cast)
    const u64 published = aggregates(config, request), row = static_cast<u64>(config.poll_warps * kWarpThreads);
    if (published <= 1) return config.window;
    const u64 share = ceil_div(published - 1, row) * kWarpThreads;
    return share <= 32 ? 32 : share <= 64 ? 64 : 128;
  }

  // The config with one cluster for everything, which has small CTAs rather than few. It is unchanged where no cluster
  // holds everything.
  static constexpr OneShotConfig in_one_cluster(const OneShotConfig& config, const ScanRequest& request, int sm) {
    constexpr int kMost = kMaxPortableClusterBlocks;
    if (wider_side_bytes(request) > kBytesOfOneCluster || limits_of(sm).cluster_blocks < kMost) return config;
    const int bytes = register_bytes(request);
    const int most_items = bytes > 8 ? 4 : bytes <= 4 && (packs_sums(request) || packs_extremes(request)) ? 32 : 16;
    OneShotConfig clustered = config;
    clustered.tile_order = TileOrder::block_index;
    clustered.cluster_blocks = kMost;
    while (aggregates(clustered, request) > 1)
      if (!double_items(clustered, most_items, request, sm) &&
          !double_threads(clustered, kMaxBlockThreads, request, sm))
        return config;
    while (clustered.cluster_blocks > 2) {
      OneShotConfig fewer = clustered;
      fewer.cluster_blocks /= 2;
      if (aggregates(fewer, request) > 1) break;
      clustered = fewer;
    }
    return clustered;
  }

  // In the order of N; the last serves what is left. Measured on an H200, tests/bench/results/h200-one-shot-shapes.csv.
  static constexpr OneShotShape kShapesOf1Byte[] = {{128, 16}, {128, 32}, {256, 32}, {1024, 16}, {1024, 32}};
  static constexpr OneShotShape kShapesOf2Bytes[] = {{128, 8},  {128, 16}, {256, 16}, {512, 16, 128, 192},
                                                     {512, 32}, {1024, 32}};
  static constexpr OneShotShape kShapesOf4Bytes[] = {
      {128, 4}, {128, 8}, {256, 8}, {512, 8}, {512, 16, 128, 192}, {1024, 16, 132}, {1024, 32}};
  static constexpr OneShotShape kShapesOf8Bytes[] = {{128, 4, 64}, {128, 8, 144}, {128, 16, 144}, {256, 16}, {128, 16}};
  static constexpr OneShotShape kShapesOfMore[] = {{128, 4}, {256, 4}};
  // A thread holds accumulators alone where segments start at any item, but words of pairs are combined in order, so
  // few are better.
  static constexpr OneShotShape kShapesOfStarts[] = {{128, 4}, {128, 8},       {256, 8},
                                                     {512, 8}, {512, 16, 132}, {1024, 16}};
  static constexpr OneShotShape kShapesOfLongKeys[] = {{128, 4}, {128, 8}, {256, 8}, {512, 8}, {1024, 8}};

  static constexpr OneShotConfig on_all_sms(const OneShotConfig& config, const ScanRequest& request, int sm) {
    if (register_bytes(request) > 8) return shaped(config, kShapesOfMore, request, sm);
    if (has_starts(request.segments))
      return key_bytes(request) > 4 ? shaped(config, kShapesOfLongKeys, request, sm)  // 16 such keys would spill
                                    : shaped(config, kShapesOfStarts, request, sm);
    if (register_bytes(request) > 4) return shaped(config, kShapesOf8Bytes, request, sm);
    const int bytes = widest_item_bytes(request);
    if (bytes == 1) return shaped(config, kShapesOf1Byte, request, sm);
    return bytes == 2 ? shaped(config, kShapesOf2Bytes, request, sm) : shaped(config, kShapesOf4Bytes, request, sm);
  }

  // The config with the first shape whose CTAs are few enough.
  template <int kCount>
  static constexpr OneShotConfig shaped(OneShotConfig config, const OneShotShape (&shapes)[kCount],
                                        const ScanRequest& request, int sm) {
    const bool is_light = request.op == Operator::sum && !needs_fixed_association(request);
    const auto is_legal = [&] {
      return is_worth_its_descriptor(config, request) && aggregates(config, request) <= kMostAggregates;
    };
    for (const OneShotShape& shape : shapes) {
      OneShotConfig other = config;
      other.block_threads = shape.block_threads;
      other.items_per_thread = shape.items_per_thread;
      if (!adopt_if_it_fits(config, other, request, sm)) break;
      if (aggregates(config, request) <= static_cast<u64>(is_light ? shape.most_light_ctas : shape.most_ctas)) break;
    }
    while (!is_legal() && double_threads(config, kMaxBlockThreads, request, sm)) continue;
    const u64 published = aggregates(config, request);
    const bool is_full = config.block_threads == kMaxBlockThreads;
    if (published > kWarpThreads && !is_full) config.poll_warps = kPollWarps;
    // The next scan starts before this one has ended where that was faster: small ones of up to 4 bytes, and wider ones
    // of several waves.
    const bool overlaps = register_bytes(request) > 4 ? published > 2 * kOnePoll : config.block_threads == 128;
    if (config.pdl != 0 && register_bytes(request) <= 8 && !is_full && !overlaps) config.pdl = 1;
    return config;
  }

  // Returns false and leaves the config as it is if no such tile fits.
  static constexpr bool double_threads(OneShotConfig& config, int most, const ScanRequest& request, int sm) {
    OneShotConfig larger = config;
    larger.block_threads *= 2;
    return larger.block_threads <= most && adopt_if_it_fits(config, larger, request, sm);
  }
  static constexpr bool double_items(OneShotConfig& config, int most, const ScanRequest& request, int sm) {
    OneShotConfig larger = config;
    larger.items_per_thread *= 2;
    return larger.items_per_thread <= most && adopt_if_it_fits(config, larger, request, sm);
  }
  static constexpr bool adopt_if_it_fits(OneShotConfig& config, const OneShotConfig& larger, const ScanRequest& request,
                                         int sm) {
    if (most_shared_bytes(with_vectors(larger, request), request) > limits_of(sm).shared_bytes_per_block) return false;
    config = larger;
    return true;
  }
};

}  // namespace scantune
