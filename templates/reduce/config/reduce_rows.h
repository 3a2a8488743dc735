// reduce_rows: each CTA reduces rows of the input, one after another, each as reduce_block does. No workspace.
#pragma once

#include "reduce/config/share.h"

namespace scantune {

struct ReduceRowsConfig {
  int block_threads = 256;  // threads per CTA
  int unroll = 2;           // vectors that a thread loads before it combines any
  int rows_per_block = 1;   // rows that a CTA reduces, one after another
  CacheHint load_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains; 2: lets the next kernel
                // start before that one has ended
  static constexpr Deal deal = Deal::shares;

  constexpr bool operator==(const ReduceRowsConfig&) const = default;
};

template <>
struct Family<ReduceRowsConfig> {
  static constexpr const char* kName = "reduce_rows";
  static constexpr const char* kConfigName = "ReduceRowsConfig";
  static constexpr const char* kHeader = "reduce/kernels/reduce_rows.h";
  static constexpr const char* const kKernels[] = {"reduce_rows"};
  static constexpr int kMostRowsPerBlock = 1024;

  static constexpr const char* unsupported_reason(const ReduceRequest& request, int) {
    if (request.segments != Segments::rows)
      return "reduce_rows has a result for every row, and the request has no rows";
    if (request.layout.is_strided() && request.layout.input.item != 1)
      return "reduce_rows takes rows whose items lie one behind the other: others are columns";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ReduceRequest&, int) { return 1; }

  // A CTA has as few warps as load a row at once. In longer rows it has fewer than fill an SM, which others share.
  static constexpr ReduceRowsConfig default_config(const ReduceRequest& request, int sm) {
    ReduceRowsConfig config{.block_threads = kWarpThreads, .unroll = 1, .pdl = limits_of(sm).has_pdl ? 1 : 0};
    const u64 items = row_items(request);
    while (config.block_threads < 256 && items > static_cast<u64>(tile_items(config, request)))
      config.block_threads *= 2;
    while (config.unroll < 4 && items > static_cast<u64>(tile_items(config, request))) config.unroll *= 2;
    return config;
  }

  static constexpr const char* invalid_reason(const ReduceRowsConfig& config, const ReduceRequest& request, int sm) {
    if (config.rows_per_block < 1 || config.rows_per_block > kMostRowsPerBlock)
      return "rows_per_block must be between 1 and 1024";
    return invalid_share_reason(config, 1, request, sm);
  }

  static constexpr int tile_items(const ReduceRowsConfig& config, const ReduceRequest& request) {
    return tile_items_of(config, request);
  }

  static constexpr WorkspaceNeed workspace(const ReduceRowsConfig&, const ReduceRequest&) { return {}; }

  // The extents are the items of a row, and the rows.
  static constexpr LaunchList launches(const ReduceRowsConfig& config, const ReduceRequest& request, Variant) {
    LaunchList list;
    const u64 blocks = ceil_div(request.rows, static_cast<u64>(config.rows_per_block));
    list.add({.grid_blocks = static_cast<u32>(blocks < 1                ? 1
                                              : blocks < kMaxGridBlocks ? blocks
                                                                        : kMaxGridBlocks),
              .block_threads = config.block_threads,
              .shared_bytes = share_shared_bytes(request),
              .n = request.n,
              .extents = {row_items(request), request.rows},
              .pdl = config.pdl != 0});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ReduceRowsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ReduceRowsConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(ReduceRowsConfig, unroll, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(ReduceRowsConfig, rows_per_block, secondary, 1, 2, 4, 16),
      SCANTUNE_PARAMETER(ReduceRowsConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ReduceRowsConfig, pdl, secondary, 0, 1, 2),
  };
#endif
};

}  // namespace scantune
