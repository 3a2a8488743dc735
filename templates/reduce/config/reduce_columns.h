// reduce_columns: each CTA reduces a band of lines of some columns. Its threads cover neighbouring columns, and each
// takes consecutive lines, so the order is always that of the items. With several bands, a second launch reduces their
// partial results in the same way.
#pragma once

#include "core/contract/arch.h"
#include "core/contract/cta.h"
#include "core/contract/family.h"
#include "reduce/config/reduce.h"

namespace scantune {

struct ReduceColumnsConfig {
  int block_threads = 256;     // threads per CTA
  int columns_per_block = 32;  // threads side by side
  int unroll = 8;              // items of its column that a thread loads before it combines any
  int band_lines = 1 << 14;    // lines that a CTA reduces
  CacheHint load_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains

  constexpr bool operator==(const ReduceColumnsConfig&) const = default;
};

// A total for each thread.
constexpr int shared_bytes(const ReduceColumnsConfig& config, const ReduceRequest& request) {
  return static_cast<int>(
      round_up(static_cast<u64>(config.block_threads) * static_cast<u64>(request.partial_bytes()), 16));
}

template <>
struct Family<ReduceColumnsConfig> {
  static constexpr const char* kName = "reduce_columns";
  static constexpr const char* kConfigName = "ReduceColumnsConfig";
  static constexpr const char* kHeader = "reduce/kernels/reduce_columns.h";
  enum KernelIndex { kReduceBands, kFoldBands };
  static constexpr const char* const kKernels[] = {"reduce_bands", "fold_bands"};
  static constexpr u64 kEnoughCtas = 1024;  // for every SM to have some, and none to wait long for the last

  static constexpr const char* unsupported_reason(const ReduceRequest& request, int) {
    if (request.segments != Segments::columns)
      return "reduce_columns has a result for every column, and the request has no columns";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ReduceRequest&, int) { return 1; }

  static constexpr ReduceColumnsConfig default_config(const ReduceRequest& request, int sm) {
    ReduceColumnsConfig config{.pdl = limits_of(sm).has_pdl};
    while (config.columns_per_block > 1 && static_cast<u64>(config.columns_per_block) / 2 >= request.columns)
      config.columns_per_block /= 2;
    while (config.unroll * request.input_bytes() > kMostLoadedBytes) config.unroll /= 2;
    // Bands are as high as leave enough of them.
    const u64 lines = column_items(request);
    const auto is_too_low = [&] { return least_band_lines(request) > static_cast<u64>(config.band_lines); };
    const auto are_too_few = [&] { return blocks(config, request) < kEnoughCtas && bands(config, request) < lines; };
    config.band_lines = 1 << 20;
    while (config.band_lines > 64 && are_too_few()) config.band_lines /= 4;
    while (is_too_low() && bands(config, request) > 1) config.band_lines *= 4;
    return config;
  }

  static constexpr const char* invalid_reason(const ReduceColumnsConfig& config, const ReduceRequest& request, int sm) {
    const int threads = config.block_threads, beside = config.columns_per_block;
    if (const char* reason = invalid_threads_reason(threads)) return reason;
    if (beside < 1 || (beside & (beside - 1)) != 0 || threads % beside != 0)
      return "columns_per_block must be a power of two that divides block_threads";
    if (config.unroll < 1 || config.unroll > kMostLoadedBytes / request.input_bytes())
      return "unroll must be at least 1, and would not fit the registers of a thread (at most 128 bytes of items)";
    if (config.band_lines < 1 || config.band_lines > 1 << 20) return "band_lines must be between 1 and 2^20";
    if (blocks(config, request) > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    if (bands(config, request) > 1 && static_cast<u64>(config.band_lines) < least_band_lines(request))
      return "a band must hold 100 times the bytes of its partial results";
    if (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block)
      return "the totals of the threads do not fit in shared memory";
    return invalid_pdl_reason(config.pdl, 1, sm);
  }

  static constexpr int tile_items(const ReduceColumnsConfig& config, const ReduceRequest&) {
    return config.block_threads * config.unroll;
  }

  static constexpr u64 bands(const ReduceColumnsConfig& config, const ReduceRequest& request) {
    const u64 bands = ceil_div(column_items(request), static_cast<u64>(config.band_lines));
    return bands > 0 ? bands : 1;
  }

  static constexpr u64 groups(const ReduceColumnsConfig& config, const ReduceRequest& request) {
    return ceil_div(request.columns, static_cast<u64>(config.columns_per_block));
  }

  // CTAs of the grid.
  static constexpr u64 blocks(const ReduceColumnsConfig& config, const ReduceRequest& request) {
    return bands(config, request) * groups(config, request);
  }

  static constexpr WorkspaceNeed workspace(const ReduceColumnsConfig& config, const ReduceRequest& request) {
    const u64 many = bands(config, request);
    if (many == 1) return {};
    return {WorkspaceKind::scratch, 0, many * request.columns * static_cast<u64>(request.partial_bytes())};
  }

  // The extents are the columns, and the lines of a band.
  static constexpr LaunchList launches(const ReduceColumnsConfig& config, const ReduceRequest& request, Variant) {
    LaunchList list;
    Launch launch{.kernel = kReduceBands,
                  .grid_blocks = static_cast<u32>(blocks(config, request)),
                  .block_threads = config.block_threads,
                  .shared_bytes = shared_bytes(config, request),
                  .n = request.n,
                  .extents = {request.columns, static_cast<u64>(config.band_lines)},
                  .pdl = config.pdl != 0};
    list.add(launch);
    if (bands(config, request) == 1) return list;
    launch.kernel = kFoldBands;
    launch.grid_blocks = static_cast<u32>(groups(config, request));
    list.add(launch);
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ReduceColumnsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ReduceColumnsConfig, block_threads, primary, 64, 128, 256, 512, 1024)
          .from_default_only(64, 1024),
      SCANTUNE_PARAMETER(ReduceColumnsConfig, columns_per_block, primary, 1, 2, 4, 8, 16, 32, 64)
          .from_default_only(1, 2, 4, 64),
      SCANTUNE_PARAMETER(ReduceColumnsConfig, unroll, primary, 1, 2, 4, 8, 16).from_default_only(1),
      SCANTUNE_PARAMETER(ReduceColumnsConfig, band_lines, primary, 1 << 6, 1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16,
                         1 << 18, 1 << 20)
          .from_default_only(1 << 6, 1 << 18, 1 << 20),
      SCANTUNE_PARAMETER(ReduceColumnsConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ReduceColumnsConfig, pdl, secondary, 0, 1),
  };
#endif

 private:
  static constexpr int kMostLoadedBytes = 128;  // of registers for the items that a thread loads at once

  // The workspace stays below 1 % of the input.
  static constexpr u64 least_band_lines(const ReduceRequest& request) {
    return ceil_div(100 * static_cast<u64>(request.partial_bytes()), static_cast<u64>(request.input_bytes()));
  }
};

}  // namespace scantune
