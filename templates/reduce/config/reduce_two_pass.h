// reduce_two_pass: each CTA leaves the partial result of its share in the workspace, and a second launch of one CTA
// folds them. No CTA counts or waits for another.
#pragma once

#include "reduce/config/share.h"

namespace scantune {

struct ReduceTwoPassConfig {
  int block_threads = 256;  // threads per CTA
  int unroll = 4;           // vectors that a thread loads before it combines any
  int ctas_per_sm = 4;      // at most, of a grid that fits the device at once
  Deal deal = Deal::shares;
  CacheHint load_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains

  constexpr bool operator==(const ReduceTwoPassConfig&) const = default;
};

template <>
struct Family<ReduceTwoPassConfig> {
  static constexpr const char* kName = "reduce_two_pass";
  static constexpr const char* kConfigName = "ReduceTwoPassConfig";
  static constexpr const char* kHeader = "reduce/kernels/reduce_two_pass.h";
  enum KernelIndex { kReduceShares, kFoldPartials };
  static constexpr const char* const kKernels[] = {"reduce_shares", "fold_partials"};

  static constexpr const char* unsupported_reason(const ReduceRequest& request, int) {
    if (const char* reason = segmented_reason(request)) return reason;
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ReduceRequest&, int) { return 0; }

  static constexpr ReduceTwoPassConfig default_config(const ReduceRequest& request, int sm) {
    return with_enough_tiles(ReduceTwoPassConfig{.pdl = limits_of(sm).has_pdl}, request);
  }

  static constexpr const char* invalid_reason(const ReduceTwoPassConfig& config, const ReduceRequest& request, int sm) {
    if (const char* reason = invalid_share_reason(config, config.ctas_per_sm, request, sm)) return reason;
    return invalid_partials_reason(config, request, static_cast<u64>(request.partial_bytes()));
  }

  static constexpr int tile_items(const ReduceTwoPassConfig& config, const ReduceRequest& request) {
    return tile_items_of(config, request);
  }

  static constexpr WorkspaceNeed workspace(const ReduceTwoPassConfig& config, const ReduceRequest& request) {
    // A word that says how many partial results there are comes first.
    return {
        WorkspaceKind::scratch, 0,
        kVectorAlignmentBytes + ctas_of(config, request, kMostPartials) * static_cast<u64>(request.partial_bytes())};
  }

  static constexpr LaunchList launches(const ReduceTwoPassConfig& config, const ReduceRequest& request, Variant) {
    LaunchList list;
    list.add({.kernel = kReduceShares,
              .grid_blocks = static_cast<u32>(ctas_of(config, request, kMostPartials)),
              .block_threads = config.block_threads,
              .shared_bytes = share_shared_bytes(request),
              .n = request.n,
              .pdl = config.pdl != 0,
              .persistent_ctas_per_sm = config.ctas_per_sm});
    list.add({.kernel = kFoldPartials,
              .block_threads = config.block_threads,
              .shared_bytes = share_shared_bytes(request),
              .n = request.n,
              .pdl = config.pdl != 0});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ReduceTwoPassConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ReduceTwoPassConfig, block_threads, primary, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(ReduceTwoPassConfig, unroll, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(ReduceTwoPassConfig, ctas_per_sm, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(ReduceTwoPassConfig, deal, secondary, Deal::shares, Deal::tiles),
      SCANTUNE_PARAMETER(ReduceTwoPassConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ReduceTwoPassConfig, pdl, secondary, 0, 1),
  };
#endif
};

}  // namespace scantune
