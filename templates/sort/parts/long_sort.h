// A segment that is longer than a tile, sorted digit after digit through global memory by all threads of a CTA.
#pragma once

#include "core/machine/matching.h"
#include "core/parts/offset_segments.h"
#include "sort/config/sort_segments.h"
#include "sort/parts/digit_starts.h"
#include "sort/parts/sorted_tile.h"

namespace scantune {

// Every move takes keys and payload from one copy to another, and the last one to the output. Where the segment
// overlaps others, these may change what it reads at any time, so no place is taken to be within it without a check.
template <class Problem, SortShape kShape>
class LongSort {
  using Stored = typename Problem::Stored;
  using Key = typename Problem::Key;
  using Value = typename Problem::Value;
  struct Moved;
  using Tile = SortedTile<Problem, kShape, Moved>;
  static constexpr SortRequest kRequest = Problem::kRequest;
  static constexpr u32 kThreads = kShape.threads, kTile = kShape.items(), kDigits = RanksOf<kShape>::kDigits;
  static constexpr bool kHasPayload = kRequest.has_payload();
  // In a tile a payload takes 32 bits: a narrow one itself, or its place in the tile, from where it is fetched when its
  // key has been ranked.
  static constexpr bool kIsNarrow = kHasPayload && sizeof(Value) <= sizeof(u32);
  static constexpr u64 kMostCounted = u64{1} << 31;  // in 32 bits
  static_assert(RanksOf<kShape>::kDigitsPerThread == 1);

 public:
  struct Shared {
    SharedTile<Problem, kShape> tile;
    u64 destinations[kDigits];  // where a digit's keys would be if the first of them had place 0 in the tile
    u64 totals[kWarpThreads];
    u32 counts[kDigits];
  };

  SCANTUNE_DEVICE LongSort(Shared& shared, const KernelArguments& arguments, Segment its, u32 first_bit, u32 last_bit)
      : shared_(shared),
        arguments_(arguments),
        its_(its),
        first_bit_(first_bit),
        last_bit_(last_bit),
        moves_(moves_by_digits(first_bit, last_bit, kShape.digit_bits)) {}

  SCANTUNE_DEVICE void sort() const {
#pragma unroll 1
    for (u32 move = 0; move < moves_; ++move) {
      const DigitPlace digit(first_bit_ + move * kShape.digit_bits, last_bit_, kShape.digit_bits);
      const u64 count = count_digits(digit, move);
      move_by(digit, move, scantune::items_of_lower_digits<kDigits>(shared_.totals, count));
    }
    if constexpr (kRequest.consumes_input() && kRequest.writes_keys())
      if (moves_ % 2 == 0) copy_back();
  }

 private:
  // Returns each of the first kDigits threads how many keys have its digit. Its first barrier comes after what the move
  // before has stored.
  SCANTUNE_DEVICE u64 count_digits(DigitPlace digit, u32 move) const {
    constexpr u32 kAtOnce = 8;
    const Stored* const source = keys_source(move);
    u64 total = 0;
#pragma unroll 1
    for (u64 first = 0; first < its_.items(); first += kMostCounted) {
      if (thread_rank() < kDigits) shared_.counts[thread_rank()] = 0;
      sync_block();
      const u64 left = its_.items() - first, end = first + (left < kMostCounted ? left : kMostCounted);
      for (u64 place = first + thread_rank(); place < end; place += kAtOnce * kThreads) {
        Stored keys[kAtOnce] = {};
#pragma unroll
        for (u32 step = 0; step < kAtOnce; ++step)
          if (const u64 own = place + step * kThreads; own < end)
            keys[step] = scantune::load_global<kShape.load_hint>(source + own);
#pragma unroll
        for (u32 step = 0; step < kAtOnce; ++step)
          if (place + step * kThreads < end)
            scantune::add_shared(&shared_.counts[digit.of(Problem::key_of(keys[step]))], 1);
      }
      sync_block();
      if (thread_rank() < kDigits) total += shared_.counts[thread_rank()];
    }
    return total;
  }

  // A tile in a move. After the segment's keys it is filled by the last ones of all, which are not stored. Registers
  // that only some threads load would be in use all the time.
  struct Moved {
    SCANTUNE_DEVICE Key key(u32 place) const {
      if (place >= count) return ~Key{0};
      return Problem::key_of(scantune::load_global<kShape.load_hint>(source + place));
    }
    SCANTUNE_DEVICE u32 payload(u32 place) const {
      if constexpr (kIsNarrow) {
        u32 bits = 0;
        if (place >= count) return bits;
        const Value value = segment.payload(move, first + place);
        scantune::copy_bytes(__builtin_addressof(bits), __builtin_addressof(value), sizeof value);
        return bits;
      } else {
        return place;
      }
    }
    SCANTUNE_DEVICE void store(u32 place, const Key* sorted_keys, const u32* sorted_payload) const {
      const Key key = sorted_keys[place];
      const u64 to = segment.shared_.destinations[digit.of(key)] + place;
      if (to >= segment.its_.items()) return;
      if (kRequest.writes_keys() || move + 1 < segment.moves_)
        scantune::store_global<kShape.store_hint>(destination + to, Problem::stored_of(key));
      if constexpr (kHasPayload)
        scantune::store_global<kShape.store_hint>(segment.payload_at(move) + to, value(sorted_payload[place]));
    }
    SCANTUNE_DEVICE Value value(u32 bits) const {
      if constexpr (kIsNarrow) {
        Value narrow;
        scantune::copy_bytes(__builtin_addressof(narrow), __builtin_addressof(bits), sizeof narrow);
        return narrow;
      } else {
        return segment.payload(move, first + bits);
      }
    }

