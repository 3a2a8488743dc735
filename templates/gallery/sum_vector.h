// sum_vector: as sum_batch, with items loaded by 16 bytes at once (int4), wherever a thread's items begin at a multiple
// of 16 bytes. The last step of the ladder: what memory can deliver.
#pragma once

#include "gallery/summed.h"

namespace scantune {

struct SumVectorConfig {
  int block_threads = 256;    // threads per CTA
  int items_per_thread = 16;  // neighbouring items each thread adds up in a register (batchSize)

  constexpr bool operator==(const SumVectorConfig&) const = default;
};

template <>
struct Family<SumVectorConfig> : SummedFamily<SumVectorConfig, Finish::atomic> {
  static constexpr const char* kName = "sum_vector";
  static constexpr const char* kConfigName = "SumVectorConfig";
  static constexpr const char* kHeader = "gallery/sum_vector.h";
  static constexpr const char* const kKernels[] = {"add_to_word"};

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SumVectorConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SumVectorConfig, block_threads, primary, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(SumVectorConfig, items_per_thread, primary, 4, 8, 16, 32),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

// A thread's items by vectors, if it has all of them, and one by one else.
template <class Problem, SumVectorConfig kConfig>
SCANTUNE_DEVICE typename Problem::Accumulator sum_by_vectors(const typename Problem::Input* items, u32 mine) {
  constexpr u32 kItems = kVectorAlignmentBytes / sizeof(typename Problem::Input);
  struct alignas(kVectorAlignmentBytes) Vector {
    typename Problem::Input items[kItems];
  };
  if constexpr (kConfig.items_per_thread % kItems == 0) {
    const bool is_aligned = reinterpret_cast<u64>(items) % kVectorAlignmentBytes == 0;
    if (is_aligned && mine == kConfig.items_per_thread) {
      constexpr u32 kVectors = kConfig.items_per_thread / kItems;
      Vector vectors[kVectors];
#pragma unroll
      for (u32 vector = 0; vector < kVectors; ++vector)
        vectors[vector] = scantune::load_global<CacheHint::normal>(reinterpret_cast<const Vector*>(items) + vector);
      auto sum = Problem::accumulator_of(vectors[0].items[0], 0);
#pragma unroll
      for (u32 item = 1; item < kConfig.items_per_thread; ++item)
        sum = Problem::Op::combine(sum, Problem::accumulator_of(vectors[item / kItems].items[item % kItems], 0));
      return sum;
    }
  }
  return SummedTile<Problem, kConfig>::one_by_one(items, mine);
}

template <class Problem, SumVectorConfig kConfig>
SCANTUNE_DEVICE void add_to_word(const KernelArguments& arguments) {
  using Tile = SummedTile<Problem, kConfig>;
  scantune::add_to_word<Problem>(arguments,
                                 Tile::template sum<Tree::warp>(arguments, scantune::sum_by_vectors<Problem, kConfig>));
}

}  // namespace scantune

#endif
