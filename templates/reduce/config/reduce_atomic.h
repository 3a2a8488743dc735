// reduce_atomic: one pass of sums of integers. Each CTA adds its partial result to one word in the workspace, which
// also counts them: whoever counts the last one has the result at once, and leaves the word as the next launch must
// find it.
#pragma once

#include "core/contract/pdl.h"
#include "reduce/config/share.h"

namespace scantune {

struct ReduceAtomicConfig {
  int block_threads = 256;  // threads per CTA
  int unroll = 4;           // vectors that a thread loads before it combines any
  int ctas_per_sm = 4;      // at most, of a grid that fits the device at once
  Deal deal = Deal::shares;
  CacheHint load_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains; 2: lets the next kernel
                // start before that one has ended

  constexpr bool operator==(const ReduceAtomicConfig&) const = default;
};

template <>
struct Family<ReduceAtomicConfig> {
  static constexpr const char* kName = "reduce_atomic";
  static constexpr const char* kConfigName = "ReduceAtomicConfig";
  static constexpr const char* kHeader = "reduce/kernels/reduce_atomic.h";
  static constexpr const char* const kKernels[] = {"reduce_into_word"};

  static constexpr const char* unsupported_reason(const ReduceRequest& request, int) {
    if (const char* reason = segmented_reason(request)) return reason;
    if (!adds_in_one_word(request)) return "reduce_atomic adds up integers of at most 4 bytes";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ReduceRequest&, int) { return 2; }

  static constexpr ReduceAtomicConfig default_config(const ReduceRequest& request, int sm) {
    const ReduceAtomicConfig config{.pdl = default_pdl(request, sm)};
    if (input_bytes_of(request) > kBytesOfSmallCtas) return dealt_in_tiles(config, {1024, 4, 1}, request);
    return with_enough_tiles(dealt_in_tiles(config, {128, 4, 8}, request), request);
  }

  static constexpr const char* invalid_reason(const ReduceAtomicConfig& config, const ReduceRequest& request, int sm) {
    return invalid_share_reason(config, config.ctas_per_sm, request, sm);
  }

  static constexpr int tile_items(const ReduceAtomicConfig& config, const ReduceRequest& request) {
    return tile_items_of(config, request);
  }

  static constexpr WorkspaceNeed workspace(const ReduceAtomicConfig&, const ReduceRequest&) {
    return {WorkspaceKind::counted, 0, sizeof(WorkspaceHeader)};
  }

  static constexpr LaunchList launches(const ReduceAtomicConfig& config, const ReduceRequest& request, Variant) {
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
  static constexpr Parameter<ReduceAtomicConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ReduceAtomicConfig, block_threads, primary, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(ReduceAtomicConfig, unroll, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(ReduceAtomicConfig, ctas_per_sm, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(ReduceAtomicConfig, deal, secondary, Deal::shares, Deal::tiles),
      SCANTUNE_PARAMETER(ReduceAtomicConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ReduceAtomicConfig, pdl, secondary, 0, 1, 2),
  };
#endif
};

}  // namespace scantune
