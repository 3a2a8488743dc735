// Scans neighbouring segments by a warp as one sequence of items.
//
// Segments of which each begins where the one before it ends are a piece. Its items come tile after tile, wherever
// segments begin, so vectors are full and loads wait for no offset but the piece's first. For some tiles at a time
// bytes in shared memory mark the items at which segments start, and combining forgets what is before a start. Places
// of a tile that hold no item of the piece count as starts too: nothing is ever combined with them, so custom operators
// see items alone.
#pragma once

#include "core/machine/shared.h"
#include "core/parts/offset_segments.h"
#include "scan/config/scan_segments.h"
#include "scan/parts/problem.h"
#include "scan/parts/segmented_scan.h"

namespace scantune {

// The place of the segment's first item in the order of the scan.
template <class Problem>
SCANTUNE_DEVICE u64 first_item(const KernelArguments& arguments, const Segment& its) {
  return Problem::kRequest.direction == Direction::reverse ? arguments.n - its.end : its.begin;
}

// Segments whose numbers follow each other, which are counted in the order of the scan.
template <class Problem>
struct Neighbours {
  u64 first;  // the lowest number
  u32 count;

  SCANTUNE_DEVICE u64 number(u32 place) const {
    return Problem::kRequest.direction == Direction::reverse ? first + (count - 1 - place) : first + place;
  }
  SCANTUNE_DEVICE Segment at(const KernelArguments& arguments, u32 place) const {
    return SegmentsOf<Problem>::at(arguments, number(place));
  }
  SCANTUNE_DEVICE Neighbours part(u32 place, u32 segments) const {
    return {Problem::kRequest.direction == Direction::reverse ? number(place + segments - 1) : number(place), segments};
  }
};

// Segments that follow each other in memory.
template <class Problem>
struct Piece {
  Neighbours<Problem> segments;
  u64 first;  // place of the first item in the order of the scan
  u64 items;
};

template <class Problem, ScanSegmentsConfig kConfig>
class FlatScan {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  using Input = typename Problem::Input;
  using Output = typename Problem::Output;
  using InputItems = typename Problem::InputItems;
  using OutputItems = typename Problem::OutputItems;
  static constexpr ScanRequest kRequest = Problem::kRequest;
  static constexpr int kItems = kConfig.items_per_thread;
  static constexpr int kVectorItems = vector_items(kConfig.vector_bytes, {kRequest, Variant::aligned});
  static constexpr int kVectors = kItems / kVectorItems;
  static constexpr int kAtOnce = kConfig.segments_at_once;
  static constexpr u32 kTileItems = kWarpThreads * kItems, kRoundItems = kTileItems * kAtOnce;
  static constexpr u32 kMarked = marked_items(kConfig);
  static_assert(kMarked % kRoundItems == 0 && kMarked % kVectorAlignmentBytes == 0);

  // The bytes of a thread's items in the marks.
  struct alignas(kItems < kVectorAlignmentBytes ? kItems : kVectorAlignmentBytes) Marks {
    u8 of[kItems];
  };
  template <class Item>
  struct alignas(access_bytes(kVectorItems, sizeof(Item), kVectorAlignmentBytes) > int{alignof(Item)}
                     ? access_bytes(kVectorItems, sizeof(Item), kVectorAlignmentBytes)
                     : int{alignof(Item)}) Vector {
    Item items[kVectorItems];
  };

 public:
  // Of each warp.
  struct alignas(kVectorAlignmentBytes) Shared {
    u8 marks[kMarked];
  };
  using Neighbours = scantune::Neighbours<Problem>;
  using Piece = scantune::Piece<Problem>;

  SCANTUNE_DEVICE FlatScan(const KernelArguments& arguments, Shared& shared) : arguments_(arguments), shared_(shared) {
    if constexpr (Problem::kHasInit) init_ = Problem::init(arguments);
  }

  // Returns the piece that begins with one of the neighbours, up to the first segment of more than `most` items. It has
  // no segments where that is the first. All lanes of the warp call this and what follows.
  SCANTUNE_DEVICE Piece piece_from(const Neighbours& neighbours, u32 place, u64 most) const {
    u64 first = 0, end = 0;
    u32 count = 0;
#pragma unroll 1
    for (u32 batch = place;; batch += kWarpThreads) {
      const bool exists = batch + lane() < neighbours.count;
      const Segment its = exists ? neighbours.at(arguments_, batch + lane()) : Segment{0, 0};
      const u64 begin = first_item<Problem>(arguments_, its), after = begin + its.items();
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
      const u64 begin =
          exists ? first_item<Problem>(arguments_, piece.segments.at(arguments_, batch + lane())) - piece.first : end;
      before += count_ones(ballot(~0u, exists && begin < first));
      through += count_ones(ballot(~0u, exists && begin < end));
    }
    if (before == through) return {{0, 0}, 0, 0};
    const Segment last = piece.segments.at(arguments_, through - 1);
    const u64 begin = first_item<Problem>(arguments_, piece.segments.at(arguments_, before));
    return {piece.segments.part(before, through - before), begin,
            first_item<Problem>(arguments_, last) + last.items() - begin};
  }

