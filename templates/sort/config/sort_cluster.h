// sort_cluster: keys that fit the shared memory of one cluster, of at most 8 CTAs, are sorted in one launch. In each
// pass each CTA ranks the digits of its keys; CTAs tell each other how many they have of each digit, and send every key
// into the shared memory of the CTA where it goes. Keys are ordered by digit before they are sent, so neighbours go to
// neighbours.
//
// A pass waits twice: for the counts of all CTAs, and for as many keys as the CTA has places. No CTA is more than a
// pass ahead, so counts of two passes are kept apart and keys need one buffer. After the last digit keys go to the
// output and nothing is sent, so a CTA that has all counts of that pass may exit.
#pragma once

#include "core/contract/family.h"
#include "sort/config/digits.h"

namespace scantune {

struct SortClusterConfig {
  int block_threads = 512;    // threads of a CTA
  int items_per_thread = 16;  // keys of each thread (batchSize)
  int cluster_blocks = 8;     // CTAs that sort together
  int digit_bits = 8;         // bits of a key that are looked at in a pass
  Matching matching = Matching::votes;
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains

  constexpr int digits() const { return 1 << digit_bits; }
  constexpr u64 tile_items() const { return static_cast<u64>(block_threads) * static_cast<u64>(items_per_thread); }

  constexpr bool operator==(const SortClusterConfig&) const = default;
};

// Keys and their payload, in order of the CTA's own digits before they are sent, and where they arrive.
constexpr u64 sort_tile_bytes(const SortClusterConfig& config, const SortRequest& request) {
  const u64 key = request.input_bytes() == 8 ? 8 : 4, payload = request.has_payload() ? sizeof(u32) : 0;
  return round_up(config.tile_items() * (key + payload), kVectorAlignmentBytes);
}

// Then counts of digits: by warps, by the CTAs of the cluster in this pass and the one before, and the places of
// digits; totals of warps; and three barriers.
constexpr int shared_bytes(const SortClusterConfig& config, const SortRequest& request) {
  const u64 digits = static_cast<u64>(config.digits());
  const u64 counts = (2 * static_cast<u64>(config.cluster_blocks) + 1) * digits * sizeof(u32);
  return static_cast<int>(2 * sort_tile_bytes(config, request) + rank_bytes(config.block_threads, config.digit_bits) +
                          counts + kWarpThreads * sizeof(u32) + round_up(3 * sizeof(u64), kVectorAlignmentBytes));
}

template <>
struct Family<SortClusterConfig> {
  static constexpr const char* kName = "sort_cluster";
  static constexpr const char* kConfigName = "SortClusterConfig";
  static constexpr const char* kHeader = "sort/kernels/sort_cluster.h";
  static constexpr const char* const kKernels[] = {"sort_cluster"};
  static constexpr int kMostItems = 32;

  static constexpr const char* unsupported_reason(const SortRequest& request, int sm) {
    if (limits_of(sm).cluster_blocks < kMaxPortableClusterBlocks) return "there are no clusters on this architecture";
    if (const char* reason = unsupported_rows_reason(request)) return reason;
    if (filled_rows(request) > kMaxGridBlocks / kMaxPortableClusterBlocks) return "more rows than a grid has clusters";
    if (row_items(request) > most_row_items(request, sm)) return "more keys than one cluster holds";
    return nullptr;
  }

  // Where one CTA does not hold a row, or would be slow.
  static constexpr int preference(const SortRequest& request, int) {
    return row_items(request) <= kMostForOneCluster && request.compares_keys() ? 2 : 0;
  }

  static constexpr SortClusterConfig default_config(const SortRequest& request, int sm) {
    SortClusterConfig config;
    config.block_threads = 256;
    config.items_per_thread = 1;
    while (row_items(request) > config.tile_items() * static_cast<u64>(config.cluster_blocks)) {
      const bool widen = config.block_threads < kMaxBlockThreads && config.items_per_thread >= 16;
      int& grown = widen ? config.block_threads : config.items_per_thread;
      grown *= 2;
    }
    while (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block && config.digit_bits > kLeastDigitBits)
      --config.digit_bits;
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const SortClusterConfig& config, const SortRequest& request, int sm) {
    const int threads = config.block_threads, ctas = config.cluster_blocks;
    if (const char* reason = invalid_threads_reason(threads)) return reason;
    if (const char* reason = invalid_digits_reason(threads, config.digit_bits)) return reason;
    if (config.digits() > threads) return "block_threads must be no fewer than digits: each thread adds up one";
    if (config.items_per_thread < 1 || config.items_per_thread > kMostItems)
      return "items_per_thread must be between 1 and 32";
    if (ctas < 2 || ctas > kMaxPortableClusterBlocks || (ctas & (ctas - 1)) != 0)
      return "cluster_blocks must be 2, 4 or 8";
    if (config.tile_items() * static_cast<u64>(ctas) < row_items(request))
      return "the CTAs of a cluster hold fewer keys than there are";
    if (const char* reason = invalid_pdl_reason(config.pdl, 1, sm)) return reason;
    if (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block)
      return "a CTA's keys do not fit in its shared memory";
    return nullptr;
  }

  static constexpr int tile_items(const SortClusterConfig& config, const SortRequest&) {
    return static_cast<int>(config.tile_items());
  }

  static constexpr WorkspaceNeed workspace(const SortClusterConfig&, const SortRequest&) { return {}; }

  static constexpr LaunchList launches(const SortClusterConfig& config, const SortRequest& request, Variant) {
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(filled_rows(request) * static_cast<u64>(config.cluster_blocks)),
              .block_threads = config.block_threads,
              .shared_bytes = shared_bytes(config, request),
              .n = request.n,
              .extents = {row_items(request), packed_bits(request)},
              .pdl = config.pdl != 0,
              .cluster_blocks = config.cluster_blocks});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SortClusterConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SortClusterConfig, block_threads, primary, 256, 512, 1024),
      SCANTUNE_PARAMETER(SortClusterConfig, items_per_thread, primary, 1, 2, 4, 6, 8, 12, 16, 24, 32),
      SCANTUNE_PARAMETER(SortClusterConfig, cluster_blocks, primary, 2, 4, 8),
      SCANTUNE_PARAMETER(SortClusterConfig, digit_bits, primary, 5, 6, 7, 8),
      SCANTUNE_PARAMETER(SortClusterConfig, matching, primary, Matching::votes, Matching::instruction),
      SCANTUNE_PARAMETER(SortClusterConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(SortClusterConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(SortClusterConfig, pdl, secondary, 0, 1),
  };
#endif

 private:
  static constexpr u64 kMostForOneCluster = u64{1} << 15;

  // What fits the shared memory of a cluster's CTAs, beside the counts of narrow digits.
  static constexpr u64 most_row_items(const SortRequest& request, int sm) {
    SortClusterConfig most;
    most.block_threads = kMaxBlockThreads;
    most.digit_bits = kLeastDigitBits;
    most.items_per_thread = kMostItems;
    while (shared_bytes(most, request) > limits_of(sm).shared_bytes_per_block) most.items_per_thread /= 2;
    return most.tile_items() * static_cast<u64>(most.cluster_blocks);
  }
};

}  // namespace scantune
