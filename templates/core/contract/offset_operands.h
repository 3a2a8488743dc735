// What requests of segments by offsets have in common: rules, and arrays.
#pragma once

#include "core/contract/combining.h"
#include "core/contract/offsets.h"
#include "core/contract/operand.h"

namespace scantune {

// Why the items cannot be divided by offsets, or why members of offsets mean nothing without them, or null.
template <class Request>
constexpr const char* invalid_offsets_reason(const Request& request) {
  if (!request.has_offsets()) {
    const bool is_default = request.offset_type == OffsetType::i32 && request.offset_form == OffsetForm::bounds &&
                            request.count_source == CountSource::call;
    return is_default ? nullptr
                      : "only segments by offsets have a type and a form of offsets, and a source of their number";
  }
  if constexpr (requires { request.layout; })
    if (request.layout.is_strided()) return "strides are those of rows or columns, and offsets count items";
  if (request.n > 0 && request.segment_count == 0) return "there are items and no segments to hold them";
  return nullptr;
}

#ifndef __CUDACC_RTC__

template <class Request>
constexpr void add_offsets(const Request& request, OperandList& list) {
  const char* const type = name_of(request.offset_type);
  const bool has_ends = request.offset_form == OffsetForm::begins_and_ends;
  const StridedRange range = {.items = request.segment_count + (has_ends ? 0 : 1)};
  list.add({has_ends ? "begins" : "offsets", OperandRole::begins, type, "segment_count", false, range});
  if (has_ends) list.add({"ends", OperandRole::ends, type, "segment_count"});
  if constexpr (requires { request.init; })
    if (request.init == Init::each) list.add({"device_inits", OperandRole::init, "accumulator_type", "segment_count"});
  if (request.count_source != CountSource::call)
    list.add({"device_segment_count", OperandRole::segment_count, name_of(request.count_source), Operand::kOne});
}

#endif

}  // namespace scantune
