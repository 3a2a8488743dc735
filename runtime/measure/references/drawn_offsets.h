// The offsets of segments that are reduced or scanned, and the items that they mean.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "core/contract/operand_role.h"
#include "measure/inputs.h"
#include "measure/references/drawn_segments.h"

namespace scantune {

inline constexpr u64 kOffsetsAtOnce = 4096;  // that a thread draws: in no order each takes a walk of its own

enum class ItemPlace : unsigned char { in_segment, first_of_segment, outside };

// Bounds of segments that follow each other. Begins and ends are those of extreme ones, in no order and some cut short.
// Those of reductions and of top-k are drawn again for each segment, some several times and others not at all. Where
// there are enough, one begins below 0 and ends beyond n, one ends before it begins, and one begins beyond n. Others
// have no items in common.
class DrawnOffsets {
 public:
  template <class Typed>
  DrawnOffsets(const Typed& request, const InputSpec& spec)
      : type_(request.offset_type),
        form_(request.offset_form),
        share_items_(std::is_same_v<Typed, ReduceRequest> || std::is_same_v<Typed, TopKRequest>),
        is_turned_(spec.is_turned),
        count_(request.segment_count),
        all_items_(request.n),
        n_(request.n < greatest_of(type_) ? request.n : greatest_of(type_)),
        seed_(spec.seed),
        segments_(count_, n_, seed_, form_ == OffsetForm::begins_and_ends || spec.pattern == InputPattern::specials) {}

  // Items of a segment, as kernels have to read its offsets.
  struct Items {
    u64 begin, end;
  };
  Items of(u64 segment) const { return within(written(segment)); }

  // Calls take(segment, items) for each of [first, end), in order: faster than one by one.
  template <class Take>
  void visit(u64 first, u64 end, const Take& take) const {
    if (form_ == OffsetForm::bounds)
      return segments_.visit_segments(first, end, [&](u64 segment, u64 begin, u64 its_end) {
        take(segment, within({static_cast<i64>(begin), static_cast<i64>(its_end)}));
      });
    for (u64 segment = first; segment < end; ++segment) take(segment, of(segment));
  }

  // Writes the offsets of that role from segment `first` on, as many as fill `out`.
  void fill(OperandRole role, u64 first, std::span<std::byte> out) const;

  // Says where the items are that come from the `first`th on in the order of a scan. No item is in several segments.
  void place(u64 first, std::span<ItemPlace> places) const;

 private:
  // A segment as its offsets are written: below 0 only if their type has negative numbers, and maybe beyond the items.
  struct Written {
    i64 begin, end;
  };
  Written written(u64 segment) const;
  Written drawn(u64 segment) const;
  Written shared(u64 segment) const;
  Written apart(u64 number, Written offsets) const;
  u64 in_no_order(u64 segment) const;
  i64 beyond() const { return static_cast<i64>(n_) + (n_ + 9 < greatest_of(type_) ? 7 : 0); }
  bool is_signed() const { return type_ == OffsetType::i32 || type_ == OffsetType::i64; }
  Items within(Written offsets) const;

  OffsetType type_;
  OffsetForm form_;
  bool share_items_;
  bool is_turned_;
  u64 count_;  // of segments
  u64 all_items_;
  u64 n_;  // items that the type can count
  u64 seed_;
  DrawnSegments segments_;
};

}  // namespace scantune
