// Combines the aggregates of many tiles: one warp gathers them, a window at a time.
#pragma once

#include "core/parts/tile_status.h"
#include "core/parts/warp_reduce.h"

namespace scantune {

// How a lane goes on when words that it has polled were not published yet.
enum class Repolled {
  one_by_one,  // polls the first of them until it is there, then the next: few polls where one CTA is late
  together     // polls all of them at once: one trip to L2 where all CTAs publish at about the same time
};

// Returns the combination of the tiles [first, last), of which there is at least one, as soon as all are published. The
// association depends on first and last alone. kInOrder serves operators that need not commute; else neighbouring lanes
// poll neighbouring words, which costs less.
template <class Op, bool kInOrder, int kWindow, int kPollDelayNs, class T, StatusLayout kLayout,
          Repolled kRepolled = Repolled::one_by_one>
class GatheredAggregates {
  static constexpr u32 kMostPolls = kWindow / kWarpThreads;  // polls of each lane at once

 public:
  using Status = TileStatus<T, kLayout>;

  SCANTUNE_DEVICE static T gather(const Status& status, u32 first, u32 last, u32 lane) {
    T sum;
    for (u32 from = first; from < last; from += kMostPolls * kWarpThreads) {
      const u32 left = last - from;
      const u32 polls = left < kMostPolls * kWarpThreads ? ceil_div(left, u32{kWarpThreads}) : kMostPolls;
      const T part = scantune::shuffle_index(batch(status, from, polls, last, lane), 0);
      sum = from == first ? part : Op::combine(sum, part);
    }
    return sum;
  }

 private:
  // Lane 0 gets the combination of the tiles [first, last), at most `polls` for each lane.
  SCANTUNE_DEVICE static T batch(const Status& status, u32 first, u32 polls, u32 last, u32 lane) {
    const u32 mine = kInOrder ? first + lane * polls : first + lane, stride = kInOrder ? 1 : kWarpThreads;
    const auto is_wanted = [&](u32 poll) { return poll < polls && mine + poll * stride < last; };
    // Poll all at once, so that their latencies overlap.
    TileDescriptor<T> descriptors[kMostPolls];
#pragma unroll
    for (u32 poll = 0; poll < kMostPolls; ++poll)
      if (is_wanted(poll)) descriptors[poll] = status.poll(mine + poll * stride);
    if constexpr (kRepolled == Repolled::together) {
      const auto is_missing = [&](u32 poll) { return is_wanted(poll) && descriptors[poll].flag == TileFlag::none; };
      while (any_of(is_missing)) {
        poll_pause<kPollDelayNs>();
#pragma unroll
        for (u32 poll = 0; poll < kMostPolls; ++poll)
          if (is_missing(poll)) descriptors[poll] = status.poll(mine + poll * stride);
      }
    }
    T sum;
#pragma unroll
    for (u32 poll = 0; poll < kMostPolls; ++poll) {
      if (!is_wanted(poll)) break;
      if constexpr (kRepolled == Repolled::one_by_one) {
        while (descriptors[poll].flag == TileFlag::none) {
          poll_pause<kPollDelayNs>();
          descriptors[poll] = status.poll(mine + poll * stride);
        }
      }
      sum = poll == 0 ? descriptors[poll].value : Op::combine(sum, descriptors[poll].value);
    }
    sync_warp();
    const u32 lanes = kInOrder ? ceil_div(last - first, polls) : last - first;
    return scantune::warp_reduce_ascending<Op>(sum, lane, lanes < kWarpThreads ? lanes : kWarpThreads);
  }

  SCANTUNE_DEVICE static bool any_of(const auto& is_missing) {
    bool any = false;
#pragma unroll
    for (u32 poll = 0; poll < kMostPolls; ++poll) any |= is_missing(poll);
    return any;
  }
};

}  // namespace scantune
