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
  static constexpr SortRequest kRequest = Problem::kRequest;

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
    // Where there is no key is the last one of all, in a place after those of all others. It also keeps registers from
    // being in use while nothing is in them.
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
    // Groups begin at different steps, so that they meet in fewer banks.
    const u32 before = group.first + group.lane, left = before < items_ ? items_ - before : 0;
    const u64 place = begin_ + before;
#pragma unroll
    for (u32 step = 0; step < kItems; ++step) {
      const u32 distance = (step + turn) % kItems * group.lanes;
      if (distance < left)
        store_at(place + distance, area.elements[Area::slot(group.first_lane * kItems + group.lane + distance)]);
    }
  }

 private:
  SCANTUNE_DEVICE Key compared(typename Problem::Stored stored) const {
    const Key key = Problem::key_of(stored);
    if constexpr (!kHasPlace) return key;
    return key >> first_bit_ & (compares_all() ? ~Key{0} : (Key{1} << bits_) - 1);
  }
  SCANTUNE_DEVICE bool compares_all() const { return bits_ == 8 * sizeof(typename Problem::Stored); }

  // place: among all items.
  SCANTUNE_DEVICE void store_at(u64 place, const typename Element::Type& element) const {
    if constexpr (kRequest.writes_keys()) {
      typename Problem::Stored stored;
      if (!kHasPlace || compares_all())
        stored = Problem::stored_of(Element::key(element));
      else if constexpr (kHasPlace)
        stored =
            scantune::load_global<CacheHint::normal>(Problem::input(arguments_) + begin_ + Element::place(element));
      scantune::store_global<kConfig.store_hint>(Problem::output(arguments_) + place, stored);
    }
    if constexpr (kRequest.has_values())
      scantune::store_global<kConfig.store_hint>(
          Problem::payload_output(arguments_) + place,
          scantune::load_global<CacheHint::normal>(Problem::values(arguments_) + begin_ + Element::place(element)));
    else if constexpr (kRequest.has_payload())
      scantune::store_global<kConfig.store_hint>(Problem::payload_output(arguments_) + place,
                                                 static_cast<typename Problem::Value>(Element::place(element)));
  }

  const KernelArguments& arguments_;
  const u64 begin_;
  const u32 items_;
  const u32 first_bit_, bits_;
};

}  // namespace scantune
