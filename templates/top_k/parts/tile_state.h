// What the launches of a top-k by tiles leave for those after them.
#pragma once

#include "core/machine/bits.h"
#include "core/machine/status.h"
#include "core/parts/warp_reduce.h"
#include "core/parts/warp_scan.h"
#include "top_k/config/top_k_tiles.h"
#include "top_k/parts/item_span.h"
#include "top_k/parts/rank_select.h"
#include "top_k/parts/top_k_problem.h"

namespace scantune {

template <class Solved, TopKTilesConfig kConfig>
class TopKTiles {
 public:
  using Problem = Solved;
  using Stored = typename Problem::Stored;
  using Key = typename Problem::Key;
  static constexpr u64 kTileItems = kConfig.tile_items(Problem::kRequest.input_bytes());
  static constexpr Key kLast = static_cast<Key>(~Key{0});

  SCANTUNE_DEVICE explicit TopKTiles(const KernelArguments& arguments)
      : layout(top_k_layout(kConfig, Problem::kRequest, arguments.n, arguments.extents[0])),
        most(static_cast<u32>(arguments.extents[0])),
        arguments_(arguments) {}

  SCANTUNE_DEVICE TopKState* state() const { return at<TopKState>(0); }
  SCANTUNE_DEVICE u64* counts(u32 count) const { return at<u64>(layout.counts) + count * kCountedDigits; }
  SCANTUNE_DEVICE Key* firsts() const { return at<Key>(layout.firsts); }
  SCANTUNE_DEVICE Key* keys() const { return at<Key>(layout.keys); }
  SCANTUNE_DEVICE u64* indices() const { return at<u64>(layout.indices); }

  template <class T>
  SCANTUNE_DEVICE static T load(const T* address) {
    return scantune::load_global<CacheHint::normal>(address);
  }
  template <class T>
  SCANTUNE_DEVICE static void store(T* address, T value) {
    scantune::store_global<CacheHint::normal>(address, value);
  }

  // Whether there was room for all candidates. Not while they are listed: lanes might see different numbers.
  SCANTUNE_DEVICE bool has_room() const { return load(&state()->listed) <= layout.room; }

  // Returns the lane's first key of a tile, if its warp's lanes come together.
  SCANTUNE_DEVICE Key first_of_lane(u64 tile) const {
    Key first = kLast;
    const auto span = span_of(tile);
    const Walk walk(span, thread_rank() % kWarpThreads);
    const auto see = [&](bool has, u32, Stored stored) {
      const Key key = has ? Problem::key_of(stored) : kLast;
      first = key < first ? key : first;
    };
    walk.beside(see);
    walk.steps(0, walk.steps(), see, [] {});
    return first;
  }

  // Calls use(has, index, key) for all items of a tile, by the lanes of a warp together.
  SCANTUNE_DEVICE void visit(u64 tile, const auto& use) const {
    const auto span = span_of(tile);
    const Walk walk(span, thread_rank() % kWarpThreads);
    walk.template one_by_one<kItemsAtOnce>(
        [&](bool has, u32 index, Stored stored) { use(has, tile * kTileItems + index, Problem::key_of(stored)); });
  }

  // Appends the items of lanes that have one, and returns whether there was room. The lanes come together.
  SCANTUNE_DEVICE bool append(u32* count, bool has, Key key, u64 index) const {
    const u32 voters = ballot(~0u, has);
    if (voters == 0) return true;
    const u32 lane = thread_rank() % kWarpThreads, leader = count_trailing_zeros(voters);
    u32 first = 0;
    if (lane == leader) first = fetch_add(count, count_ones(voters));
    first = scantune::shuffle_index(first, leader);
    const u32 place = first + count_ones(voters & ((1u << lane) - 1));
    if (has && place < layout.room) {
      store(keys() + place, key);
      store(indices() + place, index);
    }
    return first < layout.room;
  }

  // The results that there are, once the kernel has begun.
  SCANTUNE_DEVICE u32 k() const { return Problem::results(arguments_, most); }

  const TopKLayout layout;
  const u32 most;  // results

 private:
  static constexpr u32 kItemsAtOnce = 16;
  using Walk = SpanWalk<Stored, kWarpThreads, kConfig.vectors_at_once, kConfig.load_hint>;

  SCANTUNE_DEVICE ItemSpan<Stored> span_of(u64 tile) const {
    const u64 begin = tile * kTileItems, left = arguments_.n - begin;
    return ItemSpan<Stored>(Problem::input(arguments_) + begin,
                            static_cast<u32>(left < kTileItems ? left : kTileItems));
  }

