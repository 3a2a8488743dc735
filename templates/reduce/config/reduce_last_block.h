// reduce_last_block: one pass. Each CTA leaves the partial result of its share in the workspace, and the last one to
// arrive folds all of them, in the order of the shares.
#pragma once

#include "core/contract/pdl.h"
#include "reduce/config/share.h"

namespace scantune {

using ReduceLastBlockConfig = ShareConfig<class ReduceLastBlock>;

template <>
struct Family<ReduceLastBlockConfig> : ShareFamily<ReduceLastBlockConfig> {
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

  static constexpr WorkspaceNeed workspace(const ReduceLastBlockConfig& config, const ReduceRequest& request) {
    return {
        WorkspaceKind::counted, 0,
        sizeof(WorkspaceHeader) + ctas_of(config, request, kMostPartials) * static_cast<u64>(request.partial_bytes())};
  }
};

}  // namespace scantune
