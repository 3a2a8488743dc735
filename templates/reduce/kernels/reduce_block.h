#pragma once

#include "core/parts/begin_kernel.h"
#include "reduce/config/reduce_block.h"
#include "reduce/parts/cluster_gather.h"
#include "reduce/parts/share_reduce.h"

namespace scantune {

template <class Problem, ReduceBlockConfig kConfig>
SCANTUNE_DEVICE void reduce_in_one_cluster(const KernelArguments& arguments) {
  using Share = ShareReduce<Problem, share_shape(kConfig)>;
  constexpr u32 kBlocks = kConfig.cluster_blocks;
  using Cluster = ClusterGather<typename Problem::Op, kBlocks>;
  struct alignas(16) Shared {
    typename Share::Shared share;
    typename Cluster::Shared cluster;
  };
  static_assert(sizeof(Shared) <= shared_bytes(kConfig, Problem::kRequest));
  Shared& shared = shared_memory<Shared>();
  const Share share(arguments, block_rank(), kBlocks);
  const u32 senders = share.active_ctas() - 1;

  if constexpr (kBlocks > 1) Cluster::start(shared.cluster, senders);
  if constexpr (kConfig.pdl != 0) share.prefetch();
  begin_kernel<kConfig.pdl>();

  // Reduce this CTA's share.
  auto total = share.reduce(shared.share);

  // Put the shares together.
  if constexpr (kBlocks > 1) {
    Cluster::send(shared.cluster, total.value, senders);
    if (block_rank() > 0) return;
    if (thread_rank() == 0) total.value = Cluster::gather(shared.cluster, total.value, senders);
  }
  if (thread_rank() == 0) Problem::store(arguments, total.value, total.exists);
}

}  // namespace scantune

// Two kernels, of which a config uses one and leaves the other empty: the compiler has to know clusters.
#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                                 \
  SCANTUNE_KERNEL(reduce_by_block, kConfig.block_threads, 1) {                                                 \
    if constexpr (kConfig.cluster_blocks == 1) ::scantune::reduce_in_one_cluster<Problem, kConfig>(arguments); \
  }                                                                                                            \
  SCANTUNE_CLUSTER_KERNEL(reduce_by_cluster, kConfig.block_threads, 1, kConfig.cluster_blocks) {               \
    if constexpr (kConfig.cluster_blocks > 1) ::scantune::reduce_in_one_cluster<Problem, kConfig>(arguments);  \
  }
