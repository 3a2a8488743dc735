// sort_block: keys, or rows of keys, that fit the registers of one CTA, or of a part of it, are sorted in one launch,
// digit after digit through shared memory, the lowest digit first. Rows are sorted side by side; threads of one warp
// that sort a row need no barrier.
//
// Places without a key count as the last digit, so they stay after all keys. A key's payload takes 32 bits: a value
// that fits, or the key's place, by which a wider value is fetched at the end.
#pragma once

#include "core/contract/family.h"
#include "sort/config/digits.h"

namespace scantune {

struct SortBlockConfig {
  int block_threads = 256;    // threads of a CTA
  int rows_per_block = 1;     // rows that a CTA sorts side by side, each by as many of its threads
  int items_per_thread = 16;  // keys of each thread (batchSize)
  int digit_bits = 8;         // bits of a key that are looked at in a pass
  Matching matching = Matching::votes;
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int min_ctas_per_sm = 1;  // register budget: this many CTAs must fit one SM
  int pdl = 1;              // programmatic dependent launch: starts while the kernel before it drains

  constexpr int row_threads() const { return block_threads / rows_per_block; }
  constexpr u64 row_tile() const { return static_cast<u64>(row_threads()) * static_cast<u64>(items_per_thread); }

  constexpr bool operator==(const SortBlockConfig&) const = default;
};

constexpr SortShape shape_of(const SortBlockConfig& config) {
  return {.threads = config.row_threads(),
          .items_per_thread = config.items_per_thread,
          .digit_bits = config.digit_bits,
          .matching = config.matching,
          .load_hint = config.load_hint,
          .store_hint = config.store_hint};
}

constexpr int shared_bytes(const SortBlockConfig& config, const SortRequest& request) {
  return config.rows_per_block * static_cast<int>(sorted_tile_bytes(shape_of(config), request));
}

template <>
struct Family<SortBlockConfig> {
  static constexpr const char* kName = "sort_block";
  static constexpr const char* kConfigName = "SortBlockConfig";
  static constexpr const char* kHeader = "sort/kernels/sort_block.h";
  static constexpr const char* const kKernels[] = {"sort_block"};
  static constexpr int kMostItems = 32;
  static constexpr u64 kMostRowItems = static_cast<u64>(kMaxBlockThreads) * kMostItems;

  static constexpr const char* unsupported_reason(const SortRequest& request, int sm) {
    if (const char* reason = unsupported_rows_reason(request)) return reason;
    if (filled_rows(request) > kMaxGridBlocks) return "more rows than a grid has CTAs";
    if (row_items(request) > most_row_items(request, sm)) return "more keys than one CTA holds";
    return nullptr;
  }

  // It is fastest as long as one CTA keeps up, or where many CTAs have a row each. Where no bits are compared,
  // sort_onesweep copies.
  static constexpr int preference(const SortRequest& request, int) {
    const bool are_few = row_items(request) <= kFewItems && request.compares_keys();
    return are_few || filled_rows(request) >= kManyRows ? 3 : 0;
  }

  static constexpr SortBlockConfig default_config(const SortRequest& request, int sm) {
    SortBlockConfig config;
    const u64 items = row_items(request);
    // Few keys go to many threads, whose latencies overlap. Few threads have few digits to add up.
    config.block_threads = kWarpThreads;
    config.items_per_thread = 1;
    while (config.row_tile() < items) {
      const bool widen = config.block_threads < kMaxBlockThreads && config.items_per_thread >= 4;
      int& grown = widen ? config.block_threads : config.items_per_thread;
      grown *= 2;
    }
    config.digit_bits = config.block_threads <= 64 ? 5 : config.block_threads <= 128 ? 6 : 8;
    if (request.segments == Segments::rows)
      for (; config.block_threads < 128; config.block_threads *= 2) config.rows_per_block *= 2;
    while (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block && config.digit_bits > kLeastDigitBits)
      --config.digit_bits;
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const SortBlockConfig& config, const SortRequest& request, int sm) {
    const int threads = config.block_threads;
    if (const char* reason = invalid_threads_reason(threads)) return reason;
    if (config.rows_per_block < 1 || config.rows_per_block > threads / kWarpThreads ||
        threads % (config.rows_per_block * kWarpThreads) != 0)
      return "rows_per_block must be so few that each row has whole warps of the CTA";
    if (const char* reason = invalid_digits_reason(config.row_threads(), config.digit_bits)) return reason;
    if (config.items_per_thread < 1 || config.items_per_thread > kMostItems)
      return "items_per_thread must be between 1 and 32";
    if (config.row_tile() < row_items(request)) return "the threads of a row hold fewer keys than there are";
    if (const char* reason = invalid_budget_reason(config.min_ctas_per_sm, threads, sm)) return reason;
    if (const char* reason = invalid_pdl_reason(config.pdl, 1, sm)) return reason;
    if (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block)
      return "the keys do not fit in shared memory";
    return nullptr;
  }

  static constexpr int tile_items(const SortBlockConfig& config, const SortRequest&) {
    return static_cast<int>(config.row_tile());
  }

  static constexpr WorkspaceNeed workspace(const SortBlockConfig&, const SortRequest&) { return {}; }

  static constexpr LaunchList launches(const SortBlockConfig& config, const SortRequest& request, Variant) {
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(ceil_div(filled_rows(request), static_cast<u64>(config.rows_per_block))),
              .block_threads = config.block_threads,
              .shared_bytes = shared_bytes(config, request),
              .n = request.n,
              .extents = {row_items(request), packed_bits(request)},
              .pdl = config.pdl != 0});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SortBlockConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SortBlockConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(SortBlockConfig, rows_per_block, secondary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(SortBlockConfig, items_per_thread, primary, 1, 2, 4, 6, 8, 12, 16, 24, 32),
      SCANTUNE_PARAMETER(SortBlockConfig, digit_bits, primary, 4, 5, 6, 7, 8),
      SCANTUNE_PARAMETER(SortBlockConfig, matching, secondary, Matching::votes, Matching::instruction),
      SCANTUNE_PARAMETER(SortBlockConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(SortBlockConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(SortBlockConfig, min_ctas_per_sm, secondary, 1, 2, 3, 4, 6, 8),
      SCANTUNE_PARAMETER(SortBlockConfig, pdl, secondary, 0, 1),
  };
#endif

 private:
  static constexpr u64 kFewItems = u64{1} << 10;
  static constexpr u64 kManyRows = 64;

  // What fits the shared memory of one CTA, beside the counts of narrow digits.
  static constexpr u64 most_row_items(const SortRequest& request, int sm) {
    SortBlockConfig most;
    most.block_threads = kMaxBlockThreads;
    most.digit_bits = kLeastDigitBits;
    most.items_per_thread = kMostItems;
    while (shared_bytes(most, request) > limits_of(sm).shared_bytes_per_block) most.items_per_thread /= 2;
    return most.row_tile();
  }
};

}  // namespace scantune
