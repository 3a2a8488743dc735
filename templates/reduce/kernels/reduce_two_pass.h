#pragma once

#include "core/parts/begin_kernel.h"
#include "reduce/config/reduce_two_pass.h"
#include "reduce/parts/share_reduce.h"

namespace scantune {

// The number of partial results is before them.
SCANTUNE_DEVICE u32* partial_count(const KernelArguments& arguments) { return static_cast<u32*>(arguments.workspace); }
template <class Problem, ReduceTwoPassConfig kConfig>
SCANTUNE_DEVICE auto partials_of(const KernelArguments& arguments) {
  return Partials<typename Problem::Op, kConfig.block_threads>(static_cast<unsigned char*>(arguments.workspace) +
                                                               kVectorAlignmentBytes);
}

// Phase 1: the partial result of each share.
template <class Problem, ReduceTwoPassConfig kConfig>
SCANTUNE_DEVICE void reduce_shares(const KernelArguments& arguments) {
  using Share = ShareReduce<Problem, share_shape(kConfig)>;
  const Share share(arguments, block_rank(), block_count());
  if constexpr (kConfig.pdl != 0) share.prefetch();
  begin_kernel<kConfig.pdl>();
  const auto total = share.reduce(shared_memory<typename Share::Shared>());
  if (thread_rank() != 0) return;
  if (block_rank() < share.active_ctas())
    scantune::partials_of<Problem, kConfig>(arguments).leave(block_rank(), total.value);
  if (block_rank() == 0) scantune::store_global<CacheHint::normal>(partial_count(arguments), share.active_ctas());
}

// Phase 2: one CTA puts them together.
template <class Problem, ReduceTwoPassConfig kConfig>
SCANTUNE_DEVICE void fold_partials(const KernelArguments& arguments) {
  using Share = ShareReduce<Problem, share_shape(kConfig)>;
  begin_kernel<kConfig.pdl>();
  const u32 count = scantune::load_global<CacheHint::normal>(partial_count(arguments));
  const auto total =
      scantune::partials_of<Problem, kConfig>(arguments).fold(shared_memory<typename Share::Shared>(), count);
  if (thread_rank() == 0) Problem::store(arguments, total, arguments.n > 0);
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                 \
  SCANTUNE_KERNEL(reduce_shares, kConfig.block_threads, kConfig.ctas_per_sm) { \
    ::scantune::reduce_shares<Problem, kConfig>(arguments);                    \
  }                                                                            \
  SCANTUNE_KERNEL(fold_partials, kConfig.block_threads, 1) { ::scantune::fold_partials<Problem, kConfig>(arguments); }
