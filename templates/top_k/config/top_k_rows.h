// top_k_rows: a CTA takes a row, a segment, or all items. It cuts them in groups, two for each result, and finds the
// first key of every group. As many groups as there are results have a key up to the bound, which is the last of the
// first so many of these: no result comes after it. Groups whose first key does are not looked at again; of the others,
// the keys up to the bound are put in order, which are few more than the results.
//
// Where many are equal they may be more than there is room for. Then a selection by digits of keys and indices finds
// the last result, in several passes over the row.
#pragma once

#include "core/contract/family.h"
#include "top_k/config/top_k.h"

namespace scantune {

struct TopKRowsConfig {
  int block_threads = 512;  // threads of a CTA
  int vectors_at_once = 4;  // 16-byte loads of a thread that are under way at the same time
  CacheHint load_hint = CacheHint::normal;
  int min_ctas_per_sm = 1;  // register budget: this many CTAs must fit one SM
  int pdl = 1;              // programmatic dependent launch: starts while the kernel before it drains

  constexpr bool operator==(const TopKRowsConfig&) const = default;
};

// Entries that a CTA has room for: of random keys, half as many are up to the bound.
constexpr u64 listed_entries(u64 k) { return 2 * network_entries(k); }
constexpr u64 groups_per_thread(int threads, u64 k) { return ceil_div(2 * k, static_cast<u64>(threads)); }

// Bytes of shared memory: counters, the first key of each group, and keys and indices of the entries.
constexpr u64 shared_bytes(const TopKRowsConfig& config, int compared_bytes, u64 k) {
  const u64 groups = groups_per_thread(config.block_threads, k) * static_cast<u64>(config.block_threads);
  const u64 keys = (groups + listed_entries(k)) * static_cast<u64>(compared_bytes);
  return rank_shared_bytes(config.block_threads) + kVectorAlignmentBytes + keys + listed_entries(k) * sizeof(u32);
}

template <>
struct Family<TopKRowsConfig> {
  static constexpr const char* kName = "top_k_rows";
  static constexpr const char* kConfigName = "TopKRowsConfig";
  static constexpr const char* kHeader = "top_k/kernels/top_k_rows.h";
  static constexpr const char* const kKernels[] = {"top_k_rows"};

  static constexpr const char* unsupported_reason(const TopKRequest& request, int sm) {
    if (const char* reason = scantune::unsupported_reason(request)) return reason;
    if (ctas(request) > kMaxGridBlocks) return "more rows or segments than a grid has CTAs";
    if (row_items(request) > u64{1} << 31) return "a row or segment may have more items than one CTA goes through";
    const TopKRowsConfig least{.block_threads = kWarpThreads};
    if (!fits(least, request, sm)) return kTooManyResults;
    return nullptr;
  }

  static constexpr int preference(const TopKRequest&, int) { return 1; }

  static constexpr TopKRowsConfig default_config(const TopKRequest& request, int sm) {
    // Small CTAs of many rows wait for fewer of their threads. Measured on an H200.
    constexpr u64 kManyRows = 256;
    TopKRowsConfig config;
    const bool are_many = ctas(request) >= kManyRows;
    const bool has_four = sm == 90 && request.input_bytes() == 4 &&  // elsewhere, and of others, registers would spill
                          request.nan_order == NanOrder::total_order;
    const int most_threads = are_many && !has_four ? 256 : ctas(request) > 1 ? 512 : kMaxBlockThreads;
    const u64 items_of_thread = are_many ? 32 : 16;
    config.block_threads = kWarpThreads;
    while (config.block_threads < most_threads &&
           static_cast<u64>(config.block_threads) * items_of_thread < mean_items(request))
      config.block_threads *= 2;
    if (are_many) config.vectors_at_once = 2;
    if (are_many && config.block_threads == most_threads) config.min_ctas_per_sm = 4;
    while (config.block_threads > kWarpThreads && !fits(config, request, sm)) config.block_threads /= 2;
    if (request.input_bytes() == 1) {  // more of its items would not fit the registers
      config.vectors_at_once = 1;
      if (config.min_ctas_per_sm > 3) config.min_ctas_per_sm = 3;
    }
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const TopKRowsConfig& config, const TopKRequest& request, int sm) {
    if (const char* reason = invalid_threads_reason(config.block_threads)) return reason;
    if (config.vectors_at_once < 1 || config.vectors_at_once > 16) return "vectors_at_once must be between 1 and 16";
    if (const char* reason = invalid_budget_reason(config.min_ctas_per_sm, config.block_threads, sm)) return reason;
    if (!fits(config, request, sm)) return "what a CTA puts in order does not fit in shared memory";
    return invalid_pdl_reason(config.pdl, 1, sm);
  }

  // What a CTA reads at once.
  static constexpr int tile_items(const TopKRowsConfig& config, const TopKRequest& request) {
    return config.block_threads * config.vectors_at_once * kVectorAlignmentBytes / request.input_bytes();
  }

  static constexpr WorkspaceNeed workspace(const TopKRowsConfig&, const TopKRequest&) { return {}; }

  // The extents are the items of a row or how many segments there are, and the results.
  static constexpr LaunchList launches(const TopKRowsConfig& config, const TopKRequest& request, Variant) {
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(ctas(request)),
              .block_threads = config.block_threads,
              .shared_bytes = static_cast<int>(shared_bytes(config, request.compared_bytes(), request.k)),
              .n = request.n,
              .extents = {request.has_offsets() ? request.segment_count : row_items(request), request.k},
              .pdl = config.pdl != 0});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<TopKRowsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(TopKRowsConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(TopKRowsConfig, vectors_at_once, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(TopKRowsConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(TopKRowsConfig, min_ctas_per_sm, secondary, 1, 2, 3, 4, 6, 8),
      SCANTUNE_PARAMETER(TopKRowsConfig, pdl, secondary, 0, 1),
  };
#endif

 private:
  // One for each segment, or for each row that has items: the last rows may be empty.
  static constexpr u64 ctas(const TopKRequest& request) {
    if (request.has_offsets()) return request.segment_count;
    const u64 items = row_items(request);
    return items == 0 ? 0 : ceil_div(request.n, items);
  }
  static constexpr u64 mean_items(const TopKRequest& request) {
    if (!request.has_offsets()) return row_items(request);
    return request.segment_count == 0 ? request.n : ceil_div(request.n, request.segment_count);
  }
  static constexpr bool fits(const TopKRowsConfig& config, const TopKRequest& request, int sm) {
    return request.k < u64{1} << 32 && shared_bytes(config, request.compared_bytes(), request.k) <=
                                           static_cast<u64>(limits_of(sm).shared_bytes_per_block);
  }
};

}  // namespace scantune
