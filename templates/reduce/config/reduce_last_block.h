// reduce_last_block: one pass. Each CTA leaves the partial result of its share in the workspace, and the last one to
// arrive folds them all, in the order of the shares whoever comes last.
#pragma once

#include "core/contract/pdl.h"
#include "reduce/config/share.h"

namespace scantune {

struct ReduceLastBlockConfig {
  int block_threads = 256;  // threads per CTA
  int unroll = 4;           // vectors that a thread loads before it combines any
  int ctas_per_sm = 4;      // at most, of a grid that fits the device at once
  Deal deal = Deal::shares;
  CacheHint load_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains; 2: lets the next kernel
                // start before that one has ended

  constexpr bool operator==(const ReduceLastBlockConfig&) const = default;
};

template <>
struct Family<ReduceLastBlockConfig> {
  static constexpr const char* kName = "reduce_last_block";
  static constexpr const char* kConfigName = "ReduceLastBlockConfig";
  static constexpr const char* kHeader = "reduce/kernels/reduce_last_block.h";
  static constexpr const char* const kKernels[] = {"reduce_and_fold"};

  static constexpr const char* unsupported_reason(const ReduceRequest& request, int) {
    if (const char* reason = segmented_reason(request)) return reason;
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ReduceRequest&, int) { return 0; }

  static constexpr ReduceLastBlockConfig default_config(const ReduceRequest& request, int sm) {
    return with_enough_tiles(ReduceLastBlockConfig{.pdl = default_pdl(request, sm)}, request);
  }

  static constexpr const char* invalid_reason(const ReduceLastBlockConfig& config, const ReduceRequest& request,
                                              int sm) {
    if (const char* reason = invalid_share_reason(config, config.ctas_per_sm, request, sm)) return reason;
    return invalid_partials_reason(config, request, static_cast<u64>(request.partial_bytes()));
  }

  static constexpr int tile_items(const ReduceLastBlockConfig& config, const ReduceRequest& request) {
    return tile_items_of(config, request);
  }

  static constexpr WorkspaceNeed workspace(const ReduceLastBlockConfig& config, const ReduceRequest& request) {
    return {
        WorkspaceKind::counted, 0,
        sizeof(WorkspaceHeader) + ctas_of(config, request, kMostPartials) * static_cast<u64>(request.partial_bytes())};
  }

  static constexpr LaunchList launches(const ReduceLastBlockConfig& config, const ReduceRequest& request, Variant) {
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(ctas_of(config, request, kMostPartials)),
              .block_threads = config.block_threads,
              .shared_bytes = share_shared_bytes(request),
              .n = request.n,
              .pdl = config.pdl != 0,
              .persistent_ctas_per_sm = config.ctas_per_sm});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ReduceLastBlockConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ReduceLastBlockConfig, block_threads, primary, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(ReduceLastBlockConfig, unroll, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(ReduceLastBlockConfig, ctas_per_sm, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(ReduceLastBlockConfig, deal, secondary, Deal::shares, Deal::tiles),
      SCANTUNE_PARAMETER(ReduceLastBlockConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ReduceLastBlockConfig, pdl, secondary, 0, 1, 2),
  };
#endif
};

}  // namespace scantune
