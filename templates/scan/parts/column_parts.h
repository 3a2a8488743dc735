// The totals of a CTA's threads for their columns, and how threads of one column combine them.
#pragma once

#include "core/parts/tile_status.h"
#include "scan/parts/problem.h"

namespace scantune {

// lanes: threads side by side, which have other columns; a power of two. segments: threads below one another, which
// have the same ones. A row is a warp of several segments, or one segment of several warps: inside rows values are
// shuffled, and from row to row they go through shared memory.
template <class T, class Op, int kThreads, int kColumns>
class ColumnParts {
  static_assert(kColumns <= 16);

 public:
  // A combination of some items of each column. Where nothing is known of a column its value is undefined.
  struct Part {
    T values[kColumns];
    u32 states;
  };
  // Two places, used by turns, so that one barrier is enough for each use.
  struct Shared {
    T values[2][kColumns][kThreads];
    u32 states[2][kThreads];
  };
  // What the segments above have passed, and what that is with the own one.
  struct Passed {
    Part above, through;
  };

  // Bits of Part::states: its value is defined; and it also takes in all that comes before in the column.
  SCANTUNE_DEVICE static constexpr u32 exists(int column) { return 1u << column; }
  SCANTUNE_DEVICE static constexpr u32 whole(int column) { return 0x10001u << column; }
  static constexpr u32 kAllWhole = 0x10001u * ((1u << kColumns) - 1);

  SCANTUNE_DEVICE ColumnParts(Shared& shared, u32 lanes)
      : shared_(shared),
        lanes_(lanes),
        row_threads_(lanes < kWarpThreads ? kWarpThreads : lanes),
        row_(thread_rank() / row_threads_),
        lane_(thread_rank() % lanes) {}

  SCANTUNE_DEVICE static Part combined(const Part& earlier, const Part& later) {
    Part part = later;
#pragma unroll
    for (int column = 0; column < kColumns; ++column) {
      if ((earlier.states & exists(column)) == 0 || (later.states & whole(column)) == whole(column)) continue;
      part.values[column] = (later.states & exists(column)) == 0
                                ? earlier.values[column]
                                : Op::combine(earlier.values[column], later.values[column]);
      part.states |= earlier.states & whole(column);
    }
    return part;
  }

  // Scans what each segment passes, from the first segment down.
  SCANTUNE_DEVICE Passed scan(Part part) {
    const u32 warp_lane = thread_rank() % kWarpThreads;
    for (u32 distance = lanes_; distance < kWarpThreads; distance *= 2) {
      const Part earlier = shuffled(part, warp_lane - distance);
      if (warp_lane >= distance) part = combined(earlier, part);
    }
    Part above = {};
    if (lanes_ < kWarpThreads) {
      const Part earlier = shuffled(part, warp_lane - lanes_);
      if (warp_lane >= lanes_) above = earlier;
    }
    if (row_threads_ == kThreads) return {above, part};
    share(part, thread_rank() % row_threads_ + lanes_ >= row_threads_);
    Part rows = {};
    for (u32 row = 0; row < row_; ++row) rows = combined(rows, shared(row));
    return {combined(rows, above), combined(rows, part)};
  }

  // Returns every thread the combination of what the segments pass, the last of them the earliest.
  SCANTUNE_DEVICE Part gather_upwards(Part part) {
    const u32 warp_lane = thread_rank() % kWarpThreads;
    for (u32 distance = lanes_; distance < kWarpThreads; distance *= 2) {
      const Part earlier = shuffled(part, warp_lane + distance);
      if (warp_lane + distance < kWarpThreads) part = combined(earlier, part);
    }
    share(part, thread_rank() % row_threads_ < lanes_);
    Part gathered = {};
    for (u32 row = 0; row < kThreads / row_threads_; ++row) gathered = combined(shared(row), gathered);
    return gathered;
  }

 private:
  SCANTUNE_DEVICE static Part shuffled(const Part& part, u32 lane) {
    Part other;
#pragma unroll
    for (int column = 0; column < kColumns; ++column)
      other.values[column] = scantune::shuffle_index(part.values[column], lane);
    other.states = scantune::shuffle_index(part.states, lane);
    return other;
  }

  // Publishes the parts of the threads that tell to all threads of the CTA. It includes the barrier.
  SCANTUNE_DEVICE void share(const Part& part, bool tells) {
    turn_ ^= 1;
    if (tells) {
      const u32 place = row_ * lanes_ + lane_;
#pragma unroll
      for (int column = 0; column < kColumns; ++column) shared_.values[turn_][column][place] = part.values[column];
      shared_.states[turn_][place] = part.states;
    }
    sync_block();
  }

  SCANTUNE_DEVICE Part shared(u32 row) const {
    const u32 place = row * lanes_ + lane_;
    Part part;
#pragma unroll
    for (int column = 0; column < kColumns; ++column) part.values[column] = shared_.values[turn_][column][place];
    part.states = shared_.states[turn_][place];
    return part;
  }

  Shared& shared_;
  const u32 lanes_, row_threads_, row_, lane_;
  u32 turn_ = 0;
};

}  // namespace scantune
