// Segments that offsets in memory describe.
#pragma once

#include "core/contract/offsets.h"
#include "core/machine/memory.h"

namespace scantune {

template <OffsetType>
struct TypeOfOffset {
  using Type = i32;
};
template <>
struct TypeOfOffset<OffsetType::i64> {
  using Type = i64;
};
template <>
struct TypeOfOffset<OffsetType::u32> {
  using Type = u32;
};
template <>
struct TypeOfOffset<OffsetType::u64> {
  using Type = u64;
};

struct Segment {
  u64 begin, end;  // of its items

  SCANTUNE_DEVICE u64 items() const { return end - begin; }
};

// Whatever the offsets say, a segment is within the n items, and one that ends before it begins is empty.
template <OffsetType kType, OffsetForm kForm, CountSource kSource>
struct OffsetSegments {
  using Offset = typename TypeOfOffset<kType>::Type;

  // How many there are, of at most so many.
  SCANTUNE_DEVICE static u64 count(const KernelArguments& arguments, u64 most) {
    if constexpr (kSource == CountSource::call) {
      return most;
    } else {
      const u64 count = read_count(arguments);
      return count < most ? count : most;
    }
  }

  SCANTUNE_DEVICE static Segment at(const KernelArguments& arguments, u64 segment) {
    constexpr bool kHasEnds = kForm == OffsetForm::begins_and_ends;
    const Offset* const begins = arguments.operand<const Offset>(OperandRole::begins) + segment;
    const Offset* const ends = kHasEnds ? arguments.operand<const Offset>(OperandRole::ends) + segment : begins + 1;
    const u64 begin = within(scantune::load_global<CacheHint::normal>(begins), arguments.n);
    const u64 end = within(scantune::load_global<CacheHint::normal>(ends), arguments.n);
    return {begin, end < begin ? begin : end};
  }

 private:
  SCANTUNE_DEVICE static u64 within(Offset offset, u64 n) {
    if constexpr (kType == OffsetType::i32 || kType == OffsetType::i64)
      if (offset < 0) return 0;
    const u64 place = static_cast<u64>(offset);
    return place < n ? place : n;
  }

  SCANTUNE_DEVICE static u64 read_count(const KernelArguments& arguments) {
    if constexpr (kSource == CountSource::memory_32)
      return scantune::load_global<CacheHint::normal>(arguments.operand<const u32>(OperandRole::segment_count));
    else
      return scantune::load_global<CacheHint::normal>(arguments.operand<const u64>(OperandRole::segment_count));
  }
};

template <class Problem>
using SegmentsOf =
    OffsetSegments<Problem::kRequest.offset_type, Problem::kRequest.offset_form, Problem::kRequest.count_source>;

}  // namespace scantune
