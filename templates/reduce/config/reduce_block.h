// reduce_block: one CTA, or the CTAs of one cluster, which send the first of them their partial results through shared
// memory. No workspace, and the least latency for small n.
#pragma once

#include "core/contract/pdl.h"
#include "reduce/config/share.h"

namespace scantune {

struct ReduceBlockConfig {
  int block_threads = 256;  // threads per CTA
  int unroll = 1;           // vectors that a thread loads before it combines any
  int cluster_blocks = 1;   // CTAs of the one cluster
  CacheHint load_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains; 2: lets the next kernel
                // start before that one has ended
  static constexpr Deal deal = Deal::shares;

  constexpr bool operator==(const ReduceBlockConfig&) const = default;
};

constexpr int shared_bytes(const ReduceBlockConfig& config, const ReduceRequest& request) {
  // Beside the share's: what the other CTAs send, and the barrier where it arrives.
  const u64 sent = static_cast<u64>(config.cluster_blocks) * round_up(static_cast<u64>(request.partial_bytes()), 4);
  return share_shared_bytes(request) + static_cast<int>(round_up(round_up(sent, 8) + 8, 16));
}

template <>
struct Family<ReduceBlockConfig> {
  static constexpr const char* kName = "reduce_block";
  static constexpr const char* kConfigName = "ReduceBlockConfig";
  static constexpr const char* kHeader = "reduce/kernels/reduce_block.h";
  enum KernelIndex { kByBlock, kByCluster };
  static constexpr const char* const kKernels[] = {"reduce_by_block", "reduce_by_cluster"};

  static constexpr const char* unsupported_reason(const ReduceRequest& request, int) {
    if (const char* reason = segmented_reason(request)) return reason;
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ReduceRequest& request, int sm) {
    const bool has_clusters = limits_of(sm).cluster_blocks >= kMaxPortableClusterBlocks;
    return input_bytes_of(request) <= most_bytes_of_one_cluster(request) / (has_clusters ? 1 : 4) ? 3 : 0;
  }

  // One warp, which waits for no other, as far as it loads all items at once. What is too much for it takes a cluster
  // of eight CTAs, of few warps as well.
  static constexpr ReduceBlockConfig default_config(const ReduceRequest& request, int sm) {
    constexpr int kFew = 4;
    ReduceBlockConfig config{.block_threads = kWarpThreads, .unroll = kFew, .pdl = default_pdl(request, sm)};
    const auto holds_all = [&] {
      const u64 units = static_cast<u64>(tile_units(config)) * static_cast<u64>(config.cluster_blocks);
      return units * static_cast<u64>(unit_items(request)) >= request.n;
    };
    if (!holds_all()) config.unroll = 2 * kFew;
    // The shuffles that hand on a place cost more than a cluster gains; warps look for their places at the same time.
    if (request.has_position()) {
      config.unroll = 2;
      while (config.block_threads < 256 && !holds_all()) config.block_threads *= 2;
    }
    if (holds_all()) return config;
    config.block_threads = kWarpThreads;
    config.unroll = kFew;
    if (limits_of(sm).cluster_blocks >= kMaxPortableClusterBlocks) config.cluster_blocks = kMaxPortableClusterBlocks;
    while (config.block_threads < 256 && !holds_all()) config.block_threads *= 2;
    if (!holds_all()) config.unroll = 8;
    if (!holds_all()) config.block_threads = 512;
    return config;
  }

  static constexpr const char* invalid_reason(const ReduceBlockConfig& config, const ReduceRequest& request, int sm) {
    if (const char* reason = invalid_share_reason(config, 1, request, sm)) return reason;
    const int blocks = config.cluster_blocks;
    if (blocks < 1 || blocks > 16 || (blocks & (blocks - 1)) != 0) return "cluster_blocks must be 1, 2, 4, 8 or 16";
    if (blocks > limits_of(sm).cluster_blocks) return "a cluster of cluster_blocks CTAs needs a newer architecture";
    return nullptr;
  }

  static constexpr int tile_items(const ReduceBlockConfig& config, const ReduceRequest& request) {
    return tile_items_of(config, request);
  }

  static constexpr WorkspaceNeed workspace(const ReduceBlockConfig&, const ReduceRequest&) { return {}; }

  static constexpr LaunchList launches(const ReduceBlockConfig& config, const ReduceRequest& request, Variant) {
    LaunchList list;
    list.add({.kernel = config.cluster_blocks > 1 ? kByCluster : kByBlock,
              .grid_blocks = static_cast<u32>(config.cluster_blocks),
              .block_threads = config.block_threads,
              .shared_bytes = shared_bytes(config, request),
              .n = request.n,
              .pdl = config.pdl != 0,
              .cluster_blocks = config.cluster_blocks});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ReduceBlockConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ReduceBlockConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(ReduceBlockConfig, unroll, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(ReduceBlockConfig, cluster_blocks, primary, 1, 2, 4, 8, 16),
      SCANTUNE_PARAMETER(ReduceBlockConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ReduceBlockConfig, pdl, secondary, 0, 1, 2),
  };
#endif
};

}  // namespace scantune
