// sort_fill: keys of one byte without payload are counted, as sort_onesweep counts digits, and the output is filled
// with as many of each key as there are, in vectors. No key is moved.
#pragma once

#include "core/contract/family.h"
#include "sort/config/digit_counts.h"

namespace scantune {

struct SortFillConfig {
  static constexpr int digit_bits = 8;

  int block_threads = 256;     // threads of a CTA that fills
  int vectors_per_thread = 4;  // vectors of 16 keys that each of them stores
  int count_items = 8192;      // keys that a CTA counts, or more where there are many
  int count_columns = 32;      // counters of a digit in a CTA that counts, dealt to the lanes of a warp
  CacheHint count_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains

  constexpr u64 tile_items() const {
    return static_cast<u64>(block_threads) * static_cast<u64>(vectors_per_thread) * kVectorAlignmentBytes;
  }

  constexpr bool operator==(const SortFillConfig&) const = default;
};

inline constexpr u64 kByteDigits = 256;

template <>
struct Family<SortFillConfig> {
  static constexpr const char* kName = "sort_fill";
  static constexpr const char* kConfigName = "SortFillConfig";
  static constexpr const char* kHeader = "sort/kernels/sort_fill.h";
  enum KernelIndex { kCountKeys, kAddKeyCounts, kFill };
  static constexpr const char* const kKernels[] = {"count_keys", "add_key_counts", "fill"};
  static constexpr u64 kLeastTileItems = 512;
  static constexpr int kSharedBytes = static_cast<int>((kByteDigits + kWarpThreads) * sizeof(u64));

  static constexpr const char* unsupported_reason(const SortRequest& request, int) {
    if (const char* reason = unsupported_rows_reason(request)) return reason;
    if (request.input_bytes() != 1) return "keys of more than a byte have too many values to count";
    if (request.has_payload()) return "what goes with a key has to be moved";
    if (request.key_bits != KeyBits::all) return "keys that are equal in some of their bits have to be moved";
    if (filled_rows(request) > kMostCountedRows) return "more rows than a grid has CTAs that count them";
    if (request.n / kLeastTileItems + filled_rows(request) > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    return nullptr;
  }

  // From some keys on; below, one launch is faster.
  static constexpr int preference(const SortRequest& request, int) { return row_items(request) > u64{1} << 15 ? 4 : 1; }

  static constexpr SortFillConfig default_config(const SortRequest& request, int sm) {
    SortFillConfig config;
    const u64 items = row_items(request);
    // Few keys go to many CTAs. To clear and to add up many columns takes many keys.
    if (items <= u64{1} << 22) {
      config.vectors_per_thread = 1;
      config.count_items = 16384;
      config.count_columns = 1;
    } else {
      config.count_items = 131072;
      if (items > u64{1} << 25) config.vectors_per_thread = 16;
    }
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const SortFillConfig& config, const SortRequest&, int sm) {
    const int threads = config.block_threads;
    if (const char* reason = invalid_threads_reason(threads)) return reason;
    if (config.vectors_per_thread < 1 || config.vectors_per_thread > 64)
      return "vectors_per_thread must be between 1 and 64";
    if (config.tile_items() < kLeastTileItems) return "a tile must hold at least 512 keys";
    if (const char* reason = invalid_count_reason(config.count_items)) return reason;
    if (const char* reason = invalid_columns_reason(config.count_columns)) return reason;
    return invalid_pdl_reason(config.pdl, 1, sm);
  }

  static constexpr int tile_items(const SortFillConfig& config, const SortRequest&) {
    return static_cast<int>(config.tile_items());
  }

  static constexpr WorkspaceNeed workspace(const SortFillConfig& config, const SortRequest& request) {
    const u64 rows = filled_rows(request);
    return {WorkspaceKind::scratch, 0, digit_counts_layout(0, rows, 1, kByteDigits, ctas(config, request)).end};
  }

  static constexpr LaunchList launches(const SortFillConfig& config, const SortRequest& request, Variant) {
    const u64 rows = filled_rows(request), row = row_items(request);
    const SortLaunch told{
        .first_bit = 0, .last_bit = 8, .pass = 0, .count_ctas = static_cast<u32>(ctas(config, request))};
    Launch launch{.kernel = kCountKeys,
                  .grid_blocks = static_cast<u32>(rows * told.count_ctas),
                  .block_threads = kCountThreads,
                  .shared_bytes = count_shared_bytes(config.digit_bits, config.count_columns, request),
                  .n = request.n,
                  .extents = {row, told.packed()},
                  .pdl = config.pdl != 0};
    LaunchList list;
    list.add(launch);
    launch.kernel = kAddKeyCounts;
    launch.grid_blocks = static_cast<u32>(add_ctas(rows, 1, kByteDigits));
    launch.block_threads = kAddThreads;
    launch.shared_bytes = kAddSharedBytes;
    list.add(launch);
    launch.kernel = kFill;
    launch.grid_blocks = static_cast<u32>(rows * row_tiles(config, row));
    launch.block_threads = config.block_threads;
    launch.shared_bytes = kSharedBytes;
    list.add(launch);
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SortFillConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SortFillConfig, block_threads, primary, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(SortFillConfig, vectors_per_thread, primary, 1, 2, 4, 8, 16),
      SCANTUNE_PARAMETER(SortFillConfig, count_items, secondary, 4096, 16384, 65536, 131072),
      SCANTUNE_PARAMETER(SortFillConfig, count_columns, secondary, 1, 2, 4, 8, 16, 32),
      SCANTUNE_PARAMETER(SortFillConfig, count_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(SortFillConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(SortFillConfig, pdl, secondary, 0, 1),
  };
#endif

  // Tiles of a row begin on vector boundaries, so that a row may reach into one more.
  static constexpr u64 row_tiles(const SortFillConfig& config, u64 row) {
    return ceil_div(row + kVectorAlignmentBytes - 1, config.tile_items());
  }

 private:
  static constexpr u64 ctas(const SortFillConfig& config, const SortRequest& request) {
    return count_ctas(config.count_items, filled_rows(request), row_items(request));
  }
};

}  // namespace scantune