    const LongSort& segment;
    const DigitPlace digit;
    const u32 move;
    const u64 first;  // of the tile, in the segment
    const u32 count;  // keys
    const Stored* const source;
    Stored* const destination;
  };

  // start: of this thread's digit in the segment.
  SCANTUNE_DEVICE void move_by(DigitPlace digit, u32 move, u64 start) const {
#pragma unroll 1
    for (u64 first = 0; first < its_.items(); first += kTile) {
      const u64 left = its_.items() - first;
      const u32 count = left < kTile ? static_cast<u32>(left) : kTile;
      Tile tile(shared_.tile, {*this, digit, move, first, count, keys_source(move) + first, keys_at(move)}, kTile);

      // Put the keys of a tile in order.
      tile.load();
      typename Tile::Digit mine[1];
      tile.sort_by_digit(digit, mine);

      // Find where each digit goes.
      if (thread_rank() < kDigits) {
        shared_.destinations[thread_rank()] = start - mine[0].before;
        start += mine[0].count;
      }
      sync_block();

      // Store the keys there.
      tile.store();
    }
  }

  // The last move of an even number has gone to the input.
  SCANTUNE_DEVICE void copy_back() const {
    sync_block();
    for (u64 place = thread_rank(); place < its_.items(); place += kThreads) {
      scantune::store_global<kShape.store_hint>(Problem::output(arguments_) + its_.begin + place,
                                                scantune::load_global<kShape.load_hint>(keys_at(moves_ - 1) + place));
      if constexpr (kRequest.has_values())
        scantune::store_global<kShape.store_hint>(
            Problem::payload_output(arguments_) + its_.begin + place,
            scantune::load_global<kShape.load_hint>(payload_at(moves_ - 1) + place));
    }
  }

  // The payload of a key before that move.
  SCANTUNE_DEVICE Value payload(u32 move, u64 place) const {
    if (move > 0) return scantune::load_global<kShape.load_hint>(payload_at(move - 1) + place);
    if constexpr (kRequest.has_values())
      return scantune::load_global<kShape.load_hint>(Problem::values(arguments_) + its_.begin + place);
    else
      return static_cast<Value>(place);
  }

  // A move goes to the output if an even number of them come after it. Keys and values of an input that is consumed go
  // there if an even number come before it.
  SCANTUNE_DEVICE bool goes_to_output(u32 move) const { return (moves_ - move) % 2 == 1; }
  SCANTUNE_DEVICE Stored* keys_at(u32 move) const {
    Stored* const copy = at<Stored>(arguments_.scratch[0]);
    Stored* keys;
    if constexpr (kRequest.consumes_input())
      keys = move % 2 == 1 ? Problem::consumed_input(arguments_)
                           : (kRequest.writes_keys() ? Problem::output(arguments_) : copy);
    else if (goes_to_output(move))
      keys = kRequest.writes_keys() ? Problem::output(arguments_)
                                    : at<Stored>(scantune::other_keys(arguments_.scratch[0], kRequest, arguments_.n));
    else
      keys = copy;
    return keys + its_.begin;
  }
  SCANTUNE_DEVICE const Stored* keys_source(u32 move) const {
    return move == 0 ? Problem::input(arguments_) + its_.begin : keys_at(move - 1);
  }
  SCANTUNE_DEVICE Value* payload_at(u32 move) const {
    Value* payload;
    if constexpr (kRequest.consumes_input() && kRequest.has_values())
      payload = move % 2 == 1 ? Problem::consumed_values(arguments_) : Problem::payload_output(arguments_);
    else
      payload = goes_to_output(move) ? Problem::payload_output(arguments_) : at<Value>(arguments_.scratch[1]);
    return payload + its_.begin;
  }
  template <class T>
  SCANTUNE_DEVICE T* at(u64 offset) const {
    return reinterpret_cast<T*>(static_cast<unsigned char*>(arguments_.workspace) + offset);
  }

  Shared& shared_;
  const KernelArguments& arguments_;
  const Segment its_;
  const u32 first_bit_, last_bit_, moves_;
};

}  // namespace scantune
