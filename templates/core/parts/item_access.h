// Consecutive items in memory, in a kernel's order: forward from the first one, or backward from the last.
#pragma once

#include "core/contract/direction.h"
#include "core/machine/bytes.h"
#include "core/machine/memory.h"

namespace scantune {

// Items whose order is that of falling addresses. `item` points to the first of them.
template <class Item>
struct Backwards {
  Item* item;

  SCANTUNE_DEVICE Backwards operator+(u64 distance) const { return {item - distance}; }
  SCANTUNE_DEVICE Backwards operator-(u64 distance) const { return {item + distance}; }
  SCANTUNE_DEVICE Item& operator[](u64 distance) const { return item[-static_cast<i64>(distance)]; }
};

// Strided items, which are loaded as vectors where in_order() finds that they are neighbours.
template <class Item>
struct Strided {
  Item* item;
  i64 stride;

  SCANTUNE_DEVICE Strided operator+(u64 distance) const { return {item + static_cast<i64>(distance) * stride, stride}; }
  SCANTUNE_DEVICE Strided operator-(u64 distance) const { return {item - static_cast<i64>(distance) * stride, stride}; }
};

template <class Item, Direction direction>
struct SelectItems {
  using Type = Item*;
};
template <class Item>
struct SelectItems<Item, Direction::reverse> {
  using Type = Backwards<Item>;
};
// A pointer to consecutive items, or a view that goes backwards.
template <class Item, Direction direction>
using Items = typename SelectItems<Item, direction>::Type;

template <class Items>
inline constexpr bool kIsForward = false;
template <class Item>
inline constexpr bool kIsForward<Item*> = true;

template <class Items>
struct ItemOf;
template <class Item>
struct ItemOf<Item*> {
  using Type = Item;
};
template <class Item>
struct ItemOf<const Item*> {
  using Type = Item;
};
template <class Item>
struct ItemOf<Backwards<Item>> : ItemOf<Item*> {};
template <class Item>
struct ItemOf<Strided<Item>> : ItemOf<Item*> {};

// Vectors of items begin where this is a multiple of their size, in whatever order the items go.
template <class Item>
SCANTUNE_DEVICE u64 edge(Item* items) {
  return reinterpret_cast<u64>(items);
}
template <class Item>
SCANTUNE_DEVICE u64 edge(Backwards<Item> items) {
  return -reinterpret_cast<u64>(items.item + 1);
}

template <class Item>
SCANTUNE_DEVICE u64 edge(Strided<Item> items) {
  if (items.stride == 1) return scantune::edge(items.item);
  if (items.stride == -1) return scantune::edge(Backwards<Item>{items.item});
  return 0;  // wherever they begin, no items before them would make the others vectors
}

// Whether items are neighbours in memory, as the type alone tells.
template <class Items>
inline constexpr bool kAreNeighbours = true;
template <class Item>
inline constexpr bool kAreNeighbours<Strided<Item>> = false;

// Calls `use` with the items: with a pointer, or backwards, where strides make them neighbours.
template <class Items>
SCANTUNE_DEVICE void in_order(Items items, const auto& use) {
  use(items);
}
template <class Item>
SCANTUNE_DEVICE void in_order(Strided<Item> items, const auto& use) {
  if (items.stride == 1)
    use(items.item);
  else if (items.stride == -1)
    use(Backwards<Item>{items.item});
  else
    use(items);
}

// Where in memory the first `count` of the items begin.
template <class Item>
SCANTUNE_DEVICE Item* lowest(Item* items, u64) {
  return items;
}
template <class Item>
SCANTUNE_DEVICE Item* lowest(Backwards<Item> items, u64 count) {
  return items.item + 1 - count;
}

// The vector with its items in the other order.
template <class Item, class Vector>
SCANTUNE_DEVICE Vector reversed(const Vector& vector) {
  constexpr int kItems = sizeof(Vector) / sizeof(Item);
  Vector result;
  if constexpr ((sizeof(Item) == 1 || sizeof(Item) == 2) && sizeof(Vector) % sizeof(u32) == 0) {
    constexpr int kWords = sizeof(Vector) / sizeof(u32);
    u32 words[kWords], turned[kWords];
    scantune::copy_bytes(words, __builtin_addressof(vector), sizeof words);
#pragma unroll
    for (int word = 0; word < kWords; ++word)
      turned[word] = permute_bytes(words[kWords - 1 - word], 0, sizeof(Item) == 1 ? 0x0123 : 0x1032);
    scantune::copy_bytes(__builtin_addressof(result), turned, sizeof turned);
  } else {
    Item items[kItems], turned[kItems];
    scantune::copy_bytes(items, __builtin_addressof(vector), sizeof items);
#pragma unroll
    for (int item = 0; item < kItems; ++item) turned[item] = items[kItems - 1 - item];
    scantune::copy_bytes(__builtin_addressof(result), turned, sizeof turned);
  }
  return result;
}

template <CacheHint kHint, class Item>
SCANTUNE_DEVICE Item load_global(Backwards<const Item> from) {
  return scantune::load_global<kHint>(from.item);
}
template <CacheHint kHint, class Item>
SCANTUNE_DEVICE void store_global(Backwards<Item> to, Item value) {
  scantune::store_global<kHint>(to.item, value);
}

template <CacheHint kHint, class Item>
SCANTUNE_DEVICE Item load_global(Strided<const Item> from) {
  return scantune::load_global<kHint>(from.item);
}
template <CacheHint kHint, class Item>
SCANTUNE_DEVICE void store_global(Strided<Item> to, Item value) {
  scantune::store_global<kHint>(to.item, value);
}

// Vectors of items, from the one on that the first items are in. Loads give them, and stores take them, in the order of
// the items.
template <class Vector, class Item>
struct BackwardsVectors {
  Vector* end;  // of the first

