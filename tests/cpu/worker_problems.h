// Problems of every type and operator for the tests of inputs, references and verification.
#pragma once

#include <vector>

#include "space/space.h"
#include "space/spelling.h"

namespace scantune::testing {

inline ScanRequest request_of(ValueType input, ValueType accumulator, ValueType output, Operator op = Operator::sum) {
  return {.input_type = input, .accumulator_type = accumulator, .output_type = output, .op = op};
}

inline ScanRequest custom_request(int bytes, int alignment = 0, Operator op = Operator::custom_moderate) {
  ScanRequest request = request_of(ValueType::custom, ValueType::custom, ValueType::custom, op);
  request.custom_bytes = bytes;
  request.custom_alignment = alignment == 0 ? natural_alignment(bytes) : alignment;
  return request;
}

inline std::vector<Operator> all_operators() {
  std::vector<Operator> all;
  for (std::size_t op = 0; op < std::size(Tokens<Operator>::kNames); ++op) all.push_back(static_cast<Operator>(op));
  return all;
}

// Every built-in type with itself and its default accumulator, and mixed ones of every sort.
inline std::vector<ScanRequest> type_triples() {
  using enum ValueType;
  std::vector<ScanRequest> all;
  for (const ValueType type : {i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64})
    all.push_back(request_of(type, default_accumulator(type, type), type));
  const ValueType mixed[][3] = {{i8, i32, i32},  {i8, i64, i64},  {u8, u32, u32},  {u32, i32, i8},   {i64, i32, i32},
                                {i8, u64, u64},  {i32, i64, i16}, {i32, f32, f32}, {i64, f64, f64},  {u8, f32, f32},
                                {u16, f64, f16}, {i8, f32, bf16}, {f16, f32, f32}, {f32, f32, bf16}, {f64, f64, f16},
                                {f64, f32, f32}, {bf16, f64, f16}};
  for (const auto& [input, accumulator, output] : mixed) all.push_back(request_of(input, accumulator, output));
  return all;
}

inline std::vector<ScanRequest> custom_types() {
  std::vector<ScanRequest> all;
  for (const int bytes : {1, 2, 3, 4, 6, 7, 8, 12, 16, 20, 24, 32}) all.push_back(custom_request(bytes));
  all.push_back(custom_request(16, 4));
  all.push_back(custom_request(32, 1));
  return all;
}

// Every operator that the types of the request can be scanned with.
inline std::vector<ScanRequest> with_operators(const ScanRequest& types) {
  std::vector<ScanRequest> all;
  for (const Operator op : all_operators()) {
    ScanRequest request = types;
    request.op = op;
    if (unsupported_reason(request) == nullptr) all.push_back(request);
  }
  return all;
}

}  // namespace scantune::testing