  // Scans fewer than 2^31 items.
  SCANTUNE_DEVICE void scan(const Piece& piece) {
    if (piece.items == 0) return;
    head_ = head_of(piece.first);
    end_ = head_ + static_cast<u32>(piece.items);
    first_ = piece.first - head_;
    InputItems from = Problem::input(arguments_) + first_;
    OutputItems to = Problem::output(arguments_) + first_;
    const bool in_vectors = comes_in_vectors<Input>(from), out_in_vectors = comes_in_vectors<Output>(to);
    from = from + lane() * kItems;
    to = to + lane() * kItems;
    T values[kAtOnce][kItems], carry;
    load(from, in_vectors, 0, values);
    for (u32 first = 0; first < end_; first += kRoundItems) {
      // The next tiles are on their way while these are scanned.
      T next[kAtOnce][kItems];
      const bool is_last = end_ - first <= kRoundItems;
      from = from + kRoundItems;
      if (!is_last) load(from, in_vectors, first + kRoundItems, next);
      if (first % kMarked == 0) mark(piece, first);
      if (out_in_vectors && has_all(first, kRoundItems)) {
#pragma unroll
        for (int tile = 0; tile < kAtOnce; ++tile)
          scan_tile<true>(to + tile * kTileItems, true, first + tile * kTileItems, values[tile], carry);
      } else {
#pragma unroll
        for (int tile = 0; tile < kAtOnce; ++tile)
          if (first + tile * kTileItems < end_)
            scan_tile<false>(to + tile * kTileItems, out_in_vectors, first + tile * kTileItems, values[tile], carry);
      }
      if (is_last) break;
      to = to + kRoundItems;
      scantune::copy_bytes(values, next, sizeof values);
    }
  }

 private:
  SCANTUNE_DEVICE static u32 lane() { return thread_rank() % kWarpThreads; }

  // Places of the first tile before the piece. Results of a fixed association depend on where an item is in its tile,
  // so tiles are then at the same items whatever piece these are in. Others begin at a line of eight vectors.
  SCANTUNE_DEVICE u32 head_of(u64 first) const {
    if constexpr (needs_fixed_association(kRequest)) {
      const u64 phase = kRequest.direction == Direction::reverse ? arguments_.n % kTileItems : 0;
      return static_cast<u32>((first + kTileItems - phase) % kTileItems);
    } else if constexpr (kVectorItems == 1) {
      return 0;
    } else {
      const u64 bytes = scantune::edge(Problem::input(arguments_) + first) % (8 * kVectorItems * sizeof(Input));
      return static_cast<u32>(bytes / sizeof(Input));
    }
  }

  SCANTUNE_DEVICE bool has(u32 place) const { return head_ <= place && place < end_; }
  SCANTUNE_DEVICE bool has_all(u32 place, u32 items) const { return head_ <= place && place + items <= end_; }

  // Whether vectors begin where tiles do.
  template <class Item, class Items>
  SCANTUNE_DEVICE static bool comes_in_vectors(Items tiles) {
    if constexpr (alignof(Vector<Item>) == alignof(Item)) return true;
    return scantune::edge(tiles) % alignof(Vector<Item>) == 0;
  }

  // Loads this lane's items, which begin there, of the tiles from one on.
  SCANTUNE_DEVICE void load(InputItems from, bool in_vectors, u32 first, T (&values)[kAtOnce][kItems]) const {
    Vector<Input> vectors[kAtOnce][kVectors];
    const u32 mine = first + lane() * kItems;
    if (in_vectors && has_all(first, kRoundItems)) {
#pragma unroll
      for (int tile = 0; tile < kAtOnce; ++tile)
#pragma unroll
        for (int v = 0; v < kVectors; ++v)
          vectors[tile][v] = scantune::load_global<kConfig.load_hint>(
              scantune::vectors_of<const Vector<Input>>(from + (tile * kTileItems + v * kVectorItems)));
    } else {
#pragma unroll
      for (int tile = 0; tile < kAtOnce; ++tile)
#pragma unroll
        for (int v = 0; v < kVectors; ++v)
          vectors[tile][v] = load_vector(from + (tile * kTileItems + v * kVectorItems), in_vectors,
                                         mine + tile * kTileItems + v * kVectorItems);
    }
#pragma unroll
    for (int tile = 0; tile < kAtOnce; ++tile)
#pragma unroll
      for (int item = 0; item < kItems; ++item)
        values[tile][item] = scantune::convert<T>(vectors[tile][item / kVectorItems].items[item % kVectorItems]);
  }

