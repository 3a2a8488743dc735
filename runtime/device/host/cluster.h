// CTAs that run at the same time, with a barrier of all their threads. The barrier makes no writes visible.
#pragma once

#include <vector>

#include "core/contract/types.h"

namespace scantune {

struct Cta;

struct Cluster {
  Cluster() = default;
  Cluster(u32 size, u32 block_threads) : running(size), threads(size * block_threads), missing(threads) {}

  std::vector<Cta*> ctas;  // by rank
  u32 running = 0;         // CTAs that have not exited
  u32 threads = 0;         // threads of all its CTAs

  u32 phase = 0;    // phase of its barrier, counted from 0
  u32 missing = 0;  // threads that have not arrived in this phase
  u32 gone = 0;     // those of them that have exited and never will arrive
  u32 left = 0;     // threads that have arrived in this phase and exited

  bool somebody_arrived() const { return missing != threads; }

  void end_phase() {
    ++phase;
    missing = threads;
    gone += left;
    left = 0;
  }
};

}  // namespace scantune
