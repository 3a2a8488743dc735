// Scans neighbouring segments by a warp as one sequence of items.
#pragma once

#include "scan/config/scan_segments.h"
#include "scan/parts/flat_items.h"
#include "scan/parts/problem.h"

namespace scantune {

template <class Problem, ScanSegmentsConfig kConfig>
class FlatScan : public FlatItems<Problem, flat_shape(kConfig, Problem::kRequest)> {
  using Base = FlatItems<Problem, flat_shape(kConfig, Problem::kRequest)>;
  using T = typename Base::T;
  using Op = typename Problem::Op;
  using Output = typename Problem::Output;
  using OutputItems = typename Problem::OutputItems;
  using Base::kAtOnce, Base::kItems, Base::kMarked, Base::kRoundItems, Base::kTileItems, Base::kVectorItems;
  using Base::kVectors, Base::end_, Base::first_, Base::lane, Base::shared_;
  template <class Item>
  using Vector = typename Base::template Vector<Item>;

  // The bytes of a thread's items in the marks.
  static constexpr int kMarksAlignment = Base::kItems < kVectorAlignmentBytes ? Base::kItems : kVectorAlignmentBytes;
  struct alignas(kMarksAlignment) Marks {
    u8 of[Base::kItems];
  };

 public:
  using typename Base::Piece, typename Base::Shared;

  SCANTUNE_DEVICE FlatScan(const KernelArguments& arguments, Shared& shared) : Base(arguments, shared) {
    if constexpr (Problem::kHasInit) init_ = Problem::init(arguments);
  }

  // Scans fewer than 2^31 items. All lanes of the warp call this.
  SCANTUNE_DEVICE void scan(const Piece& piece) {
    if (piece.items == 0) return;
    this->begin(piece);
    auto from = Problem::input(this->arguments_) + first_;
    OutputItems to = Problem::output(this->arguments_) + first_;
    const bool in_vectors = Base::template comes_in_vectors<typename Problem::Input>(from),
               out_in_vectors = Base::template comes_in_vectors<Output>(to);
    from = from + lane() * kItems;
    to = to + lane() * kItems;
    T carry;
    typename Base::Round round = this->load(from, in_vectors, 0);
    for (u32 first = 0; first < end_; first += kRoundItems) {
      // The next tiles are on their way while these are scanned.
      typename Base::Round next;
      const bool is_last = end_ - first <= kRoundItems;
      from = from + kRoundItems;
      if (!is_last) next = this->load(from, in_vectors, first + kRoundItems);
      if (first % kMarked == 0) mark(piece, first);
      if (out_in_vectors && this->has_all(first, kRoundItems)) {
#pragma unroll
        for (int tile = 0; tile < kAtOnce; ++tile)
          scan_tile<true>(to + tile * kTileItems, true, first + tile * kTileItems, round, tile, carry);
      } else {
#pragma unroll
        for (int tile = 0; tile < kAtOnce; ++tile)
          if (first + tile * kTileItems < end_)
            scan_tile<false>(to + tile * kTileItems, out_in_vectors, first + tile * kTileItems, round, tile, carry);
      }
      if (is_last) break;
      to = to + kRoundItems;
      round = next;
    }
  }

 private:
  // Marks the first items of the segments that begin in the tiles from one on.
  SCANTUNE_DEVICE void mark(const Piece& piece, u32 first) {
    this->clear_marks();
    this->visit_segments(piece, [&](u32, const Segment& its) {
      const u64 begin = this->first_of_segment(its) - first_ - first;
      if (its.items() > 0 && begin < kMarked) shared_.bytes[begin] = 1;
    });
    sync_warp();
  }

  // Returns a bit for each of this lane's items, of a tile, at which a segment starts.
  SCANTUNE_DEVICE u32 starts_from(u32 place) const {
    const Marks marks = scantune::load_shared(reinterpret_cast<const Marks*>(shared_.bytes + place % kMarked));
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
  SCANTUNE_DEVICE void scan_tile(OutputItems to, bool in_vectors, u32 first, const typename Base::Round& round,
                                 int tile, T& carry) const {
    T values[kItems];
    round.convert(tile, values);
    const u32 mine = first + lane() * kItems, starts = starts_from(mine);
    const u32 cuts = kFull ? starts : starts | this->absent_from(mine);
    if constexpr (Problem::kHasInit) {
#pragma unroll
      for (int item = 0; item < kItems; ++item)
        if (starts >> item & 1) values[item] = Op::combine(init_, values[item]);
    }
    [[maybe_unused]] const T prefix = Base::combine(cuts, values, carry);

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
      } else if (in_vectors && this->has_all(place, kVectorItems)) {
        scantune::store_global<kConfig.store_hint>(scantune::vectors_of<Vector<Output>>(vector_to), vectors[v]);
      } else {
#pragma unroll
        for (int item = 0; item < kVectorItems; ++item)
          if (this->has(place + item))
            scantune::store_global<kConfig.store_hint>(vector_to + item, vectors[v].items[item]);
      }
    }
  }

  T init_;
};

}  // namespace scantune
