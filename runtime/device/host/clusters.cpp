#include "device/host/clusters.h"

#include <algorithm>
#include <utility>

namespace scantune {

Cluster& Clusters::form(u32 slot, u32 size, u32 block_threads) {
  return clusters_[slot] = Cluster(size, block_threads);
}

void Clusters::arrive(host::Site site) {
  CudaThread& thread = scheduler_.begin_operation(site);
  Cluster& cluster = *thread.warp->cta->cluster;
  if (thread.cluster_arrivals != thread.cluster_waits)
    failures_.fail_here("arrives at its cluster's barrier for the second time without waiting in between", site);
  if (cluster.gone != 0)
    failures_.fail_here("arrives at its cluster's barrier, which exited threads of the cluster can never reach,", site);
  ++thread.cluster_arrivals;
  scheduler_.note_progress();
  if (--cluster.missing != 0) return;
  end_phase(cluster);
  scheduler_.let_others_come_first_sometimes();
}

// What the threads decide from here on rests on the oldest poll of any of them.
void Clusters::end_phase(Cluster& cluster) {
  u32 polled = kNoPoll;
  for (const Cta* cta : cluster.ctas)
    for (const Warp& warp : cta->warps) polled = std::min(polled, *std::min_element(warp.polled, warp.polled + 32));
  cluster.end_phase();
  for (Cta* cta : cluster.ctas) {
    for (Warp& warp : cta->warps) {
      std::fill(warp.polled, warp.polled + 32, polled);
      if (warp.at_cluster != 0) scheduler_.wake(warp, std::exchange(warp.at_cluster, 0));
    }
  }
}

void Clusters::wait(host::Site site) {
  CudaThread& thread = scheduler_.begin_operation(site);
  const Cluster& cluster = *thread.warp->cta->cluster;
  if (thread.cluster_arrivals == thread.cluster_waits)
    failures_.fail_here("waits at its cluster's barrier without having arrived there", site);
  if (cluster.phase != thread.cluster_arrivals) {
    thread.waiting = Waiting::cluster;
    thread.warp->at_cluster |= thread.lane_bit;
    scheduler_.give_way();
  }
  ++thread.cluster_waits;
}

Cta& Clusters::peer(u32 rank, host::Site site) {
  CudaThread& thread = scheduler_.begin_operation(site);
  const Cluster& cluster = *thread.warp->cta->cluster;
  if (rank >= cluster.ctas.size()) failures_.fail_here("sends to a CTA that its cluster does not have", site);
  Cta& peer = *cluster.ctas[rank];
  const auto misuse = [&](const char* what) {
    failures_.fail({.what = what, .thread = &thread, .site = site, .cta = &peer});
  };
  if (&peer != thread.warp->cta && thread.cluster_waits == 0)
    misuse("sends to a peer that may not have started, before it has waited for the cluster's barrier:");
  if (peer.live == 0) misuse("sends to a peer that has exited:");
  return peer;
}

void Clusters::send(const void* mine, u32 rank, const void* in, u32 bytes, const u64* barrier, host::Site site) {
  Cta& to = peer(rank, site);
  const unsigned char* const shared = scheduler_.current().shared;
  if (!scheduler_.current().has_in_shared(mine, bytes, bytes))
    failures_.fail_here("sends to a peer at no place of its own shared memory", site);
  unsigned char* const place = to.threads.front().shared + (static_cast<const unsigned char*>(mine) - shared);
  const u32 index = barriers_.find_for_copies(to, barrier, "sends to a barrier without fence_barrier_init:", site);
  barriers_.expect_sends(to, index);
  copies_.send(to, index, place, in, bytes, site);
}

void Clusters::leave(const CudaThread& thread) {
  Cluster& cluster = *thread.warp->cta->cluster;
  if (thread.cluster_arrivals > cluster.phase) {
    ++cluster.left;
    return;
  }
  ++cluster.gone;
  if (cluster.somebody_arrived())
    failures_.fail({.what = "exited while others of its cluster wait at the cluster's barrier",
                    .thread = &thread,
                    .lists_waiting = true});
}

}  // namespace scantune
