// A tile of keys that a CTA puts in order, a few consecutive ones in the registers of each thread. What moves with the
// keys stays in memory meanwhile: threads carry the places of keys, and payloads are stored by these at the end.
#pragma once

#include "core/machine/memory.h"
#include "sort/config/sort_merge.h"
#include "sort/parts/key_order.h"

namespace scantune {

template <class Problem, int kThreads, int kItems>
struct alignas(kVectorAlignmentBytes) MergedTileShared {
  using Key = typename KeyOrder<Problem>::Type;
  using Value = typename Problem::Value;
  static constexpr SortRequest kRequest = Problem::kRequest;
  static constexpr u64 kTile = static_cast<u64>(kThreads) * kItems, kKeyBytes = (kTile + 1) * sizeof(Key),
                       kValueBytes = kRequest.has_payload() ? kTile * sizeof(Value) : 0;

  // Payloads are loaded when the keys have been stored.
  alignas(kVectorAlignmentBytes) unsigned char bytes[kKeyBytes > kValueBytes ? kKeyBytes : kValueBytes];
  alignas(kVectorAlignmentBytes) u16 places[kRequest.has_payload() ? kTile : 1];
};

// Where the merge of two runs in shared memory begins and ends, and how many of its keys come before the thread's.
struct SharedRuns {
  u32 begin, middle, end, diagonal;
};

// kIsFull: every place has a key, so that nothing asks whether it does.
template <class Problem, int kThreads, int kItems, CacheHint kLoadHint, CacheHint kStoreHint, bool kIsFull>
class MergedTile {
  using Keys = KeyOrder<Problem>;
  using Value = typename Problem::Value;
  static constexpr bool kHasPayload = Problem::kRequest.has_payload();

 public:
  using Key = typename Keys::Type;
  using Shared = MergedTileShared<Problem, kThreads, kItems>;
  static constexpr u32 kTile = kThreads * kItems;
  static_assert(sizeof(Shared) == merged_tile_bytes(kTile, Problem::kRequest));

  SCANTUNE_DEVICE MergedTile(Shared& shared, u32 count) : shared_(shared), count_(kIsFull ? kTile : count) {
    const u32 left = count_ - clipped(first());
    mine_ = kIsFull || left > kItems ? kItems : left;
  }

  // Loads the keys, of which source(place) is the address, into shared memory.
  SCANTUNE_DEVICE void load(const auto& source) {
    load_to(keys(), source, [] {});
    sync_block();
  }

  // Sorts the keys of each thread, in its registers.
  SCANTUNE_DEVICE void sort_threads() {
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      keys_[item] = keys()[first() + item];
      if constexpr (kHasPayload) places_[item] = first() + item;
    }
#pragma unroll
    for (int round = 0; round < kItems; ++round) transpose(round & 1);
  }

  // Merges runs of so many threads' keys in pairs.
  SCANTUNE_DEVICE void merge_threads(u32 run_threads) {
    const u32 run = run_threads * kItems, begin = thread_rank() / (2 * run_threads) * (2 * run);
    put();
    sync_block();
    merge<true>({.begin = clipped(begin),
                 .middle = clipped(begin + run),
                 .end = clipped(begin + 2 * run),
                 .diagonal = clipped(first()) - clipped(begin)});
    sync_block();
  }

  // Merges two runs that were loaded one after the other.
  SCANTUNE_DEVICE void merge_loaded(u32 first_run) {
    merge<false>({.begin = 0, .middle = first_run, .end = count_, .diagonal = clipped(first())});
    sync_block();
  }