  SCANTUNE_DEVICE BackwardsVectors operator+(u32 index) const { return {end - index}; }
};
template <class Vector, class Item>
struct StridedVectors {
  Strided<Item> items;

  SCANTUNE_DEVICE StridedVectors operator+(u32 index) const {
    return {items + static_cast<u64>(index) * (sizeof(Vector) / sizeof(Item))};
  }
};

template <class Vector, class Item>
SCANTUNE_DEVICE Vector* vectors_of(Item* items) {
  return reinterpret_cast<Vector*>(items);
}
template <class Vector, class Item>
SCANTUNE_DEVICE BackwardsVectors<Vector, Item> vectors_of(Backwards<Item> items) {
  return {reinterpret_cast<Vector*>(items.item + 1)};
}
template <class Vector, class Item>
SCANTUNE_DEVICE StridedVectors<Vector, Item> vectors_of(Strided<Item> items) {
  return {items};
}

template <CacheHint kHint, class Vector, class Item>
SCANTUNE_DEVICE Vector load_global(BackwardsVectors<const Vector, const Item> from) {
  return scantune::reversed<Item>(scantune::load_global<kHint>(from.end - 1));
}
template <CacheHint kHint, class Vector, class Item>
SCANTUNE_DEVICE void store_global(BackwardsVectors<Vector, Item> to, Vector vector) {
  scantune::store_global<kHint>(to.end - 1, scantune::reversed<Item>(vector));
}
template <CacheHint kHint, class Vector, class Item>
SCANTUNE_DEVICE Vector load_global(StridedVectors<const Vector, const Item> from) {
  constexpr u32 kItems = sizeof(Vector) / sizeof(Item);
  Item items[kItems];
#pragma unroll
  for (u32 item = 0; item < kItems; ++item) items[item] = scantune::load_global<kHint>(from.items + item);
  Vector vector;
  scantune::copy_bytes(__builtin_addressof(vector), items, sizeof vector);
  return vector;
}
template <CacheHint kHint, class Vector, class Item>
SCANTUNE_DEVICE void store_global(StridedVectors<Vector, Item> to, Vector vector) {
  constexpr u32 kItems = sizeof(Vector) / sizeof(Item);
  Item items[kItems];
  scantune::copy_bytes(items, __builtin_addressof(vector), sizeof items);
#pragma unroll
  for (u32 item = 0; item < kItems; ++item) scantune::store_global<kHint>(to.items + item, items[item]);
}

}  // namespace scantune
