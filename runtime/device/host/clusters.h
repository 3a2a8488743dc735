// Clusters of CTAs: their barriers, and values sent into the shared memory of a peer.
#pragma once

#include <array>

#include "device/host/bulk_copies.h"

namespace scantune {

class Clusters {
 public:
  Clusters(Scheduler& scheduler, Failures& failures, Barriers& barriers, BulkCopies& copies)
      : scheduler_(scheduler), failures_(failures), barriers_(barriers), copies_(copies) {}

  Cluster& form(u32 slot, u32 size, u32 block_threads);  // slot: of its first CTA

  // By the current thread. mine: the place in its own CTA's shared memory, and the barrier there, that the peer's are
  // at.
  void arrive(host::Site site);
  void wait(host::Site site);
  void send(const void* mine, u32 rank, const void* in, u32 bytes, const u64* barrier, host::Site site);

  void leave(const CudaThread& thread);  // which exits

 private:
  void end_phase(Cluster& cluster);
  Cta& peer(u32 rank, host::Site site);

  Scheduler& scheduler_;
  Failures& failures_;
  Barriers& barriers_;
  BulkCopies& copies_;
  std::array<Cluster, kSlots> clusters_;
};

}  // namespace scantune
