// Stores consecutive items from shared memory to any address in global memory: by one warp, or by kThreads threads with
// ranks `lane`.
#pragma once

#include "core/machine/bytes.h"
#include "core/parts/mapped_items.h"

namespace scantune {

template <CacheHint kHint = CacheHint::normal, u32 kThreads = kWarpThreads, class Items, class Staged>
SCANTUNE_DEVICE void store_itemwise(Items to, Staged from, u32 items, u32 lane) {
  for (u32 item = lane; item < items; item += kThreads) scantune::store_global<kHint>(to + item, from[item]);
}

// Stores aligned words, which are put together from neighbouring words of shared memory.
template <CacheHint kHint = CacheHint::normal, u32 kThreads = kWarpThreads, class Items, class Item>
SCANTUNE_DEVICE void store_by_words(Items to, const Item* from, u32 items, u32 lane) {
  const u32 before_word = static_cast<u32>(-scantune::edge(to) % sizeof(u32) / sizeof(Item));
  const u32 head = before_word < items ? before_word : items;
  scantune::store_itemwise<kHint, kThreads>(to, from, head, lane);

  const u32 offset = head * sizeof(Item), selector = 0x3210 + 0x1111 * offset;
  const u32 words = (items - head) * sizeof(Item) / sizeof(u32);
  const u32* const source = reinterpret_cast<const u32*>(from);
  const auto destination = scantune::vectors_of<u32>(to + head);
  for (u32 word = lane; word < words; word += kThreads)
    scantune::store_global<kHint>(destination + word,
                                  permute_bytes(source[word], offset == 0 ? 0 : source[word + 1], selector));

  const u32 stored = head + words * sizeof(u32) / sizeof(Item);
  scantune::store_itemwise<kHint, kThreads>(to + stored, from + stored, items - stored, lane);
}

template <CacheHint kHint = CacheHint::normal, class Items, class Item>
SCANTUNE_DEVICE void store_by_vectors(Items to, const Item* from, u32 items, u32 lane) {
  constexpr u32 kVectorItems = kVectorAlignmentBytes / sizeof(Item);
  struct alignas(kVectorAlignmentBytes) Vector {
    Item items[kVectorItems];
  };
  const u32 vectors = items / kVectorItems, stored = vectors * kVectorItems;
  for (u32 vector = lane; vector < vectors; vector += kWarpThreads) {
    // The compiler generates longer code for a pointer from vectors_of().
    if constexpr (kIsForward<Items>)
      scantune::store_global<kHint>(reinterpret_cast<Vector*>(to) + vector,
                                    reinterpret_cast<const Vector*>(from)[vector]);
    else
      scantune::store_global<kHint>(scantune::vectors_of<Vector>(to) + vector,
                                    reinterpret_cast<const Vector*>(from)[vector]);
  }
  scantune::store_itemwise<kHint>(to + stored, from + stored, items - stored, lane);
}

// `from` is on a vector boundary.
template <CacheHint kHint = CacheHint::normal, class Items, class Item>
SCANTUNE_DEVICE void store_run(Items to, const Item* from, u32 items, u32 lane) {
  if constexpr (!kAreNeighbours<Items>) {
    scantune::store_itemwise<kHint>(to, from, items, lane);
  } else if (scantune::edge(to) % kVectorAlignmentBytes == 0) {
    scantune::store_by_vectors<kHint>(to, from, items, lane);
  } else if constexpr (sizeof(Item) < sizeof(u32) && alignof(Item) == sizeof(Item)) {
    scantune::store_by_words<kHint>(to, from, items, lane);
  } else {
    scantune::store_itemwise<kHint>(to, from, items, lane);
  }
}

}  // namespace scantune
