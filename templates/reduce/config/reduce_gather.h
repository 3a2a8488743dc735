// reduce_gather: one pass. Each CTA publishes the partial result of its share with the epoch of the launch, and the CTA
// that started last gathers all of them, in the order of the shares. Nobody counts who is done, so only one trip
// through L2 separates the last result from the gathering.
#pragma once

#include "core/contract/pdl.h"
#include "core/contract/status_layout.h"
#include "reduce/config/share.h"

namespace scantune {

using ReduceGatherConfig = ShareConfig<class ReduceGather>;

template <>
struct Family<ReduceGatherConfig> : ShareFamily<ReduceGatherConfig> {
  static constexpr const char* kName = "reduce_gather";
  static constexpr const char* kConfigName = "ReduceGatherConfig";
  static constexpr const char* kHeader = "reduce/kernels/reduce_gather.h";
  static constexpr const char* const kKernels[] = {"reduce_and_gather"};

  static constexpr const char* unsupported_reason(const ReduceRequest& request, int) {
    if (const char* reason = segmented_reason(request)) return reason;
    if (request.partial_bytes() > kMaxValueBytes) return "reduce_gather publishes partial results of up to 32 bytes";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ReduceRequest&, int) { return 1; }

  static constexpr ReduceGatherConfig default_config(const ReduceRequest& request, int sm) {
    const ReduceGatherConfig config{.pdl = default_pdl(request, sm)};
    if (takes_small_ctas(request))
      return dealt_in_tiles(config, request.has_position() ? Dealing{256, 4, 1} : Dealing{256, 8, 1}, request);
    // Places are looked for between loads, and other CTAs load meanwhile. Wide values take so many registers that fewer
    // threads fit.
    if (request.has_position()) return dealt_in_tiles(config, {512, 4, 2}, request);
    if (request.partial_bytes() > 8) return dealt_in_tiles(config, {256, 8, 2}, request);
    const bool is_medium = request.partial_bytes() > 4 || request.n <= kItemsOfMediumCtas;
    return dealt_in_tiles(config, {is_medium ? 512 : 1024, 8, 1}, request);
  }

  static constexpr const char* invalid_reason(const ReduceGatherConfig& config, const ReduceRequest& request, int sm) {
    if (const char* reason = invalid_share_reason(config, config.ctas_per_sm, request, sm)) return reason;
    return invalid_partials_reason(config, request, partial_word_bytes(request));
  }

  static constexpr WorkspaceNeed workspace(const ReduceGatherConfig& config, const ReduceRequest& request) {
    const u64 ctas = ctas_of(config, request, kMostPartials);
    if (ctas == 1) return {};
    return {WorkspaceKind::packed_status, request.partial_bytes(),
            sizeof(WorkspaceHeader) + ctas * partial_word_bytes(request)};
  }

 private:
  static constexpr u64 kItemsOfMediumCtas = u64{3} << 22;  // up to here 512 threads are faster than 1024

  static constexpr u64 partial_word_bytes(const ReduceRequest& request) {
    return descriptor_bytes(StatusLayout::packed, request.partial_bytes());
  }
};

}  // namespace scantune
