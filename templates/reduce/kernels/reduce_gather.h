#pragma once

#include "core/parts/begin_kernel.h"
#include "reduce/config/reduce_gather.h"
#include "reduce/parts/gathered_partials.h"
#include "reduce/parts/share_reduce.h"

namespace scantune {

template <class Problem, ReduceGatherConfig kConfig>
SCANTUNE_DEVICE void reduce_and_gather(const KernelArguments& arguments) {
  using Share = ShareReduce<Problem, share_shape(kConfig)>;
  using Partials = GatheredPartials<typename Problem::Op, Problem::kInOrder, kConfig.block_threads>;
  using Status = typename Partials::Status;
  struct alignas(16) Shared {
    typename Share::Shared share;
    u32 epoch;
    u32 started;
  };
  static_assert(sizeof(Shared) == share_shared_bytes(Problem::kRequest));
  Shared& shared = shared_memory<Shared>();
  const Share share(arguments, block_rank(), block_count());
  const bool is_alone = block_count() == 1;

  if constexpr (kConfig.pdl != 0) share.prefetch();
  begin_kernel<kConfig.pdl>();

  // Count the CTAs that have started. The number arrives while the share does.
  u32 epoch = 0, started = 0;
  if (!is_alone && thread_rank() == 0) {
    epoch = Status::read_epoch(arguments.workspace);
    started = fetch_add(&static_cast<WorkspaceHeader*>(arguments.workspace)->ticket, 1);
  }

  // Reduce this CTA's share, and publish what it comes to.
  auto total = share.reduce(shared.share);
  if (!is_alone) {
    if (thread_rank() == 0) {
      Status(arguments.workspace, epoch).publish(block_rank(), TileFlag::aggregate, total.value);
      shared.epoch = epoch;
      shared.started = started;
    }
    sync_block();

    // The CTA that has started last puts the shares together: it waits for none that has yet to start.
    const Status status(arguments.workspace, shared.epoch);
    const bool gathers = shared.started == block_count() - 1;
    if (gathers) total.value = Partials::gather(shared.share, status, share.active_ctas(), block_count());
    if (thread_rank() < kWarpThreads) status.finish(shared.started, block_count(), block_count(), thread_rank());
    if (!gathers) return;
    total.exists = arguments.n > 0;
  }
  if (thread_rank() == 0) Problem::store(arguments, total.value, total.exists);
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                     \
  SCANTUNE_KERNEL(reduce_and_gather, kConfig.block_threads, kConfig.ctas_per_sm) { \
    ::scantune::reduce_and_gather<Problem, kConfig>(arguments);                    \
  }
