#pragma once

#include "core/parts/begin_kernel.h"
#include "reduce/config/reduce_last_block.h"
#include "reduce/parts/share_reduce.h"

namespace scantune {

template <class Problem, ReduceLastBlockConfig kConfig>
SCANTUNE_DEVICE void reduce_and_fold(const KernelArguments& arguments) {
  using Share = ShareReduce<Problem, share_shape(kConfig)>;
  using Partials = Partials<typename Problem::Op, kConfig.block_threads>;
  struct alignas(16) Shared {
    typename Share::Shared share;
    bool is_last;
  };
  static_assert(sizeof(Shared) == share_shared_bytes(Problem::kRequest));
  Shared& shared = shared_memory<Shared>();
  const Share share(arguments, block_rank(), block_count());
  auto* const header = static_cast<WorkspaceHeader*>(arguments.workspace);

  if constexpr (kConfig.pdl != 0) share.prefetch();
  begin_kernel<kConfig.pdl>();

  // Reduce this CTA's share.
  auto total = share.reduce(shared.share);

  // Leave it for the CTA that arrives last, which puts the shares together.
  if (block_count() > 1) {
    const Partials partials(header + 1);
    if (thread_rank() == 0) {
      if (block_rank() < share.active_ctas()) partials.leave(block_rank(), total.value);
      fence();  // the partial result is there before it is counted
      shared.is_last = fetch_add(&header->finished, 1) == block_count() - 1;
      fence();  // what all have counted is there
    }
    sync_block();
    if (!shared.is_last) return;
    total.value = partials.fold(shared.share, share.active_ctas());
    total.exists = arguments.n > 0;
    if (thread_rank() == 0) store_relaxed(&header->finished, 0);  // as the next launch must find it
  }
  if (thread_rank() == 0) Problem::store(arguments, total.value, total.exists);
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                   \
  SCANTUNE_KERNEL(reduce_and_fold, kConfig.block_threads, kConfig.ctas_per_sm) { \
    ::scantune::reduce_and_fold<Problem, kConfig>(arguments);                    \
  }
