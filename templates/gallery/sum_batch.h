// sum_batch: as sum_atomic, with several items per thread, which adds them up in a register. Thread t of T takes items
// t, t + T, t + 2T, and so on, so that the threads of a warp load neighbouring items. There are fewer CTAs, fewer
// barriers and fewer atomic operations for as many items.
#pragma once

#include "gallery/summed.h"

namespace scantune {

struct SumBatchConfig {
  int block_threads = 256;    // threads per CTA
  int items_per_thread = 16;  // items that each thread adds up in a register (batchSize)

  constexpr bool operator==(const SumBatchConfig&) const = default;
};

template <>
struct Family<SumBatchConfig> : SummedFamily<SumBatchConfig, Finish::atomic, Spread::interleaved> {
  static constexpr const char* kName = "sum_batch";
  static constexpr const char* kConfigName = "SumBatchConfig";
  static constexpr const char* kHeader = "gallery/sum_batch.h";
  static constexpr const char* const kKernels[] = {"add_to_word"};

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SumBatchConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SumBatchConfig, block_threads, primary, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(SumBatchConfig, items_per_thread, primary, 2, 4, 8, 16, 32),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

template <class Problem, SumBatchConfig kConfig>
SCANTUNE_DEVICE void add_to_word(const KernelArguments& arguments) {
  scantune::add_to_word<Problem>(arguments,
                                 SummedTile<Problem, kConfig>::template sum_interleaved<Tree::warp>(arguments));
}

}  // namespace scantune

#endif