  // Puts keys and places into shared memory, in order.
  SCANTUNE_DEVICE void put() {
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      keys()[first() + item] = keys_[item];
      if constexpr (kHasPayload) shared_.places[first() + item] = static_cast<u16>(places_[item]);
    }
  }

  // Stores the keys that were put there.
  SCANTUNE_DEVICE void store_keys(Key* output) const {
    for_each_place([&](int, u32 place) { scantune::store_global<kStoreHint>(output + place, keys()[place]); });
  }

  // Stores the input index of each key, of which the tile's first one has the index `first_index`.
  SCANTUNE_DEVICE void store_indices(Value* output, u64 first_index) const {
    for_each_place([&](int, u32 place) {
      scantune::store_global<kStoreHint>(output + place, static_cast<Value>(first_index + shared_.places[place]));
    });
  }

  // Stores the payload of each key. That of the key which was at a place has the address source(place).
  SCANTUNE_DEVICE void store_payload(Value* output, const auto& source) {
    Value* const values = reinterpret_cast<Value*>(shared_.bytes);
    load_to(values, source, [] { sync_block(); });  // the keys have been read
    sync_block();
    for_each_place(
        [&](int, u32 place) { scantune::store_global<kStoreHint>(output + place, values[shared_.places[place]]); });
  }

 private:
  SCANTUNE_DEVICE static u32 first() { return thread_rank() * kItems; }
  SCANTUNE_DEVICE u32 clipped(u32 place) const { return place < count_ ? place : count_; }
  SCANTUNE_DEVICE Key* keys() const { return reinterpret_cast<Key*>(shared_.bytes); }

  // Calls visit(item, place) for the places of the thread's items that have keys, in the order in which a warp's
  // accesses are of neighbours.
  SCANTUNE_DEVICE void for_each_place(const auto& visit) const {
    if constexpr (kIsFull) {
#pragma unroll
      for (int item = 0; item < kItems; ++item) visit(item, static_cast<u32>(item) * kThreads + thread_rank());
    } else {
      int item = 0;
#pragma unroll 1
      for (u32 place = thread_rank(); place < count_; place += kThreads) visit(item++, place);
    }
  }

  // Loads what source(place) is the address of, and after ready() puts it into shared memory. Of full tiles all loads
  // of a thread are made at once.
  template <class Item>
  SCANTUNE_DEVICE void load_to(Item* shared, const auto& source, const auto& ready) const {
    if constexpr (kIsFull) {
      Item loaded[kItems];
      for_each_place([&](int item, u32 place) { loaded[item] = scantune::load_global<kLoadHint>(source(place)); });
      ready();
      for_each_place([&](int item, u32 place) { shared[place] = loaded[item]; });
    } else {
      ready();
      for_each_place([&](int, u32 place) { shared[place] = scantune::load_global<kLoadHint>(source(place)); });
    }
  }

  // Exchanges neighbours from a first item on that are in the wrong order: a round of an odd-even transposition, after
  // which equal keys are in the order in which they were.
  SCANTUNE_DEVICE void transpose(int begin) {
#pragma unroll
    for (int item = begin; item + 1 < kItems; item += 2) {
      if (!kIsFull && static_cast<u32>(item + 1) >= mine_) continue;
      if (!Keys::precedes(keys_[item + 1], keys_[item])) continue;
      const Key key = keys_[item];
      keys_[item] = keys_[item + 1];
      keys_[item + 1] = key;
      if constexpr (kHasPayload) {
        const u32 place = places_[item];
        places_[item] = places_[item + 1];
        places_[item + 1] = place;
      }
    }
  }

  // Takes this thread's keys of a merge. kHasPlaces: their places are in shared memory, and not where they are found.
  template <bool kHasPlaces>
  SCANTUNE_DEVICE void merge(const SharedRuns& runs) {
    const Key* const keys = this->keys();
    const u32 ones = runs.middle - runs.begin, others = runs.end - runs.middle, diagonal = runs.diagonal;
    const u32 split =
        scantune::merge_path<Keys>(keys + runs.begin, keys + runs.middle, diagonal,
                                   diagonal > others ? diagonal - others : 0, diagonal < ones ? diagonal : ones);
    u32 one_place = runs.begin + split, other_place = runs.middle + (diagonal - split);
    Key one = keys[one_place], other = keys[other_place];
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      const bool takes_other = other_place < runs.end && (one_place >= runs.middle || Keys::precedes(other, one));
      const u32 place = takes_other ? other_place : one_place;
      keys_[item] = takes_other ? other : one;
      if constexpr (kHasPayload) places_[item] = kHasPlaces ? shared_.places[place] : place;
      const Key next = keys[place + 1];
      if (takes_other) {
        other = next;
        other_place = place + 1;
      } else {
        one = next;
        // After its last key a thread takes what is there, and goes no further.
        one_place = kIsFull || place < runs.middle ? place + 1 : place;
      }
    }
  }

  Shared& shared_;
  const u32 count_;  // keys of the tile
  u32 mine_;         // of the thread
  Key keys_[kItems];
  u32 places_[kHasPayload ? kItems : 1];
};

}  // namespace scantune