  SCANTUNE_DEVICE Vector<Input> load_vector(InputItems from, bool in_vectors, u32 place) const {
    if (in_vectors && has_all(place, kVectorItems))
      return scantune::load_global<kConfig.load_hint>(scantune::vectors_of<const Vector<Input>>(from));
    Vector<Input> vector;
#pragma unroll
    for (int item = 0; item < kVectorItems; ++item)
      if (has(place + item)) vector.items[item] = scantune::load_global<kConfig.load_hint>(from + item);
    return vector;
  }

  // Marks the first items of the segments that begin in the tiles from one on.
  SCANTUNE_DEVICE void mark(const Piece& piece, u32 first) {
    struct alignas(kVectorAlignmentBytes) Words {
      u32 words[4];
    };
    // All have read the marks of the tiles before: the ballots of these waited for them.
    Words* const words = reinterpret_cast<Words*>(shared_.marks);
#pragma unroll
    for (u32 word = 0; word < kMarked / sizeof(Words); word += kWarpThreads)
      if (kMarked / sizeof(Words) % kWarpThreads == 0 || word + lane() < kMarked / sizeof(Words))
        words[word + lane()] = Words{};
    sync_warp();
#pragma unroll 1
    for (u32 place = lane(); place < piece.segments.count; place += kWarpThreads) {
      const Segment its = piece.segments.at(arguments_, place);
      const u64 begin = first_item<Problem>(arguments_, its) - first_ - first;
      if (its.items() > 0 && begin < kMarked) shared_.marks[begin] = 1;
    }
    sync_warp();
  }

  // Returns a bit for each of this lane's items, of a tile, at which a segment starts.
  SCANTUNE_DEVICE u32 starts_from(u32 place) const {
    const Marks marks = scantune::load_shared(reinterpret_cast<const Marks*>(shared_.marks + place % kMarked));
    u32 starts = 0;
    if constexpr (kItems % 4 == 0) {
      u32 words[kItems / 4];
      scantune::copy_bytes(words, __builtin_addressof(marks), sizeof words);
#pragma unroll
      for (int word = 0; word < kItems / 4; ++word) starts |= (words[word] * 0x01020408 >> 24) << 4 * word;
    } else {
#pragma unroll
      for (int item = 0; item < kItems; ++item) starts |= u32{marks.of[item]} << item;
    }
    return starts;
  }

  // Scans a tile after what is before it, stores the results, this lane's there, and carries on. Of a full tile results
  // come in vectors: compilers would else make one store of both ways.
  template <bool kFull>
  SCANTUNE_DEVICE void scan_tile(OutputItems to, bool in_vectors, u32 first, T (&values)[kItems], T& carry) const {
    const u32 mine = first + lane() * kItems, starts = starts_from(mine);
    u32 cuts = starts;
    if constexpr (!kFull) {
#pragma unroll
      for (int item = 0; item < kItems; ++item)
        if (!has(mine + item)) cuts |= 1u << item;
    }

    // Scan this lane's items.
    if constexpr (Problem::kHasInit) {
#pragma unroll
      for (int item = 0; item < kItems; ++item)
        if (starts >> item & 1) values[item] = Op::combine(init_, values[item]);
    }
#pragma unroll
    for (int item = 1; item < kItems; ++item)
      if (!(cuts >> item & 1)) values[item] = Op::combine(values[item - 1], values[item]);

    // Combine them with what is before them, in the tile and before it. The first place of a piece is a cut.
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

    // Store the results.
    Vector<Output> vectors[kVectors];
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      T result = values[item];
      if constexpr (Problem::kExclusive)
        result = starts >> item & 1 ? init_ : item == 0 ? prefix : values[item == 0 ? 0 : item - 1];
      vectors[item / kVectorItems].items[item % kVectorItems] = scantune::convert<Output>(result);
    }
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const u32 place = mine + v * kVectorItems;
      const OutputItems vector_to = to + v * kVectorItems;
      if constexpr (kFull) {
        scantune::store_global<kConfig.store_hint>(scantune::vectors_of<Vector<Output>>(vector_to), vectors[v]);
      } else if (in_vectors && has_all(place, kVectorItems)) {
        scantune::store_global<kConfig.store_hint>(scantune::vectors_of<Vector<Output>>(vector_to), vectors[v]);
      } else {
#pragma unroll
        for (int item = 0; item < kVectorItems; ++item)
          if (has(place + item)) scantune::store_global<kConfig.store_hint>(vector_to + item, vectors[v].items[item]);
      }
    }
  }

  const KernelArguments& arguments_;
  Shared& shared_;
  T init_;
  u64 first_;  // place of the first tile in the order of the scan
  u32 head_;   // places of a tile before the first item
  u32 end_;    // and the one after the last
};

}  // namespace scantune
