// The members that requests of segments by offsets share, under the same names.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>

#include "c_api/members.h"
#include "core/contract/offsets.h"

namespace scantune::c_api {

static_assert(same(SCANTUNE_BOUNDS, OffsetForm::bounds) && same(SCANTUNE_BEGINS_AND_ENDS, OffsetForm::begins_and_ends));

inline OffsetType checked_offset_type(const scantune_type& type) {
  constexpr int kTypes[] = {SCANTUNE_I32, SCANTUNE_I64, SCANTUNE_U32, SCANTUNE_U64};
  const int number = number_in(type);
  if (number == SCANTUNE_DEFAULT_TYPE) return OffsetType::i32;
  const auto found = std::ranges::find(kTypes, number);
  if (found == std::end(kTypes))
    fail("offset_type", std::to_string(number) +
                            "; offsets are integers of 4 or 8 bytes: SCANTUNE_I32, SCANTUNE_I64, "
                            "SCANTUNE_U32 or SCANTUNE_U64");
  return static_cast<OffsetType>(found - kTypes);
}

// Throws if the caller gives what only segments by offsets have.
template <class Caller>
void refuse_offsets(const Caller& said) {
  const auto refuse = [](const char* member, bool given) {
    if (given)
      fail(member, "given, and segments is not SCANTUNE_BY_OFFSETS: set it, or leave " + std::string(member) + " at 0");
  };
  refuse("offset_type", number_in(said.offset_type) != SCANTUNE_DEFAULT_TYPE);
  refuse("offset_form", number_in(said.offset_form) != SCANTUNE_BOUNDS);
  refuse("segment_count", said.segment_count != 0);
  refuse("device_segment_count", said.device_segment_count != nullptr);
  refuse("segment_count_type", number_in(said.segment_count_type) != SCANTUNE_DEFAULT_TYPE);
  refuse("check", said.check != 0);
}

template <class Caller, class Typed>
[[gnu::noinline]] void take_offsets(const Caller& said, Typed& request) {
  if (!request.has_offsets()) return refuse_offsets(said);
  request.offset_type = checked_offset_type(said.offset_type);
  request.offset_form = checked<OffsetForm>("offset_form", said.offset_form);
  request.segment_count = said.segment_count;
  if (request.n > greatest_of(request.offset_type))
    fail("offset_type", std::string(token(request.offset_type)) + ", and n is " + std::to_string(request.n) +
                            ", which offsets of that type cannot reach: pass 64 bits");
  if (said.check > 1) fail("check", std::to_string(said.check) + "; it must be 0 or 1");
  if (said.device_segment_count == nullptr)
    return refuse_type("segment_count_type", said.segment_count_type, "device_segment_count is NULL");
  const IntegerWidth width =
      checked_width("segment_count_type", said.segment_count_type, "segment_count", said.segment_count);
  request.count_source = width == IntegerWidth::bits_32 ? CountSource::memory_32 : CountSource::memory;
}

}  // namespace scantune::c_api
