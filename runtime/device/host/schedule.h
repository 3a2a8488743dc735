// How the host device runs a grid: everything that a GPU does not guarantee, drawn from a seed.
#pragma once

#include <string>

#include "core/contract/types.h"

namespace scantune {

enum class WarpOrder { round_robin, newest_first, shuffled };
enum class LaneOrder { ascending, descending, rotated };

// Each field is drawn by itself: a fixed combination of them misses many bugs.
struct Schedule {
  u64 seed = 0;
  u32 resident_ctas = 8;     // CTAs that run at a time; no fewer than the largest cluster has
  u32 preempt_every = 0;     // mean number of memory accesses after which a lane must give way; 0: never
  u32 buffered_stores = 16;  // stores that may wait to become visible to other CTAs
  u32 drain_every = 0;       // mean number of scheduling steps after which one of them does; 0: only when pushed out
  u32 stale_percent = 0;     // plain loads that see an older value, and stores that come before others', where they may
  u32 late_start_percent = 0;  // CTAs that start later than they could
  u32 slow_sync_percent = 0;   // atomics and fences that take long
  u32 stall_percent = 0;       // preemptions after which the whole CTA stands still for a while
  u32 copy_delay = 0;          // mean number of scheduling steps before a bulk copy reads, and again before it writes
  WarpOrder warp_order = WarpOrder::round_robin;
  LaneOrder lane_order = LaneOrder::ascending;
  bool shuffle_ctas = false;  // start CTAs in any order, where the launch allows it

  // Seed 0 is the calm schedule above, meant for running fast; every other seed draws all fields.
  static Schedule from_seed(u64 seed);
};

std::string to_string(const Schedule& schedule);  // the schedule in reports

}  // namespace scantune
