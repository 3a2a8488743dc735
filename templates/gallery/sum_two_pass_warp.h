// sum_two_pass_warp: as sum_two_pass, with the last five steps of the tree by shuffles. Within a warp no barrier is
// needed.
#pragma once

#include "gallery/summed.h"

namespace scantune {

struct SumTwoPassWarpConfig {
  static constexpr int items_per_thread = 1;

  int block_threads = 256;  // threads per CTA

  constexpr bool operator==(const SumTwoPassWarpConfig&) const = default;
};

template <>
struct Family<SumTwoPassWarpConfig> : SummedFamily<SumTwoPassWarpConfig, Finish::second_launch> {
  static constexpr const char* kName = "sum_two_pass_warp";
  static constexpr const char* kConfigName = "SumTwoPassWarpConfig";
  static constexpr const char* kHeader = "gallery/sum_two_pass_warp.h";
  static constexpr const char* const kKernels[] = {"leave_sum", "add_sums"};

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SumTwoPassWarpConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SumTwoPassWarpConfig, block_threads, primary, 64, 128, 256, 512, 1024),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

// Phase 1: the sum of each tile.
template <class Problem, SumTwoPassWarpConfig kConfig>
SCANTUNE_DEVICE void leave_sum(const KernelArguments& arguments) {
  scantune::leave_sum<Problem, kConfig, Tree::warp>(arguments);
}
// Phase 2: the sum of the sums.
template <class Problem, SumTwoPassWarpConfig kConfig>
SCANTUNE_DEVICE void add_sums(const KernelArguments& arguments) {
  scantune::add_sums<Problem, kConfig, Tree::warp>(arguments);
}

}  // namespace scantune

#endif
