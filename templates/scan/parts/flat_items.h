// The items of neighbouring segments, which a warp takes as one sequence.
//
// Segments of which each begins where the one before it ends are a piece. Its items come tile after tile, wherever
// segments begin, so vectors are full and loads wait for no offset but the piece's first. For some tiles at a time
// marks in shared memory say at which items segments start, and combining forgets what is before a start. Places of a
// tile that hold no item of the piece count as starts too: nothing is ever combined with them, so custom operators see
// items alone.
#pragma once

#include "core/machine/bits.h"
#include "core/machine/shared.h"
#include "core/machine/warp.h"
#include "core/parts/convert.h"
#include "core/parts/mapped_items.h"
#include "core/parts/offset_segments.h"
#include "scan/config/flat_shape.h"
#include "scan/parts/segmented_scan.h"

namespace scantune {

// Segments whose numbers follow each other, counted in the order of the items.
template <class Problem, bool kBackwards>
struct Neighbours {
  u64 first;  // the lowest number
  u32 count;

  SCANTUNE_DEVICE u64 number(u32 place) const { return kBackwards ? first + (count - 1 - place) : first + place; }
  SCANTUNE_DEVICE Segment at(const KernelArguments& arguments, u32 place) const {
    return SegmentsOf<Problem>::at(arguments, number(place));
  }
  // So many of them, from one on.
  SCANTUNE_DEVICE Neighbours part(u32 place, u32 segments) const {
    return {kBackwards ? number(place + segments - 1) : number(place), segments};
  }
};

// The place of a segment's first item in the order of all.
template <bool kBackwards>
SCANTUNE_DEVICE u64 first_place(const KernelArguments& arguments, const Segment& its) {
  return kBackwards ? arguments.n - its.end : its.begin;
}

// Neighbours that follow each other in memory.
template <class Problem, bool kBackwards>
struct Piece {
  using Segments = Neighbours<Problem, kBackwards>;
  Segments segments;
  u64 first;  // place of the first item in the order of all
  u64 items;

  // That of segments which are known to be one.
  SCANTUNE_DEVICE static Piece of(const KernelArguments& arguments, const Segments& segments) {
    const Segment last = segments.at(arguments, segments.count - 1);
    const u64 first = first_place<kBackwards>(arguments, segments.at(arguments, 0));
    return {segments, first, first_place<kBackwards>(arguments, last) + last.items() - first};
  }
};

// A piece on a list, as the number of an entry: its first segment, and how many there are above. A segment that is too
// long for a warp is alone, and counted as 0.
inline constexpr int kListedCountShift = 48;

template <class Problem, bool kBackwards>
SCANTUNE_DEVICE u64 listed_number(const Neighbours<Problem, kBackwards>& segments) {
  return segments.first | u64{segments.count} << kListedCountShift;
}
SCANTUNE_DEVICE bool is_listed_piece(u64 number) { return number >> kListedCountShift != 0; }
template <class Problem, bool kBackwards>
SCANTUNE_DEVICE Piece<Problem, kBackwards> listed_piece(const KernelArguments& arguments, u64 number) {
  return Piece<Problem, kBackwards>::of(
      arguments, {number & ((u64{1} << kListedCountShift) - 1), static_cast<u32>(number >> kListedCountShift)});
}

template <class Problem, FlatShape kShape>
class FlatItems {
 protected:
  using T = typename Problem::Op::Value;
  using Input = typename Problem::Input;
  using InputItems = typename Problem::InputItems;
  static constexpr int kItems = kShape.items_per_thread, kVectorItems = kShape.vector_items;
  static constexpr int kVectors = kItems / kVectorItems, kAtOnce = kShape.tiles_at_once;
  static constexpr u32 kTileItems = kShape.tile_items(), kRoundItems = kShape.round_items();
  static constexpr u32 kMarked = kShape.marked_items();

  template <class Item>
  struct alignas(access_bytes(kVectorItems, sizeof(Item), kVectorAlignmentBytes) > int{alignof(Item)}
                     ? access_bytes(kVectorItems, sizeof(Item), kVectorAlignmentBytes)
                     : int{alignof(Item)}) Vector {
    Item items[kVectorItems];
  };

 public:
  using Neighbours = scantune::Neighbours<Problem, kShape.goes_backwards>;
  using Piece = scantune::Piece<Problem, kShape.goes_backwards>;
  // The marks of one warp.
  struct alignas(kVectorAlignmentBytes) Shared {
    unsigned char bytes[kShape.shared_bytes_of_warp()];
  };

