// A barrier in shared memory (mbarrier): a phase ends when all arrivals and all announced bytes have come.
#pragma once

#include <algorithm>

#include "core/contract/types.h"

namespace scantune {

// The state of global memory that a thread has seen.
struct Sight {
  u32 view = 0;                   // all writes up to this time
  bool predecessor_done = false;  // and all writes of the grid before

  void add(const Sight& other) {
    view = std::max(view, other.view);
    predecessor_done |= other.predecessor_done;
  }
};

struct BarrierState {
  // The most that the 64 bits of an mbarrier count.
  static constexpr u32 kMaxArrivals = (1u << 20) - 1;
  static constexpr i64 kMaxBytes = (1 << 20) - 1;

  u32 shared_offset = 0;
  u32 initialiser = 0;         // rank of the thread that initialised it
  u32 arrivals = 0;            // arrivals that every phase needs
  u32 missing = 0;             // arrivals that this phase still needs
  i64 missing_bytes = 0;       // bytes announced and not here; negative while bytes come before their announcement
  u32 phase = 0;               // counted from 0
  bool takes_sends = false;    // CTAs of the cluster send to it
  bool serves_copies = false;  // fence_barrier_init came after its initialisation
  Sight arrived{};             // the sight of the threads that have arrived in this phase
  Sight ended{};               // the sight of those whose arrivals have ended a phase

  bool has_ended(u32 parity) const { return phase % 2 != parity; }

  // Both return what is wrong, or null.
  const char* arrive(u32 announced_bytes) {
    if (missing == 0) return "arrives more often than the barrier was initialised for:";
    --missing;
    missing_bytes += announced_bytes;
    return bytes_fault();
  }
  const char* take(u32 bytes) {
    missing_bytes -= bytes;
    return bytes_fault();
  }

  bool try_end_phase() {
    if (missing != 0 || missing_bytes != 0) return false;
    ++phase;
    missing = arrivals;
    ended.add(arrived);
    return true;
  }

 private:
  const char* bytes_fault() const {
    if (missing_bytes > kMaxBytes || missing_bytes < -kMaxBytes)
      return "has more bytes under way than a barrier counts:";
    if (missing == 0 && missing_bytes < 0) return "brings more bytes than were announced to the barrier:";
    return nullptr;
  }
};

}  // namespace scantune
