// The offsets of reductions of segments, and the items that they mean.
#pragma once

#include <cstddef>
#include <span>

#include "core/contract/operand_role.h"
#include "measure/inputs.h"
#include "measure/references/drawn_segments.h"

namespace scantune {

inline constexpr u64 kOffsetsAtOnce = 4096;  // that a thread draws: in no order each takes a walk of its own

// Bounds of segments that follow each other. Begins and ends are those of segments that are drawn among extreme ones:
// in no order, some of them several times, others not at all, and some cut short. Where there are
// enough, one begins below 0 and ends beyond n, one ends before it begins, and one begins beyond n.
class DrawnOffsets {
 public:
  explicit DrawnOffsets(const InputSpec& spec);

  // Items of a segment, as kernels have to read its offsets.
  struct Items {
    u64 begin, end;
  };
  Items of(u64 segment) const { return within(written(segment)); }

  // Calls take(segment, items) for each of [first, end), in order: faster than one by one.
  template <class Take>
  void visit(u64 first, u64 end, const Take& take) const {
    if (request_.offset_form == OffsetForm::bounds)
      return segments_.visit_segments(first, end, [&](u64 segment, u64 begin, u64 its_end) {
        take(segment, within({static_cast<i64>(begin), static_cast<i64>(its_end)}));
      });
    for (u64 segment = first; segment < end; ++segment) take(segment, of(segment));
  }

  // Writes the offsets of that role from segment `first` on, as many as fill `out`.
  void fill(OperandRole role, u64 first, std::span<std::byte> out) const;

 private:
  // A segment as its offsets are written: below 0 only if their type has negative numbers, and maybe beyond the items.
  struct Written {
    i64 begin, end;
  };
  Items within(const Written& offsets) const;
  Written written(u64 segment) const;
  Written drawn(u64 segment) const;

  ReduceRequest request_;
  u64 seed_;
  u64 n_;  // that the type can count
  DrawnSegments segments_;
};

}  // namespace scantune