  SCANTUNE_DEVICE FlatItems(const KernelArguments& arguments, Shared& shared)
      : arguments_(arguments), shared_(shared) {}

  // Returns the piece that begins with one of the neighbours, up to the first segment of more than `most` items. It has
  // no segments where that is the first. All lanes of the warp call this and what follows.
  SCANTUNE_DEVICE Piece piece_from(const Neighbours& neighbours, u32 place, u64 most) const {
    u64 first = 0, end = 0;
    u32 count = 0;
#pragma unroll 1
    for (u32 batch = place;; batch += kWarpThreads) {
      const bool exists = batch + lane() < neighbours.count;
      const Segment its = exists ? neighbours.at(arguments_, batch + lane()) : Segment{0, 0};
      const u64 begin = first_of_segment(its), after = begin + its.items();
      const u64 earlier = scantune::shuffle_up(after, 1);
      const bool follows = begin == (lane() > 0 ? earlier : batch > place ? end : begin);
      const u32 others = ballot(~0u, !exists || !follows || its.items() > most);
      const u32 of_batch = others == 0 ? u32{kWarpThreads} : count_trailing_zeros(others);
      if (batch == place) first = scantune::shuffle_index(begin, 0);
      if (of_batch > 0) end = scantune::shuffle_index(after, of_batch - 1);
      count += of_batch;
      if (of_batch < kWarpThreads) break;
    }
    if (count == 0) return {{0, 0}, 0, 0};
    return {neighbours.part(place, count), first, end - first};
  }

  // Returns those of a piece's segments that begin at its items [first, end).
  SCANTUNE_DEVICE Piece cut(const Piece& piece, u64 first, u64 end) const {
    u32 before = 0, through = 0;
#pragma unroll 1
    for (u32 batch = 0; batch < piece.segments.count; batch += kWarpThreads) {
      const bool exists = batch + lane() < piece.segments.count;
      const u64 begin = exists ? first_of_segment(piece.segments.at(arguments_, batch + lane())) - piece.first : end;
      before += count_ones(ballot(~0u, exists && begin < first));
      through += count_ones(ballot(~0u, exists && begin < end));
    }
    if (before == through) return {{0, 0}, 0, 0};
    const Segment last = piece.segments.at(arguments_, through - 1);
    const u64 begin = first_of_segment(piece.segments.at(arguments_, before));
    return {piece.segments.part(before, through - before), begin, first_of_segment(last) + last.items() - begin};
  }

 protected:
  SCANTUNE_DEVICE static u32 lane() { return thread_rank() % kWarpThreads; }
  SCANTUNE_DEVICE u64 first_of_segment(const Segment& its) const {
    return first_place<kShape.goes_backwards>(arguments_, its);
  }

  // Takes a piece of fewer than 2^31 items.
  SCANTUNE_DEVICE void begin(const Piece& piece) {
    head_ = head_of(piece.first);
    end_ = head_ + static_cast<u32>(piece.items);
    first_ = piece.first - head_;
  }

  SCANTUNE_DEVICE bool has(u32 place) const { return head_ <= place && place < end_; }
  SCANTUNE_DEVICE bool has_all(u32 place, u32 items) const { return head_ <= place && place + items <= end_; }

  // Whether vectors begin where tiles do.
  template <class Item, class Items>
  SCANTUNE_DEVICE static bool comes_in_vectors(Items tiles) {
    if constexpr (alignof(Vector<Item>) == alignof(Item)) return true;
    return scantune::edge(tiles) % alignof(Vector<Item>) == 0;
  }

  // This lane's items of the tiles of a round, as they are in memory: small ones take few registers.
  struct Round {
    Vector<Input> vectors[kAtOnce][kVectors];

    SCANTUNE_DEVICE void convert(int tile, T (&values)[kItems]) const {
#pragma unroll
      for (int item = 0; item < kItems; ++item)
        values[item] = scantune::convert<T>(vectors[tile][item / kVectorItems].items[item % kVectorItems]);
    }
  };

