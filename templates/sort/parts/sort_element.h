// What a sorting network moves: the number that is compared, by itself or with the key's place in its segment below it.
// A network is not stable. Keys that are equal in all bits may change places unnoticed; places keep others in order.
#pragma once

#include "core/machine/warp.h"
#include "sort/config/sort_segments.h"
#include "sort/parts/sort_problem.h"

namespace scantune {

// A key of 8 bytes and its place.
struct PlacedKey {
  u64 key;
  u32 place;
};
SCANTUNE_DEVICE bool operator<(const PlacedKey& one, const PlacedKey& other) {
  return one.key < other.key || (one.key == other.key && one.place < other.place);
}

// Type: the element. of(): that of a key.
template <class Problem, bool kHasPlace, int kBytes = Problem::kRequest.input_bytes()>
struct SortElement {
  static constexpr int kPlaceBits = 8 * element_bytes(kBytes, true) / 2;
  using Type = typename UnsignedOf<element_bytes(kBytes, true)>::Type;

  SCANTUNE_DEVICE static Type of(typename Problem::Key key, u32 place) { return Type{key} << kPlaceBits | place; }
  SCANTUNE_DEVICE static typename Problem::Key key(Type element) {
    return static_cast<typename Problem::Key>(element >> kPlaceBits);
  }
  SCANTUNE_DEVICE static u32 place(Type element) { return element & ((Type{1} << kPlaceBits) - 1); }
  SCANTUNE_DEVICE static Type of_lane(Type element, u32 lane) { return scantune::shuffle_index(element, lane); }
};
template <class Problem, int kBytes>
struct SortElement<Problem, false, kBytes> {
  using Type = typename Problem::Key;

  SCANTUNE_DEVICE static Type of(Type key, u32) { return key; }
  SCANTUNE_DEVICE static Type key(Type element) { return element; }
  SCANTUNE_DEVICE static Type of_lane(Type element, u32 lane) { return scantune::shuffle_index(element, lane); }
};
template <class Problem>
struct SortElement<Problem, true, 8> {
  using Type = PlacedKey;

  SCANTUNE_DEVICE static Type of(u64 key, u32 place) { return {key, place}; }
  SCANTUNE_DEVICE static u64 key(Type element) { return element.key; }
  SCANTUNE_DEVICE static u32 place(Type element) { return element.place; }
  SCANTUNE_DEVICE static Type of_lane(Type element, u32 lane) {
    return {scantune::shuffle_index(element.key, lane), scantune::shuffle_index(element.place, lane)};
  }
};

}  // namespace scantune
