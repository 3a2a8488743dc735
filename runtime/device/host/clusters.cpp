// Clusters: their barrier, and values sent into the shared memory of a peer.
#include <algorithm>
#include <utility>

#include "device/host/machine.h"

namespace scantune {

// All CTAs of a cluster or none: their places are free at the same time.
void Machine::start_cluster() {
  GridState& grid = grids_[dispatching_];
  const Launch& launch = grid.grid->launch;
  const u32 size = static_cast<u32>(launch.cluster_blocks);
  const u32 index = grid.order.empty() ? grid.started / size : grid.order[grid.started / size];
  Cluster& cluster = clusters_[free_slots_.back()];
  cluster = Cluster(size, static_cast<u32>(launch.block_threads));
  for (u32 rank = 0; rank < size; ++rank) {
    Cta& cta = *ctas_[free_slots_.back()];
    free_slots_.pop_back();
    cta.cluster = &cluster;
    cta.cluster_rank = rank;
    cta.rank = index * size + rank;
    cluster.ctas.push_back(&cta);
  }
  const u32 number = dispatching_;
  if ((grid.started += size) == launch.grid_blocks) ++dispatching_;
  for (Cta* cta : cluster.ctas) {
    start_cta(*cta, number);
    // They are resident together, and yet begin at moments of their own.
    if (size > 1 && random_.chance(schedule_.late_start_percent)) cta->stalled_until = step_ + random_.around(200);
  }
}

void Machine::arrive_at_cluster(host::Site site) {
  CudaThread& thread = *current_;
  Cluster& cluster = *thread.warp->cta->cluster;
  thread.site = site;
  access_point();
  if (thread.cluster_arrivals != thread.cluster_waits)
    fail_here("arrives at its cluster's barrier for the second time without waiting in between", site);
  if (cluster.gone != 0)
    fail_here("arrives at its cluster's barrier, which exited threads of the cluster can never reach,", site);
  ++thread.cluster_arrivals;
  ++progress_;
  if (--cluster.missing != 0) return;
  end_cluster_phase(cluster);
  let_others_come_first_sometimes();
}

// What the threads decide from here on rests on the oldest poll of any of them.
void Machine::end_cluster_phase(Cluster& cluster) {
  u32 polled = kNoPoll;
  for (const Cta* cta : cluster.ctas)
    for (const Warp& warp : cta->warps) polled = std::min(polled, *std::min_element(warp.polled, warp.polled + 32));
  cluster.end_phase();
  for (Cta* cta : cluster.ctas) {
    for (Warp& warp : cta->warps) {
      std::fill(warp.polled, warp.polled + 32, polled);
      if (warp.at_cluster != 0) wake(warp, std::exchange(warp.at_cluster, 0));
    }
  }
}

void Machine::wait_for_cluster(host::Site site) {
  CudaThread& thread = *current_;
  const Cluster& cluster = *thread.warp->cta->cluster;
  thread.site = site;
  access_point();
  if (thread.cluster_arrivals == thread.cluster_waits)
    fail_here("waits at its cluster's barrier without having arrived there", site);
  if (cluster.phase != thread.cluster_arrivals) {
    thread.waiting = Waiting::cluster;
    thread.warp->at_cluster |= thread.lane_bit;
    give_way();
  }
  ++thread.cluster_waits;
}

Cta& Machine::peer(u32 rank, host::Site site) {
  CudaThread& thread = *current_;
  const Cluster& cluster = *thread.warp->cta->cluster;
  thread.site = site;
  access_point();
  if (rank >= cluster.ctas.size()) fail_here("sends to a CTA that its cluster does not have", site);
  Cta& peer = *cluster.ctas[rank];
  const auto misuse = [&](const char* what) { fail({.what = what, .thread = &thread, .site = site, .cta = &peer}); };
  if (&peer != thread.warp->cta && thread.cluster_waits == 0)
    misuse("sends to a peer that may not have started, before it has waited for the cluster's barrier:");
  if (peer.live == 0) misuse("sends to a peer that has exited:");
  return peer;
}

// Where in the peer's shared memory mine is in that of the current thread's CTA.
unsigned char* Machine::place_in(Cta& peer, const void* mine, u32 bytes, host::Site site) {
  if (!in_shared(mine, bytes, bytes)) fail_here("sends to a peer at no place of its own shared memory", site);
  return peer.threads.front().shared + (static_cast<const unsigned char*>(mine) - current_->shared);
}

// A value under way is a bulk copy that has read its source.
void Machine::send_to_peer(const void* mine, u32 rank, const void* in, u32 bytes, const u64* barrier, host::Site site) {
  Cta& to = peer(rank, site);
  unsigned char* const place = place_in(to, mine, bytes, site);
  const u32 index = find_barrier(to, barrier, site);
  if (!to.barriers[index].serves_copies)
    fail({.what = "sends to a barrier without fence_barrier_init:",
          .thread = current_,
          .site = site,
          .barrier = &to.barriers[index]});
  to.barriers[index].takes_sends = true;
  const auto* const value = static_cast<const unsigned char*>(in);
  copies_.push_back({.direction = BulkCopy::Direction::send,
                     .has_read = true,
                     .grid = to.grid,
                     .cta_serial = to.serial,
                     .cta = &to,
                     .issuer = current_,
                     .group = 0,
                     .barrier = index,
                     .shared = place,
                     .global = nullptr,
                     .bytes = bytes,
                     .site = site,
                     .due = step_ + copy_time(),
                     .data = {value, value + bytes}});
  begin_copy();
}

void Machine::leave_cluster(const CudaThread& thread) {
  Cluster& cluster = *thread.warp->cta->cluster;
  if (thread.cluster_arrivals > cluster.phase) {
    ++cluster.left;
    return;
  }
  ++cluster.gone;
  if (cluster.somebody_arrived())
    fail({.what = "exited while others of its cluster wait at the cluster's barrier",
          .thread = &thread,
          .lists_waiting = true});
}

}  // namespace scantune