  // Loads those of the tiles from one on. This lane's begin there.
  SCANTUNE_DEVICE Round load(InputItems from, bool in_vectors, u32 first) const {
    Round round;
    if (in_vectors && has_all(first, kRoundItems)) {
#pragma unroll
      for (int tile = 0; tile < kAtOnce; ++tile)
#pragma unroll
        for (int v = 0; v < kVectors; ++v)
          round.vectors[tile][v] = scantune::load_global<kShape.load_hint>(
              scantune::vectors_of<const Vector<Input>>(from + (tile * kTileItems + v * kVectorItems)));
    } else {
#pragma unroll
      for (int tile = 0; tile < kAtOnce; ++tile)
#pragma unroll
        for (int v = 0; v < kVectors; ++v)
          round.vectors[tile][v] = load_vector(from + (tile * kTileItems + v * kVectorItems), in_vectors,
                                               first + lane() * kItems + tile * kTileItems + v * kVectorItems);
    }
    return round;
  }

  SCANTUNE_DEVICE Vector<Input> load_vector(InputItems from, bool in_vectors, u32 place) const {
    if (in_vectors && has_all(place, kVectorItems))
      return scantune::load_global<kShape.load_hint>(scantune::vectors_of<const Vector<Input>>(from));
    Vector<Input> vector;
#pragma unroll
    for (int item = 0; item < kVectorItems; ++item)
      if (has(place + item)) vector.items[item] = scantune::load_global<kShape.load_hint>(from + item);
    return vector;
  }

  // Forgets all marks, when all lanes have read them.
  SCANTUNE_DEVICE void clear_marks() {
    sync_warp();
    struct alignas(kVectorAlignmentBytes) Words {
      u32 words[4];
    };
    constexpr u32 kWords = sizeof(Shared) / sizeof(Words);
    Words* const words = reinterpret_cast<Words*>(shared_.bytes);
#pragma unroll
    for (u32 word = 0; word < kWords; word += kWarpThreads)
      if (kWords % kWarpThreads == 0 || word + lane() < kWords) words[word + lane()] = Words{};
    sync_warp();
  }

  // Calls visit(place among the piece's segments, segment) for those that are this lane's.
  SCANTUNE_DEVICE void visit_segments(const Piece& piece, const auto& visit) const {
#pragma unroll 1
    for (u32 place = lane(); place < piece.segments.count; place += kWarpThreads)
      visit(place, piece.segments.at(arguments_, place));
  }

  // The bits of those of this lane's items that the piece has not.
  SCANTUNE_DEVICE u32 absent_from(u32 place) const {
    u32 absent = 0;
#pragma unroll
    for (int item = 0; item < kItems; ++item)
      if (!has(place + item)) absent |= 1u << item;
    return absent;
  }

  // Combines this lane's items with what is before them in the tile, and that with the carry from before the tile,
  // which then holds what is before the next one. cuts: a bit for each item before which nothing counts; at the first
  // place of a piece there is one. Returns what is before the lane's items, if anything counts.
  SCANTUNE_DEVICE static T combine(u32 cuts, T (&values)[kItems], T& carry) {
    using Op = typename Problem::Op;
#pragma unroll
    for (int item = 1; item < kItems; ++item)
      if (!(cuts >> item & 1)) values[item] = Op::combine(values[item - 1], values[item]);
    const u32 lanes = ballot(~0u, cuts != 0);
    const T through = scantune::segmented_warp_scan<Op>(values[kItems - 1], lanes, lane(), true);
    T prefix = scantune::shuffle_up(through, 1);
    if (lane() == 0)
      prefix = carry;
    else if ((lanes & ((1u << lane()) - 1)) == 0)
      prefix = Op::combine(carry, prefix);
#pragma unroll
    for (int item = 0; item < kItems; ++item)
      if ((cuts & (2u << item) - 1) == 0) values[item] = Op::combine(prefix, values[item]);
    const T last = scantune::shuffle_index(through, kWarpThreads - 1);
    carry = lanes == 0 ? Op::combine(carry, last) : last;
    return prefix;
  }

  const KernelArguments& arguments_;
  Shared& shared_;
  u64 first_;  // place of the first tile in the order of all items
  u32 head_;   // places of a tile before the first item
  u32 end_;    // and the one after the last

 private:
  // Places of the first tile before the piece. Where tiles are not fixed they begin at a line of eight vectors.
  SCANTUNE_DEVICE u32 head_of(u64 first) const {
    if constexpr (kShape.has_fixed_tiles) {
      const u64 phase = kShape.goes_backwards ? arguments_.n % kTileItems : 0;
      return static_cast<u32>((first + kTileItems - phase) % kTileItems);
    } else if constexpr (kVectorItems == 1) {
      return 0;
    } else {
      const u64 bytes = scantune::edge(Problem::input(arguments_) + first) % (8 * kVectorItems * sizeof(Input));
      return static_cast<u32>(bytes / sizeof(Input));
    }
  }
};

}  // namespace scantune
