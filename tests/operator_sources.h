// Sources of a caller's operator that compilers treat in a particular way.
#pragma once

#include <string>
#include <vector>

#include "config/request.h"
#include "instantiation/custom_operator.h"

namespace scantune {

// A mistake, and what a compiler's report on it must name.
struct OperatorMistake {
  const char* name;  // fit for the name of a test
  ScanRequest request;
  CustomOperator custom;
  int line;          // of the source where it shows
  const char* word;  // of the report
};

inline constexpr ScanRequest kScanOfPairs = {.input_type = ValueType::custom,
                                             .accumulator_type = ValueType::custom,
                                             .output_type = ValueType::custom,
                                             .op = Operator::custom_moderate,
                                             .custom_bytes = 8,
                                             .custom_alignment = 4,
                                             .n = 1000};

inline std::vector<OperatorMistake> operator_mistakes() {
  constexpr ScanRequest kFloats = {.input_type = ValueType::f32,
                                   .accumulator_type = ValueType::f32,
                                   .output_type = ValueType::f32,
                                   .op = Operator::custom_cheap,
                                   .n = 1000};
  const auto source = [](const char* text) { return CustomOperator{.source = text, .name = ""}; };
  return {
      {"syntax_error", kScanOfPairs, source(R"(struct Value {
  float scale, offset;
};
__device__ Value combine(Value earlier, Value later) {
  return {earlier.scale * later.scale, later.scale * * earlier.offset later.offset};
}
)"),
       5, "later"},
      {"unknown_name", kFloats, source(R"(__device__ Value combine(Value earlier, Value later) {
  const Value sum = earlier + later;
  return sum > 1 ? total : sum;
}
)"),
       3, "total"},
      {"unknown_member", kScanOfPairs, source(R"(struct Value {
  float scale, offset;
};

__device__ Value combine(Value earlier, Value later) {
  return {earlier.scale * later.factor, later.offset};
}
)"),
       6, "factor"},
      // What is not there shows after the last line.
      {"missing_combine", kFloats, source("__device__ Value join(Value earlier, Value later) {\n  return later;\n}"), 4,
       "combine"},
      {"missing_value", kScanOfPairs,
       source("struct Pair {\n  float scale, offset;\n};\n__device__ Pair combine(Pair earlier, Pair later) {\n"
              "  return later;\n}"),
       7, "Value"},
      {"value_of_the_wrong_size", kScanOfPairs,
       source("struct Value {\n  float scale, offset, rest;\n};\n"
              "__device__ Value combine(Value earlier, Value later) {\n  return later;\n}"),
       7, "size"},
      {"value_of_the_wrong_alignment", kScanOfPairs,
       source("struct Value {\n  double number;\n};\n"
              "__device__ Value combine(Value earlier, Value later) {\n  return later;\n}"),
       7, "alignment"},
      {"value_without_default_constructor", kScanOfPairs,
       source("struct Value {\n  float a, b;\n  __device__ Value(float x, float y) : a(x), b(y) {}\n};\n"
              "__device__ Value combine(Value earlier, Value later) {\n  return later;\n}"),
       8, "default constructor"},
      {"value_with_a_constant", kScanOfPairs,
       source("struct Value {\n  const float a = 1;\n  float b;\n};\n"
              "__device__ Value combine(Value earlier, Value later) {\n  return later;\n}"),
       8, "assignable"},
      {"missing_brace", kFloats,
       source("__device__ Value combine(Value earlier, Value later) {\n  if (later > 1) {\n  return later;\n}"), 5,
       "namespace"},
      {"result_of_another_type", kFloats,
       source("__device__ int combine(Value earlier, Value later) {\n  return earlier < later;\n}"), 4,
       "combine must return a Value"},
  };
}

// A scan of pairs whose source calls things as the kernels around it do.
inline const CustomOperator kOperatorWithCommonNames{.source = R"(typedef double u32;
typedef int i64;
struct Problem {
  float scale, offset;
};
using Value = Problem;
namespace instance {
struct Choice {};
}  // namespace instance
struct Choice {};
struct TileScan {};
template <class T>
struct OperatorOf {};
enum Kind { inclusive, exclusive };
__device__ float convert(u32 number) { return number; }
__device__ float ballot(float a, float b) { return a * b; }
__device__ Value combine(Value earlier, Value later) {
  i64 lane = 1;
  return {ballot(earlier.scale, later.scale), convert(lane * later.scale * earlier.offset + later.offset)};
}
)",
                                                     .name = ""};

}  // namespace scantune
