// Items that a map of the caller's converts to accumulators as they are loaded, or from accumulators as they are
// stored. Kernels see accumulators; only this file knows the items in memory.
#pragma once

#include "core/parts/item_access.h"

namespace scantune {

// A pointer in place of items that are not in memory.
struct NoItems {
  SCANTUNE_DEVICE NoItems operator+(u64) const { return {}; }
  SCANTUNE_DEVICE NoItems operator-(u64) const { return {}; }
  SCANTUNE_DEVICE bool operator==(NoItems) const { return true; }
};

// A map has a type Item, that of the items in memory, or void if no items are in memory. A load has
//     Value load(Item item, u64 index, const unsigned char* state), without the item if Item is void
// and a store
//     Item store(Value value, u64 index, const unsigned char* state), or one that returns nothing
// Memory: what the items in memory are to unmapped kernels. Indices fall where kBackwards.
template <class Item, class Map, class Memory, bool kBackwards>
struct MappedItems {
  Memory memory;
  u64 index;
  const unsigned char* state;

  SCANTUNE_DEVICE MappedItems operator+(u64 distance) const {
    return {memory + distance, kBackwards ? index - distance : index + distance, state};
  }
  SCANTUNE_DEVICE MappedItems operator-(u64 distance) const { return *this + (u64{0} - distance); }
  SCANTUNE_DEVICE bool operator==(const MappedItems& other) const { return memory == other.memory; }
};

template <class Items>
inline constexpr bool kIsMapped = false;
template <class Item, class Map, class Memory, bool kBackwards>
inline constexpr bool kIsMapped<MappedItems<Item, Map, Memory, kBackwards>> = true;

template <class Item, class Map, class Memory, bool kBackwards>
struct ItemOf<MappedItems<Item, Map, Memory, kBackwards>> {
  using Type = Item;
};

// The items in memory, and whether there are any.
template <class Items>
SCANTUNE_DEVICE Items memory_of(Items items) {
  return items;
}
template <class Item, class Map, class Memory, bool kBackwards>
SCANTUNE_DEVICE Memory memory_of(MappedItems<Item, Map, Memory, kBackwards> items) {
  return items.memory;
}
template <class Items>
inline constexpr bool kLieInMemory = true;
template <class Item, class Map, bool kBackwards>
inline constexpr bool kLieInMemory<MappedItems<Item, Map, NoItems, kBackwards>> = false;

template <class Items>
struct SelectApart;
template <class Item>
struct SelectApart<Item*> {
  using Type = Strided<Item>;
};
template <class Item, class Map, class Memory, bool kBackwards>
struct SelectApart<MappedItems<Item, Map, Memory, kBackwards>> {
  using Type = MappedItems<Item, Map, typename SelectApart<Memory>::Type, kBackwards>;
};
template <>
struct SelectApart<NoItems> {
  using Type = NoItems;
};
// Items a stride apart; Items is for contiguous ones.
template <class Items>
using Apart = typename SelectApart<Items>::Type;

template <class Item>
SCANTUNE_DEVICE Strided<Item> apart(Item* items, i64 stride) {
  return {items, stride};
}
SCANTUNE_DEVICE NoItems apart(NoItems, i64) { return {}; }
template <class Item, class Map, class Memory, bool kBackwards>
SCANTUNE_DEVICE auto apart(MappedItems<Item, Map, Memory, kBackwards> items, i64 stride) {
  return Apart<decltype(items)>{scantune::apart(items.memory, stride), items.index, items.state};
}

template <class Item, class Map, class Memory, bool kBackwards>
inline constexpr bool kAreNeighbours<MappedItems<Item, Map, Memory, kBackwards>> = kAreNeighbours<Memory>;

template <class Item, class Map, class InMemory, bool kBackwards>
SCANTUNE_DEVICE void in_order(MappedItems<Item, Map, Strided<InMemory>, kBackwards> items, const auto& use) {
  scantune::in_order(items.memory, [&](auto memory) {
    use(MappedItems<Item, Map, decltype(memory), kBackwards>{memory, items.index, items.state});
  });
}

template <class Memory>
struct MemoryItem {
  using Type = typename ItemOf<Memory>::Type;
  static constexpr bool kFillsVectors = sizeof(Type) == alignof(Type) && kVectorAlignmentBytes % sizeof(Type) == 0;
};
template <>
struct MemoryItem<NoItems> {
  static constexpr bool kFillsVectors = false;
};

// Where vectors begin, as if the items in memory were accumulators: an item on a vector boundary in memory is on one
// here, of a vector of as many items.
template <class Item, class Map, class Memory, bool kBackwards>
SCANTUNE_DEVICE u64 edge(MappedItems<Item, Map, Memory, kBackwards> items) {
  if constexpr (!MemoryItem<Memory>::kFillsVectors) {
    return 0;  // no vectors are made of them
  } else {
    constexpr i64 kBytes = sizeof(typename MemoryItem<Memory>::Type);
    return static_cast<u64>(static_cast<i64>(scantune::edge(items.memory)) / kBytes) * sizeof(Item);
  }
}

// Vectors of accumulators, for as many items in memory.
template <class Vector, class Items>
struct MappedVectors {
  Items items;

