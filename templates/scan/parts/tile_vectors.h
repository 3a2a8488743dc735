// The vectors in which one thread loads and stores its items of a tile, and its accesses to a partial tile.
//
// position(item) is the place in the tile of each of this thread's items. Rows::kFiller has the bytes of items to use
// where items do not exist.
#pragma once

#include "core/machine/memory.h"
#include "core/parts/item_access.h"
#include "core/parts/run_scan.h"
#include "scan/parts/started_items.h"

namespace scantune {

template <class Item>
struct ItemwiseAccess {
  template <CacheHint kHint, class Rows, class Vectors, class Items>
  SCANTUNE_DEVICE static void load(Vectors& vectors, Items tile, u32 tile_items, const auto& position) {
    constexpr int kItems = sizeof vectors / sizeof(Item);
    Item items[kItems];
    if constexpr (Rows::kPadsPartialTiles) {
#pragma unroll
      for (int item = 0; item < kItems; ++item)
        scantune::copy_bytes(__builtin_addressof(items[item]), &Rows::kFiller, sizeof(Item));
    }
#pragma unroll
    for (int item = 0; item < kItems; ++item)
      if (const u32 place = position(item); place < tile_items)
        items[item] = scantune::load_global<kHint>(tile + place);
    scantune::copy_bytes(__builtin_addressof(vectors), items, sizeof items);
  }

  template <CacheHint kHint, class Vectors, class Items>
  SCANTUNE_DEVICE static void store(const Vectors& vectors, Items tile, u32 tile_items, const auto& position) {
    constexpr int kItems = sizeof vectors / sizeof(Item);
    Item items[kItems];
    scantune::copy_bytes(items, __builtin_addressof(vectors), sizeof items);
#pragma unroll
    for (int item = 0; item < kItems; ++item)
      if (const u32 place = position(item); place < tile_items)
        scantune::store_global<kHint>(tile + place, items[item]);
  }
};

// Accesses whole vectors where all of their items exist, and pads where none do. This takes more registers than access
// item by item.
template <class Item>
struct VectorwiseAccess {
  template <CacheHint kHint, class Rows, class Vector, int kVectors, class Items>
  SCANTUNE_DEVICE static void load(Vector (&vectors)[kVectors], Items tile, u32 tile_items, const auto& position) {
    constexpr u32 kItems = sizeof(Vector) / sizeof(Item);
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const u32 first = position(v * kItems);
      if (first + kItems <= tile_items) {
        vectors[v] = scantune::load_global<kHint>(scantune::vectors_of<const Vector>(tile + first));
        continue;
      }
      Item items[kItems];
#pragma unroll
      for (u32 item = 0; item < kItems; ++item) {
        scantune::copy_bytes(__builtin_addressof(items[item]), &Rows::kFiller, sizeof(Item));
        if (first + item < tile_items) items[item] = scantune::load_global<kHint>(tile + first + item);
      }
      scantune::copy_bytes(__builtin_addressof(vectors[v]), items, sizeof items);
    }
  }

  template <CacheHint kHint, class Vector, int kVectors, class Items>
  SCANTUNE_DEVICE static void store(const Vector (&vectors)[kVectors], Items tile, u32 tile_items,
                                    const auto& position) {
    constexpr u32 kItems = sizeof(Vector) / sizeof(Item);
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const u32 first = position(v * kItems);
      if (first + kItems <= tile_items) {
        scantune::store_global<kHint>(scantune::vectors_of<Vector>(tile + first), vectors[v]);
        continue;
      }
      Item items[kItems];
      scantune::copy_bytes(items, __builtin_addressof(vectors[v]), sizeof items);
#pragma unroll
      for (u32 item = 0; item < kItems; ++item)
        if (first + item < tile_items) scantune::store_global<kHint>(tile + first + item, items[item]);
    }
  }
};

// Accesses items side by side as aligned words; the end of the input cuts one word at most, whose first items exist.
template <class Item>
struct WordwiseAccess {
  static constexpr u32 kWordItems = sizeof(u32) / sizeof(Item);

  template <CacheHint kHint, class Rows, class Vectors, class Items>
  SCANTUNE_DEVICE static void load(Vectors& vectors, Items tile, u32 tile_items, const auto& position) {
    constexpr int kWords = sizeof vectors / sizeof(u32);
    constexpr u32 kFiller = static_cast<u32>(Rows::kFiller);
    const u32 cut = tile_items % kWordItems;
    const u32 cut_word = load_cut<kHint>(tile + tile_items - cut, cut, kFiller);
    u32 words[kWords];
#pragma unroll
    for (int word = 0; word < kWords; ++word) {
      const u32 place = position(word * kWordItems);
      words[word] = place < tile_items ? cut_word : kFiller;
      if (place + kWordItems <= tile_items)
        words[word] = scantune::load_global<kHint>(scantune::vectors_of<const u32>(tile + place));
    }
    scantune::copy_bytes(__builtin_addressof(vectors), words, sizeof words);
  }

  template <CacheHint kHint, class Vectors, class Items>
  SCANTUNE_DEVICE static void store(const Vectors& vectors, Items tile, u32 tile_items, const auto& position) {
    constexpr int kWords = sizeof vectors / sizeof(u32);
    u32 words[kWords], cut = 0, cut_word = 0;
    scantune::copy_bytes(words, __builtin_addressof(vectors), sizeof words);
#pragma unroll
    for (int word = 0; word < kWords; ++word) {
      const u32 place = position(word * kWordItems);
      if (place + kWordItems <= tile_items) {
        scantune::store_global<kHint>(scantune::vectors_of<u32>(tile + place), words[word]);
      } else if (place < tile_items) {
        cut = tile_items - place;
        cut_word = words[word];
      }
    }
    store_cut<kHint>(tile + tile_items - cut, cut_word, cut);
  }

 private:
  template <CacheHint kHint, class Items>
  SCANTUNE_DEVICE static u32 load_cut(Items from, u32 count, u32 filler) {
    Item items[kWordItems];
    scantune::copy_bytes(items, &filler, sizeof items);
#pragma unroll
    for (u32 item = 0; item + 1 < kWordItems; ++item)
      if (item < count) items[item] = scantune::load_global<kHint>(from + item);
    u32 word;
    scantune::copy_bytes(&word, items, sizeof word);
    return word;
  }

  template <CacheHint kHint, class Items>
  SCANTUNE_DEVICE static void store_cut(Items to, u32 word, u32 count) {
    Item items[kWordItems];
    scantune::copy_bytes(items, &word, sizeof items);
#pragma unroll
    for (u32 item = 0; item + 1 < kWordItems; ++item)
      if (item < count) scantune::store_global<kHint>(to + item, items[item]);
  }
};

template <class Item, bool kPads>
struct SelectAccess {
  using Type = ItemwiseAccess<Item>;
};
template <class Item>
struct SelectAccess<Item, true> {
  using Type = VectorwiseAccess<Item>;
};

// What one load or store moves. Small items are held as words, since the compiler would copy a struct of them one by
// one.
template <class Item, int kItems, bool kPads,
          bool kByWords = sizeof(Item) < sizeof(u32) && kItems * sizeof(Item) % sizeof(u32) == 0>
struct VectorOf {
  using PartialTile = typename SelectAccess<Item, kPads>::Type;
  Item items[kItems];
};
template <class Item, int kItems, bool kPads>
struct VectorOf<Item, kItems, kPads, true> : Words<Item, kItems> {
  using PartialTile = WordwiseAccess<Item>;
};

}  // namespace scantune
