// Problems of every sort whose outputs are checked on the device.
#pragma once

#include <vector>

#include "space/space.h"

namespace scantune {

inline ScanRequest scan_of(ValueType input, ValueType accumulator, ValueType output, Operator op = Operator::sum,
                           Kind kind = Kind::inclusive, Init init = Init::none) {
  return {.input_type = input,
          .accumulator_type = accumulator,
          .output_type = output,
          .op = op,
          .kind = kind,
          .init = init};
}

inline ScanRequest scan_of(ValueType type, Operator op = Operator::sum, Kind kind = Kind::inclusive,
                           Init init = Init::none) {
  return scan_of(type, default_accumulator(type, type), type, op, kind, init);
}

inline ScanRequest scan_of_structs(int bytes, int alignment, Operator op, Kind kind = Kind::inclusive) {
  ScanRequest request = scan_of(ValueType::custom, ValueType::custom, ValueType::custom, op, kind,
                                kind == Kind::exclusive ? Init::value : Init::none);
  request.custom_bytes = bytes;
  request.custom_alignment = alignment;
  return request;
}

inline ScanRequest in_reverse(ScanRequest request) {
  request.direction = Direction::reverse;
  return request;
}

inline CopyRequest copy_of(ValueType input, ValueType output) { return {.input_type = input, .output_type = output}; }

inline CopyRequest copy_of_structs(int bytes, int alignment) {
  return {.input_type = ValueType::custom,
          .output_type = ValueType::custom,
          .custom_bytes = bytes,
          .custom_alignment = alignment};
}

// Problems with each type, operator, kind, source of an initial value, direction, and sort of conversion.
inline std::vector<Request> checked_problems() {
  using V = ValueType;
  const Kind exclusive = Kind::exclusive, inclusive = Kind::inclusive;
  return {scan_of(V::i8),
          scan_of(V::i16, Operator::product, exclusive, Init::value),
          scan_of(V::i32, Operator::min),
          scan_of(V::i64, Operator::max, exclusive, Init::memory),
          scan_of(V::u8, Operator::bit_and),
          scan_of(V::u16, Operator::bit_or, inclusive, Init::value),
          scan_of(V::u32, Operator::bit_xor),
          scan_of(V::u64, Operator::sum, inclusive, Init::memory),
          scan_of(V::f16),
          scan_of(V::bf16, Operator::min, exclusive, Init::value),
          scan_of(V::f32, Operator::product),
          scan_of(V::f64, Operator::max),
          scan_of(V::f64, V::f64, V::f16),
          scan_of(V::i64, V::i32, V::i8),
          scan_of(V::u8, V::f32, V::f32),
          scan_of(V::i32, V::f32, V::bf16, Operator::custom_moderate),
          scan_of(V::f32, Operator::custom_cheap),
          scan_of_structs(3, 1, Operator::custom_moderate),
          scan_of_structs(32, 16, Operator::custom_expensive, exclusive),
          in_reverse(scan_of(V::i32)),
          in_reverse(scan_of(V::f16, Operator::min, exclusive, Init::value)),
          in_reverse(scan_of_structs(12, 4, Operator::custom_moderate)),
          copy_of(V::i32, V::i32),
          copy_of(V::f16, V::bf16),
          copy_of(V::u64, V::i8),
          copy_of_structs(24, 8),
          copy_of_structs(3, 1)};
}

}  // namespace scantune
