// The copy: the memory traffic of a scan without its arithmetic. Its speed is the ceiling for a scan.
#pragma once

#include "core/contract/algorithm.h"
#include "core/contract/combining.h"
#include "core/contract/strides.h"
#include "core/contract/value.h"

namespace scantune {

// output[i] = input[i], converted if the types differ. With strides, item i of each row or column is copied to item i
// of the same one, as it is. How dense items are divided changes nothing.
struct CopyRequest {
  ValueType input_type = ValueType::i32;
  ValueType output_type = ValueType::i32;
  Segments segments = Segments::none;
  int custom_bytes = 0;      // size of ValueType::custom; 0 where no type is custom
  int custom_alignment = 0;  // alignment of ValueType::custom
  u64 n = 0;                 // items
  u64 rows = 0;              // of Segments::rows
  u64 columns = 0;           // of Segments::columns
  Layout layout = {};        // strides of rows or columns

  constexpr int bytes_of(ValueType type) const { return type == ValueType::custom ? custom_bytes : size_of(type); }
  constexpr int alignment_of(ValueType type) const {
    return type == ValueType::custom ? custom_alignment : size_of(type);
  }
  constexpr int input_bytes() const { return bytes_of(input_type); }
  constexpr int output_bytes() const { return bytes_of(output_type); }
  constexpr bool converts() const { return input_type != output_type; }
  // The rows or columns.
  constexpr u64 sequences() const {
    return segments == Segments::rows ? rows : segments == Segments::columns ? columns : 1;
  }
  // Bytes that kernels move as one item without conversion: the largest power of two that divides item size and
  // alignment.
  constexpr int unit_bytes() const {
    const int bits = input_bytes() | alignment_of(input_type), unit = bits & -bits;
    return unit < 8 ? unit : 8;
  }

  constexpr bool operator==(const CopyRequest&) const = default;
};

// Null if the strides lead to an item of every row or column, else why not.
constexpr const char* invalid_layout_reason(const CopyRequest& request) {
  if (!request.layout.is_strided() || request.n == 0) return nullptr;
  if (request.segments == Segments::none) return "strides are those of rows or columns: ask for such";
  if (request.n % request.sequences() != 0)
    return "strided rows or columns are equally long: n must be a multiple of their number";
  if (request.sequences() % request.layout.plane_sequences != 0)
    return "planes have equally many rows or columns: their number must be a multiple of plane_sequences";
  return request.converts() ? "strided items are copied as they are: leave output_type out" : nullptr;
}

constexpr const char* unsupported_reason(const CopyRequest& request) {
  if (request.segments > Segments::columns) return "a copy is of rows, columns or all items";
  if (const char* reason = invalid_segments_reason(request)) return reason;
  if (const char* reason = invalid_layout_reason(request)) return reason;
  const ValueType in = request.input_type, out = request.output_type;
  if (in == ValueType::custom || out == ValueType::custom) {
    if (request.converts()) return "a custom type is input and output type at once";
    return invalid_custom_reason(request.custom_bytes, request.custom_alignment);
  }
  if (is_floating(in) && !is_floating(out)) return "floating-point items are not copied to integers";
  if (is_integer(in) && is_floating(out) && size_of(out) < 4) return "integers are copied to f32 and f64 alone";
  return nullptr;
}

#ifndef __CUDACC_RTC__
template <>
struct Algorithm<CopyRequest> {
  static constexpr const char* kName = "copy";
  static constexpr const char* kRequestName = "CopyRequest";
  static constexpr const char* kProblemName = "CopyProblem";

  static constexpr Member<CopyRequest> kMembers[] = {
      SCANTUNE_MEMBER(CopyRequest, input_type, width).defaults_to(nullptr),
      SCANTUNE_MEMBER(CopyRequest, output_type, width).defaults_to([](const CopyRequest& request) {
        return static_cast<int>(request.input_type);
      }),
      // No record names it: it matters to strides alone, which none names either.
      SCANTUNE_MEMBER(CopyRequest, segments, per_call).not_compiled().means("rows, columns: those that have strides.")};

  static constexpr Extent<CopyRequest> kExtents[] = {
      SCANTUNE_EXTENT(CopyRequest, rows, "How many items each row has.")
          .where("segments", Segments::rows)
          .stored_as("row_items")
          .finely(),
      SCANTUNE_EXTENT(CopyRequest, columns, "Columns of n / columns items each.")
          .where("segments", Segments::columns)
          .finely()};

  static constexpr OperandList operands(const CopyRequest& request) {
    OperandList list;
    list.add({.name = "input",
              .role = OperandRole::input,
              .type = "input_type",
              .extent = Operand::kItems,
              .range = strided_range(request, request.layout.input)});
    // What is in the gaps of a strided output stays, so that it cannot be the input.
    list.add({.name = "output",
              .role = OperandRole::output,
              .type = "output_type",
              .extent = Operand::kItems,
              .range = strided_range(request, request.layout.output),
              .lies_apart = request.layout.is_strided()});
    return list;
  }

  static constexpr const char* remark(const CopyRequest& request) {
    return request.layout.is_strided() ? "with strides" : "";
  }
};
#endif

}  // namespace scantune
