// sum_atomic: one pass. The CTAs' sums meet in one word of memory by atomic operations. The word counts them, too, so
// that the last CTA knows that it is the last, stores the result, and resets the word to 0: nothing has to be cleared
// before the next launch.
#pragma once

#include "gallery/summed.h"

namespace scantune {

struct SumAtomicConfig {
  static constexpr int items_per_thread = 1;

  int block_threads = 256;  // threads per CTA

  constexpr bool operator==(const SumAtomicConfig&) const = default;
};

template <>
struct Family<SumAtomicConfig> : SummedFamily<SumAtomicConfig, Finish::atomic> {
  static constexpr const char* kName = "sum_atomic";
  static constexpr const char* kConfigName = "SumAtomicConfig";
  static constexpr const char* kHeader = "gallery/sum_atomic.h";
  static constexpr const char* const kKernels[] = {"add_to_word"};

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SumAtomicConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SumAtomicConfig, block_threads, primary, 64, 128, 256, 512, 1024),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

template <class Problem, SumAtomicConfig kConfig>
SCANTUNE_DEVICE void add_to_word(const KernelArguments& arguments) {
  using Tile = SummedTile<Problem, kConfig>;
  scantune::add_to_word<Problem>(arguments, Tile::template sum<Tree::warp>(arguments, Tile::one_by_one));
}

}  // namespace scantune

#endif
