// Reduces neighbouring segments by a warp as one sequence of items.
//
// A mark at the item after a segment tells which one has ended, and what is before it is then the segment's total. So
// tiles go on to the place after the last item.
#pragma once

#include "core/parts/flat_items.h"
#include "reduce/config/reduce_segments.h"
#include "reduce/parts/reduce_problem.h"

namespace scantune {

template <class Problem, ReduceSegmentsConfig kConfig>
class FlatReduce : public FlatItems<Problem, flat_shape(kConfig, Problem::kRequest)> {
  using Base = FlatItems<Problem, flat_shape(kConfig, Problem::kRequest)>;
  using T = typename Base::T;
  using Base::arguments_, Base::end_, Base::first_, Base::head_, Base::lane, Base::shared_;
  using Base::kAtOnce, Base::kItems, Base::kMarked, Base::kRoundItems, Base::kTileItems;

  // Marks are 0, or have the highest bit and the place of the segment that has ended. Before the first one none has.
  static constexpr u16 kStarts = 0x8000, kFirst = 0xffff;
  static_assert(kConfig.warp_segments < kFirst - kStarts);
  static constexpr int kMarksBytes = 2 * Base::kItems;
  static constexpr int kMarksAlignment = kMarksBytes < kVectorAlignmentBytes ? kMarksBytes : kVectorAlignmentBytes;
  struct alignas(kMarksAlignment) Marks {
    u16 of[Base::kItems];
  };

 public:
  using Base::Base;
  using typename Base::Piece, typename Base::Shared;

  // Reduces fewer than 2^31 items. All lanes of the warp call this.
  SCANTUNE_DEVICE void reduce(const Piece& piece) {
    this->visit_segments(piece, [&](u32 place, const Segment& its) {
      if (its.items() == 0) Problem::store(arguments_, T(), false, piece.segments.number(place));
    });
    if (piece.items == 0) return;
    this->begin(piece);
    auto from = Problem::input(arguments_) + first_;
    const bool in_vectors = Base::template comes_in_vectors<typename Problem::Input>(from);
    from = from + lane() * kItems;
    T carry;
    typename Base::Round round = this->load(from, in_vectors, 0);
    for (u32 first = 0; first <= end_; first += kRoundItems) {
      // The next tiles are on their way while these are reduced.
      typename Base::Round next;
      const bool is_last = end_ - first < kRoundItems;
      from = from + kRoundItems;
      if (!is_last) next = this->load(from, in_vectors, first + kRoundItems);
      if (first % kMarked == 0) mark(piece, first);
      if (this->has_all(first, kRoundItems)) {
#pragma unroll
        for (int tile = 0; tile < kAtOnce; ++tile)
          reduce_tile<true>(piece, first + tile * kTileItems, round, tile, carry);
      } else {
#pragma unroll
        for (int tile = 0; tile < kAtOnce; ++tile)
          if (first + tile * kTileItems <= end_)
            reduce_tile<false>(piece, first + tile * kTileItems, round, tile, carry);
      }
      if (is_last) break;
      round = next;
    }
  }

 private:
  SCANTUNE_DEVICE void mark(const Piece& piece, u32 first) {
    u16* const marks = reinterpret_cast<u16*>(shared_.bytes);
    this->clear_marks();
    this->visit_segments(piece, [&](u32 place, const Segment& its) {
      const u64 end = this->first_of_segment(its) + its.items() - first_ - first;
      if (its.items() > 0 && end < kMarked) marks[end] = static_cast<u16>(kStarts | place);
    });
    if (first == 0 && lane() == 0) marks[head_] = kFirst;
    sync_warp();
  }

  // Combines the items of a tile with what is before it, stores the totals of the segments that have ended before one
  // of them, and carries on.
  template <bool kFull>
  SCANTUNE_DEVICE void reduce_tile(const Piece& piece, u32 first, const typename Base::Round& round, int tile,
                                   T& carry) const {
    T values[kItems];
    round.convert(tile, values);
    const u32 mine = first + lane() * kItems;
    const Marks marks = scantune::load_shared(reinterpret_cast<const Marks*>(shared_.bytes) + mine % kMarked / kItems);
    u32 starts = 0;
#pragma unroll
    for (int item = 0; item < kItems; ++item) starts |= u32{marks.of[item]} >> 15 << item;
    const T prefix = Base::combine(kFull ? starts : starts | this->absent_from(mine), values, carry);
    if (all_lanes(starts == 0)) return;
#pragma unroll
    for (int item = 0; item < kItems; ++item)
      if (marks.of[item] != 0 && marks.of[item] != kFirst)
        Problem::store(arguments_, item == 0 ? prefix : values[item == 0 ? 0 : item - 1], true,
                       piece.segments.number(marks.of[item] - kStarts));
  }
};

}  // namespace scantune