  SCANTUNE_DEVICE MappedVectors operator+(u32 index) const {
    return {items + static_cast<u64>(index) * (sizeof(Vector) / sizeof(typename ItemOf<Items>::Type))};
  }
};
template <class Vector, class Item, class Map, class Memory, bool kBackwards>
SCANTUNE_DEVICE auto vectors_of(MappedItems<Item, Map, Memory, kBackwards> items) {
  return MappedVectors<Vector, decltype(items)>{items};
}

// The items in memory for a vector of accumulators. If the vector is on a boundary of kAligned accumulators, so are the
// items.
template <class Memory, int kItems, u64 kAligned>
struct MemoryVector {
  using Item = typename MemoryItem<Memory>::Type;
  static constexpr u64 kBytes = MemoryItem<Memory>::kFillsVectors && kAligned > 0 ? kAligned * sizeof(Item)
                                                                                  : alignof(Item);
  static constexpr u64 kAlignment = kBytes < kVectorAlignmentBytes ? kBytes : u64{kVectorAlignmentBytes};
  struct alignas(kAlignment) Type {
    Item items[kItems];
  };
};
template <class Vector, class Item, class Memory>
using MemoryVectorOf =
    typename MemoryVector<Memory, sizeof(Vector) / sizeof(Item), alignof(Vector) / sizeof(Item)>::Type;

template <CacheHint kHint, class Item, class Map, class Memory, bool kBackwards>
SCANTUNE_DEVICE Item load_global(MappedItems<Item, Map, Memory, kBackwards> from) {
  if constexpr (kLieInMemory<decltype(from)>)
    return Map::load(scantune::load_global<kHint>(from.memory), from.index, from.state);
  else
    return Map::load(from.index, from.state);
}

template <CacheHint kHint, class Item, class Map, class Memory, bool kBackwards>
SCANTUNE_DEVICE void store_global(MappedItems<Item, Map, Memory, kBackwards> to, Item value) {
  if constexpr (kLieInMemory<decltype(to)>)
    scantune::store_global<kHint>(to.memory, Map::store(value, to.index, to.state));
  else
    Map::store(value, to.index, to.state);
}

template <CacheHint kHint, class Vector, class Item, class Map, class Memory, bool kBackwards>
SCANTUNE_DEVICE Vector load_global(MappedVectors<const Vector, MappedItems<Item, Map, Memory, kBackwards>> from) {
  constexpr u32 kItems = sizeof(Vector) / sizeof(Item);
  Item items[kItems];
  if constexpr (kLieInMemory<decltype(from.items)>) {
    using Held = MemoryVectorOf<Vector, Item, Memory>;
    const Held held = scantune::load_global<kHint>(scantune::vectors_of<const Held>(from.items.memory));
#pragma unroll
    for (u32 item = 0; item < kItems; ++item)
      items[item] = Map::load(held.items[item], (from.items + item).index, from.items.state);
  } else {
#pragma unroll
    for (u32 item = 0; item < kItems; ++item) items[item] = scantune::load_global<kHint>(from.items + item);
  }
  Vector vector;
  scantune::copy_bytes(__builtin_addressof(vector), items, sizeof items);
  return vector;
}

template <CacheHint kHint, class Vector, class Item, class Map, class Memory, bool kBackwards>
SCANTUNE_DEVICE void store_global(MappedVectors<Vector, MappedItems<Item, Map, Memory, kBackwards>> to, Vector vector) {
  constexpr u32 kItems = sizeof(Vector) / sizeof(Item);
  Item items[kItems];
  scantune::copy_bytes(items, __builtin_addressof(vector), sizeof items);
  if constexpr (kLieInMemory<decltype(to.items)>) {
    using Held = MemoryVectorOf<Vector, Item, Memory>;
    Held held;
#pragma unroll
    for (u32 item = 0; item < kItems; ++item)
      held.items[item] = Map::store(items[item], (to.items + item).index, to.items.state);
    scantune::store_global<kHint>(scantune::vectors_of<Held>(to.items.memory), held);
  } else {
#pragma unroll
    for (u32 item = 0; item < kItems; ++item) scantune::store_global<kHint>(to.items + item, items[item]);
  }
}

// The maps of a problem without any. A problem with maps has a struct of its own with these names.
struct NoMaps {
  using Load = void;
  using Store = void;
};

template <class MemoryItem, Direction direction>
struct SelectMemory {
  using Type = Items<MemoryItem, direction>;
};
template <Direction direction>
struct SelectMemory<void, direction> {
  using Type = NoItems;
};
template <Direction direction>
struct SelectMemory<const void, direction> {
  using Type = NoItems;
};

template <class Map, class Item, Direction direction>
struct SelectMappedInput {
  using Type = MappedItems<Item, Map, typename SelectMemory<const typename Map::Item, direction>::Type,
                           direction == Direction::reverse>;
};
template <class Item, Direction direction>
struct SelectMappedInput<void, Item, direction> {
  using Type = Items<const Item, direction>;
};
template <class Map, class Item, Direction direction>
struct SelectMappedOutput {
  using Type = MappedItems<Item, Map, typename SelectMemory<typename Map::Item, direction>::Type,
                           direction == Direction::reverse>;
};
template <class Item, Direction direction>
struct SelectMappedOutput<void, Item, direction> {
  using Type = Items<Item, direction>;
};
// What stands for the input's and for the output's consecutive items, where Map is void or maps them.
template <class Map, class Item, Direction direction = Direction::forward>
using InputItemsOf = typename SelectMappedInput<Map, Item, direction>::Type;
template <class Map, class Item, Direction direction = Direction::forward>
using OutputItemsOf = typename SelectMappedOutput<Map, Item, direction>::Type;

// The first, in the order of direction, of the items in an array that begins at `begin`. n is not copied, since the
// compiler makes other code of a copy of the kernel's argument.
template <class All, Direction direction, class Pointer>
SCANTUNE_DEVICE All first_of(Pointer begin, const KernelArguments& arguments) {
  if constexpr (direction == Direction::reverse)
    return {begin + arguments.n - 1};
  else
    return begin;
}
template <class All, Direction direction, class Pointer>
SCANTUNE_DEVICE All first_mapped(Pointer begin, const KernelArguments& arguments, const unsigned char* state) {
  const u64 index = direction == Direction::reverse ? arguments.n - 1 : 0;
  if constexpr (kLieInMemory<All>)
    return {scantune::first_of<decltype(All::memory), direction>(begin, arguments), index, state};
  else
    return {{}, index, state};
}

// The address of a map's state.
template <class Map>
SCANTUNE_DEVICE const unsigned char* load_state(const KernelArguments& arguments) {
  return Map::kHasState ? arguments.states.load : nullptr;
}
template <class Map>
SCANTUNE_DEVICE const unsigned char* store_state(const KernelArguments& arguments) {
  return Map::kHasState ? arguments.states.store : nullptr;
}

}  // namespace scantune
