#pragma once

#include "core/parts/begin_kernel.h"
#include "reduce/config/reduce_atomic.h"
#include "reduce/parts/gathered_word.h"
#include "reduce/parts/share_reduce.h"

namespace scantune {

template <class Problem, ReduceAtomicConfig kConfig>
SCANTUNE_DEVICE void reduce_into_word(const KernelArguments& arguments) {
  using Share = ShareReduce<Problem, share_shape(kConfig)>;
  using Word = GatheredWord<typename Problem::Op>;
  const Share share(arguments, block_rank(), block_count());
  if constexpr (kConfig.pdl != 0) share.prefetch();
  begin_kernel<kConfig.pdl>();
  const auto total = share.reduce(shared_memory<typename Share::Shared>());
  if (thread_rank() != 0) return;
  if (block_count() == 1) return Problem::store(arguments, total.value);

  // Whoever counts the last CTA has the result, and nobody touches the word any more.
  u64* const word = &static_cast<WorkspaceHeader*>(arguments.workspace)->gathered;
  const u64 gathered = Word::add(word, total.value);
  if (Word::count(gathered) != block_count()) return;
  scantune::store_relaxed_wide(word, u64{0});
  Problem::store(arguments, Word::value(gathered));
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                    \
  SCANTUNE_KERNEL(reduce_into_word, kConfig.block_threads, kConfig.ctas_per_sm) { \
    ::scantune::reduce_into_word<Problem, kConfig>(arguments);                    \
  }
