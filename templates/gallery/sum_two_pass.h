// sum_two_pass: each CTA adds up a tile by a tree in shared memory, one item for each thread, and a second launch of
// one CTA adds up the sums. Half of the threads are idle after the first load.
#pragma once

#include "gallery/summed.h"

namespace scantune {

struct SumTwoPassConfig {
  static constexpr int items_per_thread = 1;

  int block_threads = 256;  // threads per CTA

  constexpr bool operator==(const SumTwoPassConfig&) const = default;
};

template <>
struct Family<SumTwoPassConfig> : SummedFamily<SumTwoPassConfig, Finish::second_launch> {
  static constexpr const char* kName = "sum_two_pass";
  static constexpr const char* kConfigName = "SumTwoPassConfig";
  static constexpr const char* kHeader = "gallery/sum_two_pass.h";
  static constexpr const char* const kKernels[] = {"leave_sum", "add_sums"};

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SumTwoPassConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SumTwoPassConfig, block_threads, primary, 64, 128, 256, 512, 1024),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

// Phase 1: the sum of each tile.
template <class Problem, SumTwoPassConfig kConfig>
SCANTUNE_DEVICE void leave_sum(const KernelArguments& arguments) {
  scantune::leave_sum<Problem, kConfig, Tree::shared>(arguments);
}
// Phase 2: the sum of the sums.
template <class Problem, SumTwoPassConfig kConfig>
SCANTUNE_DEVICE void add_sums(const KernelArguments& arguments) {
  scantune::add_sums<Problem, kConfig, Tree::shared>(arguments);
}

}  // namespace scantune

#endif
