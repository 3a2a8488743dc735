// The copy: the memory traffic of a scan without its arithmetic. Its speed is the ceiling for a scan.
#pragma once

#include "core/contract/algorithm.h"
#include "core/contract/value.h"

namespace scantune {

// output[i] = input[i], converted if the types differ.
struct CopyRequest {
  ValueType input_type = ValueType::i32;
  ValueType output_type = ValueType::i32;
  int custom_bytes = 0;      // size of ValueType::custom; 0 where no type is custom
  int custom_alignment = 0;  // alignment of ValueType::custom
  u64 n = 0;                 // items

  constexpr int bytes_of(ValueType type) const { return type == ValueType::custom ? custom_bytes : size_of(type); }
  constexpr int alignment_of(ValueType type) const {
    return type == ValueType::custom ? custom_alignment : size_of(type);
  }
  constexpr int input_bytes() const { return bytes_of(input_type); }
  constexpr int output_bytes() const { return bytes_of(output_type); }
  constexpr bool converts() const { return input_type != output_type; }
  // Bytes that kernels move as one item without conversion: the largest power of two that divides item size and
  // alignment.
  constexpr int unit_bytes() const {
    const int bits = input_bytes() | alignment_of(input_type), unit = bits & -bits;
    return unit < 8 ? unit : 8;
  }

  constexpr bool operator==(const CopyRequest&) const = default;
};

constexpr const char* unsupported_reason(const CopyRequest& request) {
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
      })};

  static constexpr OperandList operands(const CopyRequest&) {
    OperandList list;
    list.add({"input", OperandRole::input, "input_type", Operand::kItems});
    list.add({"output", OperandRole::output, "output_type", Operand::kItems});
    return list;
  }
};
#endif

}  // namespace scantune
