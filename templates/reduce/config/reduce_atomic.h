// reduce_atomic: one pass, for sums of integers of at most 4 bytes. Each CTA adds its partial result to one word in the
// workspace, which also counts them: whoever counts the last one has the result at once, and leaves the word as the
// next launch must find it.
#pragma once

#include "core/contract/pdl.h"
#include "reduce/config/share.h"

namespace scantune {

using ReduceAtomicConfig = ShareConfig<class ReduceAtomic>;

template <>
struct Family<ReduceAtomicConfig> : ShareFamily<ReduceAtomicConfig> {
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
    if (!takes_small_ctas(request)) return dealt_in_tiles(config, {1024, 4, 1}, request);
    return with_enough_tiles(dealt_in_tiles(config, {128, 4, 8}, request), request);
  }

  static constexpr const char* invalid_reason(const ReduceAtomicConfig& config, const ReduceRequest& request, int sm) {
    return invalid_share_reason(config, config.ctas_per_sm, request, sm);
  }

  static constexpr WorkspaceNeed workspace(const ReduceAtomicConfig&, const ReduceRequest&) {
    return {WorkspaceKind::counted, 0, sizeof(WorkspaceHeader)};
  }
};

}  // namespace scantune
