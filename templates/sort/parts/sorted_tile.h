// A tile of keys and their payload, sorted digit after digit through shared memory.
#pragma once

#include "sort/parts/digit_ranks.h"
#include "sort/parts/sort_payload.h"

namespace scantune {

// The keys of the input from item `first` on, and where they go.
template <class Problem, SortShape kShape>
struct SortedItems {
  using Key = typename Problem::Key;
  using Payload = SortPayload<Problem>;

  SCANTUNE_DEVICE Key key(u32 place) const {
    return Problem::key_of(scantune::load_global<kShape.load_hint>(Problem::input(arguments) + first + place));
  }
  SCANTUNE_DEVICE u32 payload(u32 place) const {
    return Payload::template load<kShape.load_hint>(arguments, first, place);
  }
  SCANTUNE_DEVICE void store(u32 place, const Key* sorted_keys, const u32* sorted_payload) const {
    if constexpr (Problem::kRequest.writes_keys())
      scantune::store_global<kShape.store_hint>(Problem::output(arguments) + first + place,
                                                Problem::stored_of(sorted_keys[place]));
    if constexpr (Payload::kExists)
      Payload::template store<kShape.store_hint>(arguments, first, place, sorted_payload[place]);
  }

  const KernelArguments& arguments;
  const u64 first;
};

template <SortShape kShape>
using RanksOf = DigitRanks<kShape.threads, kShape.items_per_thread, kShape.digit_bits, kShape.matching>;

template <class Problem, SortShape kShape>
struct alignas(kVectorAlignmentBytes) SharedTile {
  typename Problem::Key keys[kShape.items()];
  u32 payload[Problem::kRequest.has_payload() ? kShape.items() : 1];
  typename RanksOf<kShape>::Shared ranks;
};

// The keys are in the registers of the threads that sort them. Places without a key come after all keys and stay there.
// Items: what has the key and the payload of each place, and stores those that are there in order.
template <class Problem, SortShape kShape, class Items = SortedItems<Problem, kShape>>
class SortedTile {
  using Key = typename Problem::Key;
  using Ranks = RanksOf<kShape>;
  static constexpr int kItems = kShape.items_per_thread;
  static constexpr bool kHasPayload = Problem::kRequest.has_payload();

 public:
  using Digit = typename Ranks::Digit;
  static constexpr u32 kDigits = Ranks::kDigits, kDigitsPerThread = Ranks::kDigitsPerThread;

  using Shared = SharedTile<Problem, kShape>;
  static_assert(sizeof(Shared) == sorted_tile_bytes(kShape, Problem::kRequest));

  SCANTUNE_DEVICE SortedTile(Shared& shared, const Items& items, u32 count)
      : shared_(shared), ranks_(shared.ranks), items_(items), count_(count) {}

  SCANTUNE_DEVICE void load() {
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      const u32 place = ranks_.place(step);
      if (place >= count_) continue;
      keys_[step] = items_.key(place);
      if constexpr (kHasPayload) payload_[step] = items_.payload(place);
    }
  }

  // Sorts by the digit, and leaves the result in shared memory. mine: the counts of this thread's digits, of which the
  // last one has the missing keys as well.
  SCANTUNE_DEVICE void sort_by_digit(DigitPlace digit, Digit (&mine)[kDigitsPerThread]) {
    u32 digits[kItems];
    TilePlaces<kItems> places;
#pragma unroll
    for (int step = 0; step < kItems; ++step)
      digits[step] = ranks_.place(step) < count_ ? digit.of(keys_[step]) : kDigits - 1;
    ranks_.count(digits, places);
    ranks_.add_up(mine);
    ranks_.place_in_tile(mine, digits, places);
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      shared_.keys[places[step]] = keys_[step];
      if constexpr (kHasPayload) shared_.payload[places[step]] = payload_[step];
    }
    Ranks::sync();
  }

  // Takes the keys out of shared memory for the next digit. The barriers before they are put there again come later.
  SCANTUNE_DEVICE void take() {
#pragma unroll
    for (int step = 0; step < kItems; ++step) {
      keys_[step] = shared_.keys[ranks_.place(step)];
      if constexpr (kHasPayload) payload_[step] = shared_.payload[ranks_.place(step)];
    }
  }

  SCANTUNE_DEVICE void store() const {
#pragma unroll
    for (int step = 0; step < kItems; ++step)
      if (const u32 place = ranks_.place(step); place < count_) items_.store(place, shared_.keys, shared_.payload);
  }

 private:
  Shared& shared_;
  const Ranks ranks_;
  const Items items_;
  const u32 count_;  // keys
  Key keys_[kItems];
  u32 payload_[kHasPayload ? kItems : 1];
};

// Sorts a tile by these bits.
template <class Problem, SortShape kShape>
SCANTUNE_DEVICE void sort_in_tile(SortedTile<Problem, kShape>& tile, u32 first_bit, u32 last_bit) {
  tile.load();

  // Sort it by each digit, the lowest first.
#pragma unroll 1
  for (u32 bit = first_bit;;) {
    typename SortedTile<Problem, kShape>::Digit mine[SortedTile<Problem, kShape>::kDigitsPerThread];
    tile.sort_by_digit(DigitPlace(bit, last_bit, kShape.digit_bits), mine);
    bit += kShape.digit_bits;
    if (bit >= last_bit) break;
    tile.take();
  }
  tile.store();
}

}  // namespace scantune
