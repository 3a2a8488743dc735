// Segments that a warp sorts side by side: each gets as many lanes as hold it.
#pragma once

#include "core/machine/bits.h"
#include "sort/parts/network_segment.h"

namespace scantune {

template <class Problem, SortSegmentsConfig kConfig, bool kHasPlace, int kItems>
class ShortSegments {
  using Sorted = NetworkSegment<Problem, kConfig, kHasPlace, kItems>;
  static constexpr u32 kClasses = 6;  // class c has 2^c lanes

 public:
  // The segments by their lanes, those with the most first.
  struct Shared {
    u64 begins[kWarpThreads];
    u32 items[kWarpThreads];
    typename Sorted::Area area;
  };

  SCANTUNE_DEVICE ShortSegments(Shared& shared, const KernelArguments& arguments, u32 first_bit, u32 last_bit)
      : shared_(shared), arguments_(arguments), first_bit_(first_bit), last_bit_(last_bit) {}

  // Sorts the segments of all lanes, of which each fits the warp.
  SCANTUNE_DEVICE void sort(const Segment& its) const {
    u32 counts[kClasses];
    const u32 all_lanes = order(its, counts);
#pragma unroll 1
    for (u32 done = 0; done < all_lanes; done += kWarpThreads) {
      const Place place = place_of(done + lane(), counts);
      const bool has_keys = done + lane() < all_lanes;
      const u32 lanes = 1u << place.lanes_log2;
      const typename Sorted::Group group{lanes, place.lane, lane() - place.lane, 0};
      const Sorted segment(arguments_, has_keys ? shared_.begins[place.segment] : 0,
                           has_keys ? shared_.items[place.segment] : 0, first_bit_, last_bit_);
      typename Sorted::Network network;
      segment.load(network, group);
      network.sort(lanes, scantune::shuffle_index(lanes, 0));
      segment.store(network, group, shared_.area);
      sync_warp();
    }
  }

 private:
  // Where a lane is among the lanes of all segments in order.
  struct Place {
    u32 segment, lanes_log2, lane;
  };

  SCANTUNE_DEVICE static u32 lane() { return thread_rank() % kWarpThreads; }

  // Returns how many lanes the segments take. counts: the segments of each class.
  SCANTUNE_DEVICE u32 order(const Segment& its, u32 (&counts)[kClasses]) const {
    const u32 items = static_cast<u32>(its.items());
    const u32 class_of = items == 0 ? kClasses : items <= kItems ? 0 : highest_bit((items - 1) / kItems) + 1;
    u32 before = 0, rank = 0, all_lanes = 0;
#pragma unroll
    for (int turn = kClasses - 1; turn >= 0; --turn) {
      const u32 lanes = ballot(~0u, class_of == static_cast<u32>(turn));
      counts[turn] = count_ones(lanes);
      if (class_of == static_cast<u32>(turn)) rank = before + count_ones(lanes_before(lanes, lane()));
      before += counts[turn];
      all_lanes += counts[turn] << turn;
    }
    if (items > 0) {
      shared_.begins[rank] = its.begin;
      shared_.items[rank] = items;
    }
    sync_warp();
    return all_lanes;
  }

  // Groups of lanes do not reach from one warp's round into the next, as larger ones come first.
  SCANTUNE_DEVICE static Place place_of(u32 lane, const u32 (&counts)[kClasses]) {
    Place place{0, 0, 0};
    u32 before = 0;
    bool is_found = false;
#pragma unroll
    for (int turn = kClasses - 1; turn >= 0; --turn) {
      const u32 lanes = counts[turn] << turn;
      if (!is_found && lane < lanes) {
        place = {before + (lane >> turn), static_cast<u32>(turn), lane & ((1u << turn) - 1)};
        is_found = true;
      }
      lane -= lanes;
      before += counts[turn];
    }
    return place;
  }

  Shared& shared_;
  const KernelArguments& arguments_;
  const u32 first_bit_, last_bit_;
};

}  // namespace scantune
