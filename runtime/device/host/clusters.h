// Clusters of CTAs: their barriers, and values sent into the shared memory of a peer.
#pragma once

#include <array>

#include "device/host/bulk_copies.h"

namespace scantune {

class Clusters {
 public:
  Clusters(Scheduler& scheduler, Failures& failures, Barriers& barriers, BulkCopies& copies)
      : scheduler_(scheduler), failures_(failures), barriers_(barriers), copies_(copies) {}

  Cluster& form(u32 slot, u32 size, u32 block_threads);  // slot: that of its first CTA

  // Operations of the current thread. mine and barrier are in its own CTA's shared memory, at the same places as in the
  // peer's.
  void arrive(host::Site site);
  void wait(host::Site site);
  void send(const void* mine, u32 rank, const void* in, u32 bytes, const u64* barrier, host::Site site);

  void leave(const CudaThread& thread);  // called when the thread exits

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