  template <class T>
  SCANTUNE_DEVICE T* at(u64 offset) const {
    return reinterpret_cast<T*>(static_cast<unsigned char*>(arguments_.workspace) + offset);
  }

  const KernelArguments& arguments_;
};

SCANTUNE_DEVICE u64 lowest_bits(u32 count) { return count >= 64 ? ~u64{0} : (u64{1} << count) - 1; }

// The bits [begin, end) of a key or of an index that are counted.
struct CountedDigit {
  bool is_of_key;
  u32 begin, end;

  // Whether an item may be among those that are not decided by the digits before.
  SCANTUNE_DEVICE bool may_be(const TopKState::Digits& digits, u64 key, u64 index) const {
    const u64 differing = is_of_key ? key ^ digits.key : index ^ digits.index;
    return (is_of_key || key == digits.key) && (end >= 64 || differing >> end == 0);
  }
  SCANTUNE_DEVICE u32 of(u64 key, u64 index) const {
    return static_cast<u32>((is_of_key ? key : index) >> begin) & static_cast<u32>(scantune::lowest_bits(end - begin));
  }
};
template <class Problem>
SCANTUNE_DEVICE CountedDigit counted_digit(u32 count, u64 n) {
  constexpr int kKeyBits = 8 * Problem::kRequest.input_bytes();
  constexpr u32 kOfKeys = counts_of_bits(kKeyBits);
  const bool is_of_key = count < kOfKeys;
  const u32 above = kCountedBits * (is_of_key ? count : count - kOfKeys);
  const u32 end = static_cast<u32>(is_of_key ? kKeyBits : bits_of_indices(n)) - above;
  return {is_of_key, end < kCountedBits ? 0 : end - kCountedBits, end};
}

// Decides one more digit of the last result, by how many items have each. Every thread of the CTA gets the result.
SCANTUNE_DEVICE TopKState::Digits decided(TopKState::Digits digits, const CountedDigit& place, const u64* counts) {
  const u32 lane = thread_rank() % kWarpThreads;
  u64 before = 0, own = 0;
  u32 first = 0;
  for (;; first += kWarpThreads) {
    own = counts[first + lane];
    const u64 sum = scantune::warp_reduce<OperatorOf<u64, Operator::sum>>(own, lane);
    if (before + sum >= digits.left || first + kWarpThreads == kCountedDigits) break;
    before += sum;
  }
  const u64 up_to = before + scantune::scan_by_kogge_stone<OperatorOf<u64, Operator::sum>, kWarpThreads, 2>(
                                 own, static_cast<i32>(lane));
  const u32 owner = count_trailing_zeros(ballot(~0u, up_to >= digits.left) | 1u << (kWarpThreads - 1));
  const u64 of_digit = scantune::shuffle_index(own, owner), less = scantune::shuffle_index(up_to, owner) - of_digit;
  const u64 below = (u64{1} << place.begin) - 1, digit = first + owner;
  const u64 undecided = scantune::lowest_bits(place.end);
  const u64 number = ((place.is_of_key ? digits.key : digits.index) & ~undecided) | digit << place.begin | below;
  if (place.is_of_key)
    digits.key = number;
  else
    digits.index = number;
  digits.left -= less;
  digits.is_decided = digits.left == of_digit;
  return digits;
}

// What a count of digits keeps in shared memory.
struct SharedCounts {
  u64 before[kCountedDigits];  // those of the count before
  DigitCounters<kCountedDigits> own;
};
static_assert(sizeof(SharedCounts) == kCountedDigits * (sizeof(u64) + sizeof(u32)));

// The digits that are decided before a count, or by all counts. Every thread of the CTA gets them.
template <int kThreads, class Tiles>
SCANTUNE_DEVICE TopKState::Digits digits_before(const Tiles& tiles, SharedCounts& shared, u32 count, u64 n) {
  using Problem = typename Tiles::Problem;
  TopKState::Digits digits{scantune::lowest_bits(8 * Problem::kRequest.input_bytes()),
                           scantune::lowest_bits(static_cast<u32>(bits_of_indices(n))), tiles.k(), 0};
  if (count == 0) return digits;
  if (count > 1) digits = Tiles::load(tiles.state()->digits + count - 1);
  if (digits.is_decided != 0) return digits;
  for (u32 digit = thread_rank(); digit < kCountedDigits; digit += kThreads)
    shared.before[digit] = Tiles::load(tiles.counts(count - 1) + digit);
  sync_block();
  return scantune::decided(digits, scantune::counted_digit<Problem>(count - 1, n), shared.before);
}

}  // namespace scantune
