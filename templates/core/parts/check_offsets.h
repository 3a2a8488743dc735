// Finds the first wrong offset of segments: one outside [0, n], or the end of a segment before its begin.
#pragma once

#include "core/parts/first_wrong.h"
#include "core/parts/offset_segments.h"

namespace scantune {

template <class Problem>
struct OffsetsCheck {
  static constexpr bool kHasEnds = Problem::kRequest.offset_form == OffsetForm::begins_and_ends;
  using Segments = SegmentsOf<Problem>;
  using Offset = typename Segments::Offset;

  // With ends, a segment is right if both of its offsets are.
  SCANTUNE_DEVICE static bool is_right(const KernelArguments& arguments, u64 index) {
    const Offset* const begins = arguments.operand<const Offset>(OperandRole::begins) + index;
    const Offset first = scantune::load_global<CacheHint::normal>(begins);
    if (!is_within(first, arguments.n)) return false;
    if constexpr (kHasEnds) {
      const Offset end =
          scantune::load_global<CacheHint::normal>(arguments.operand<const Offset>(OperandRole::ends) + index);
      return is_within(end, arguments.n) && first <= end;
    }
    return index == 0 || scantune::load_global<CacheHint::normal>(begins - 1) <= first;
  }

  SCANTUNE_DEVICE static void check_offsets(const KernelArguments& arguments) {
    constexpr u64 kBeyond = kHasEnds ? 0 : 1;
    const u64 most = arguments.extents[0], segments = Segments::count(arguments, most);
    scantune::find_first_wrong(arguments, most + kBeyond, segments + kBeyond,
                               [&](u64 index) { return is_right(arguments, index); });
  }

 private:
  // One below 0 is a large number, too.
  SCANTUNE_DEVICE static bool is_within(Offset offset, u64 n) { return static_cast<u64>(offset) <= n; }
};

}  // namespace scantune
