// A segment, or a chunk of it, that lanes of a warp load, sort by a network and store.
#pragma once

#include "core/parts/offset_segments.h"
#include "sort/parts/warp_network.h"

namespace scantune {

// Elements of a warp in shared memory. Every so many one is left out, so that lanes that access a run each meet in
// few banks.
template <class Type, int kItems>
struct NetworkArea {
  static constexpr u32 kRow = kRowBytes / sizeof(Type);
  Type elements[network_area_items(kItems, sizeof(Type))];

  SCANTUNE_DEVICE static u32 slot(u32 place) { return place + place / kRow; }
  // The slot of an element of a lane's run.
  SCANTUNE_DEVICE static u32 slot_in_lane(u32 lane, u32 item) { return slot(lane * kItems) + item + item / kRow; }
};

// kHasPlace: keys move with their places.
template <class Problem, SortSegmentsConfig kConfig, bool kHasPlace, int kItems>
class NetworkSegment {
  using Element = SortElement<Problem, kHasPlace>;
  using Key = typename Problem::Key;
  using Value = typename Problem::Value;
  static constexpr SortRequest kRequest = Problem::kRequest;
  // Steps whose elements are stored together.
  static constexpr u32 kMostStored = !kRequest.has_values() || sizeof(Value) <= 4 ? 8 : sizeof(Value) <= 8 ? 4 : 1;
  static constexpr u32 kAtOnce = kMostStored < kItems ? kMostStored : kItems;

 public:
  using Network = WarpNetwork<Element, kItems>;
  using Area = NetworkArea<typename Element::Type, kItems>;

  // The lanes of a group, whose number is a power of two, hold items of the segment from `first` on.
  struct Group {
    u32 lanes, lane;  // and which of them this one is
    u32 first_lane;   // in the warp
    u32 first;
  };

  SCANTUNE_DEVICE NetworkSegment(const KernelArguments& arguments, u64 begin, u32 items, u32 first_bit, u32 last_bit)
      : arguments_(arguments), begin_(begin), items_(items), first_bit_(first_bit), bits_(last_bit - first_bit) {}

  // In any order.
  SCANTUNE_DEVICE void load(Network& network, const Group& group) const {
    const u32 before = group.first + group.lane, left = before < items_ ? items_ - before : 0;
    const auto* const source = Problem::input(arguments_) + begin_ + before;
    // Lanes without a key have the last one of all, in a later place than any. Registers that only some lanes load
    // would be in use all the time if they were not set.
    typename Problem::Stored stored[kItems];
#pragma unroll
    for (u32 step = 0; step < kItems; ++step) stored[step] = Problem::stored_of(~Key{0});
#pragma unroll
    for (u32 step = 0; step < kItems; ++step)
      if (step * group.lanes < left)
        stored[step] = scantune::load_global<kConfig.load_hint>(source + step * group.lanes);
#pragma unroll
    for (u32 step = 0; step < kItems; ++step)
      network.items[step] = Element::of(compared(stored[step]), before + step * group.lanes);
  }

  // All lanes of the warp call this. They have read what they stored before when they write to the area.
  SCANTUNE_DEVICE void store(const Network& network, const Group& group, Area& area) const {
    const u32 lane = Network::lane(), turn = group.first_lane / group.lanes;
#pragma unroll
    for (int item = 0; item < kItems; ++item) area.elements[Area::slot_in_lane(lane, item)] = network.items[item];
    sync_warp();
    // Groups begin at different steps, so that they meet in fewer banks. Some steps at once, so that loads overlap.
    const u32 before = group.first + group.lane, left = before < items_ ? items_ - before : 0;
    const u64 place = begin_ + before;
#pragma unroll
    for (u32 done = 0; done < kItems; done += kAtOnce) {
      typename Element::Type elements[kAtOnce];
      u32 distances[kAtOnce];
#pragma unroll
      for (u32 step = 0; step < kAtOnce; ++step) {
        distances[step] = (done + step + turn) % kItems * group.lanes;
        elements[step] = area.elements[Area::slot(group.first_lane * kItems + group.lane + distances[step])];
      }
      if constexpr (kRequest.writes_keys()) store_keys(elements, distances, left, place);
      if constexpr (kRequest.has_payload()) store_payload(elements, distances, left, place);
    }
  }

 private:
  SCANTUNE_DEVICE Key compared(typename Problem::Stored stored) const {
    const Key key = Problem::key_of(stored);
    if constexpr (!kHasPlace) return key;
    return key >> first_bit_ & (compares_all() ? ~Key{0} : (Key{1} << bits_) - 1);
  }
  SCANTUNE_DEVICE bool compares_all() const { return bits_ == 8 * sizeof(typename Problem::Stored); }

  // Stores what is at less than `left`. place: among all items.
  SCANTUNE_DEVICE void store_keys(const typename Element::Type (&elements)[kAtOnce], const u32 (&distances)[kAtOnce],
                                  u32 left, u64 place) const {
    typename Problem::Stored stored[kAtOnce] = {};
    if (!kHasPlace || compares_all()) {
#pragma unroll
      for (u32 step = 0; step < kAtOnce; ++step) stored[step] = Problem::stored_of(Element::key(elements[step]));
    } else if constexpr (kHasPlace) {
#pragma unroll
      for (u32 step = 0; step < kAtOnce; ++step)
        if (distances[step] < left)
          stored[step] = scantune::load_global<CacheHint::normal>(Problem::input(arguments_) + begin_ +
                                                                  Element::place(elements[step]));
    }
    auto* const output = Problem::output(arguments_) + place;
#pragma unroll
    for (u32 step = 0; step < kAtOnce; ++step)
      if (distances[step] < left) scantune::store_global<kConfig.store_hint>(output + distances[step], stored[step]);
  }
  SCANTUNE_DEVICE void store_payload(const typename Element::Type (&elements)[kAtOnce], const u32 (&distances)[kAtOnce],
                                     u32 left, u64 place) const {
    Value payload[kAtOnce] = {};
#pragma unroll
    for (u32 step = 0; step < kAtOnce; ++step) {
      if constexpr (!kRequest.has_values())
        payload[step] = static_cast<Value>(Element::place(elements[step]));
      else if (distances[step] < left)
        payload[step] = scantune::load_global<CacheHint::normal>(Problem::values(arguments_) + begin_ +
                                                                 Element::place(elements[step]));
    }
    Value* const output = Problem::payload_output(arguments_) + place;
#pragma unroll
    for (u32 step = 0; step < kAtOnce; ++step)
      if (distances[step] < left) scantune::store_global<kConfig.store_hint>(output + distances[step], payload[step]);
  }

  const KernelArguments& arguments_;
  const u64 begin_;
  const u32 items_;
  const u32 first_bit_, bits_;
};

}  // namespace scantune
