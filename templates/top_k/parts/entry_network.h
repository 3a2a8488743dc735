// Entries, a key and its index each, put in order in shared memory by a bitonic network.
#pragma once

#include "core/machine/counters.h"
#include "core/machine/warp.h"
#include "top_k/config/top_k.h"

namespace scantune {

template <class Key, class Index>
struct Entries {
  Key* keys;
  Index* indices;

  SCANTUNE_DEVICE void put(u32 place, Key key, Index index) const {
    keys[place] = key;
    indices[place] = index;
  }

  // Puts what comes after all entries in the places [begin, end).
  SCANTUNE_DEVICE void pad(u32 begin, u32 end, u32 threads) const {
    for (u32 place = begin + thread_rank(); place < end; place += threads)
      put(place, static_cast<Key>(~Key{0}), static_cast<Index>(~Index{0}));
  }

  template <ResultOrder kOrder>
  SCANTUNE_DEVICE bool comes_first(u32 one, u32 other) const {
    if (kOrder == ResultOrder::by_key && keys[one] != keys[other]) return keys[one] < keys[other];
    return indices[one] < indices[other];
  }

  SCANTUNE_DEVICE void swap(u32 one, u32 other) const {
    const Key key = keys[one];
    const Index index = indices[one];
    put(one, keys[other], indices[other]);
    put(other, key, index);
  }
};

// Puts the first `count` entries in order, a power of two from 64 on. The CTA has met before and meets after it.
template <ResultOrder kOrder, int kThreads, class Key, class Index>
SCANTUNE_DEVICE void order_entries(const Entries<Key, Index>& entries, u32 count) {
  for (u32 size = 2; size <= count; size *= 2)
    for (u32 distance = size / 2; distance > 0; distance /= 2) {
      for (u32 pair = thread_rank(); pair < count / 2; pair += kThreads) {
        const u32 low = 2 * pair - (pair & (distance - 1)), high = low + distance;
        const bool ascends = (low & size) == 0;
        if (ascends ? entries.template comes_first<kOrder>(high, low) : entries.template comes_first<kOrder>(low, high))
          entries.swap(low, high);
      }
      // The pairs of a warp are of 64 neighbouring entries, unless their entries are further apart.
      const u32 next = distance > 1 ? distance / 2 : size;
      if (distance > kWarpThreads || next > kWarpThreads)
        sync_block();
      else
        sync_warp();
    }
  sync_block();
}

// Puts those in order that come first by their keys, of so many entries that the CTA's threads have just put there.
template <ResultOrder kOrder, int kThreads, class Key, class Index>
SCANTUNE_DEVICE void take_first(const Entries<Key, Index>& entries, u32 taken, u32 listed) {
  sync_block();
  if (kOrder == ResultOrder::by_key || listed > taken) {
    const u32 padded = static_cast<u32>(network_entries(listed));
    entries.pad(listed, padded, kThreads);
    sync_block();
    scantune::order_entries<ResultOrder::by_key, kThreads>(entries, padded);
  }
  if constexpr (kOrder == ResultOrder::by_index) {
    const u32 padded = static_cast<u32>(network_entries(taken));
    entries.pad(taken, padded, kThreads);
    sync_block();
    scantune::order_entries<ResultOrder::by_index, kThreads>(entries, padded);
  }
}

}  // namespace scantune
