// The combination of the aggregates of many tiles, gathered by one warp.
#pragma once

#include "primitives/tile_status.h"
#include "primitives/warp_scan.h"

namespace scantune {

// Returns the combination of the tiles [first, last), of which there is at least one, as soon as all are published.
// kInOrder: for operators that need not commute; else neighbouring lanes poll neighbouring words, which costs less.
template <class Op, bool kInOrder, int kPollDelayNs, class T, StatusLayout kLayout>
class GatheredAggregates {
  static constexpr u32 kMostPolls = 8;  // of each lane at once

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
    // Poll all at once, so that their latencies overlap.
    TileDescriptor<T> descriptors[kMostPolls];
#pragma unroll
    for (u32 poll = 0; poll < kMostPolls; ++poll)
      if (poll < polls && mine + poll * stride < last) descriptors[poll] = status.poll(mine + poll * stride);
    T sum;
#pragma unroll
    for (u32 poll = 0; poll < kMostPolls; ++poll) {
      if (poll >= polls || mine + poll * stride >= last) break;
      while (descriptors[poll].flag == TileFlag::none) {
        poll_pause<kPollDelayNs>();
        descriptors[poll] = status.poll(mine + poll * stride);
      }
      sum = poll == 0 ? descriptors[poll].value : Op::combine(sum, descriptors[poll].value);
    }
    sync_warp();
    const u32 lanes = kInOrder ? ceil_div(last - first, polls) : last - first;
    return scantune::warp_reduce_ascending<Op>(sum, lane, lanes < kWarpThreads ? lanes : kWarpThreads);
  }
};

}  // namespace scantune
