// Sources of a caller's operators: what tests scan with, and what compilers treat in a particular way.
#pragma once

#include <string>
#include <vector>

#include "config/request.h"
#include "instantiation/custom_operator.h"

namespace scantune {

// x -> a x + b, for linear recurrences. number: the type of a and b.
inline std::string affine_source(const std::string& number) {
  return "struct Value { " + number + " a, b; };\n" +
         "__device__ Value combine(Value f, Value g) { return {g.a * f.a, g.a * f.b + g.b}; }\n";
}

inline std::string complex_product_source(const std::string& number) {
  return "struct Value { " + number + " re, im; };\n" +
         "__device__ Value combine(Value x, Value y) {\n"
         "  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};\n"
         "}\n";
}

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

inline constexpr ScanRequest kScanOfFloats = {.input_type = ValueType::f32,
                                              .accumulator_type = ValueType::f32,
                                              .output_type = ValueType::f32,
                                              .op = Operator::custom_expensive,
                                              .n = 1000};

inline std::vector<OperatorMistake> operator_mistakes() {
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
      {"unknown_name", kScanOfFloats, source(R"(__device__ Value combine(Value earlier, Value later) {
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
      {"missing_combine", kScanOfFloats,
       source("__device__ Value join(Value earlier, Value later) {\n  return later;\n}"), 4, "combine"},
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
       8, "Value must have a default constructor"},
      {"value_with_a_constant", kScanOfPairs,
       source("struct Value {\n  const float a = 1;\n  float b;\n};\n"
              "__device__ Value combine(Value earlier, Value later) {\n  return later;\n}"),
       8, "Value must be assignable: it cannot have const members"},
      {"missing_brace", kScanOfFloats,
       source("__device__ Value combine(Value earlier, Value later) {\n  if (later > 1) {\n  return later;\n}"), 5,
       "namespace"},
      {"unfinished_comment", kScanOfFloats,
       source("__device__ Value combine(Value earlier, Value later) {\n  return later;\n}\n/* the end"), 4, "comment"},
      {"result_of_another_type", kScanOfFloats,
       source("__device__ int combine(Value earlier, Value later) {\n  return earlier < later;\n}"), 4,
       "combine must return a Value"},
  };
}

// Calls every mathematical function that CUDA C++ declares by itself and the host device promises too.
inline const CustomOperator kOperatorWithMathematics{
    .source = R"(__device__ __noinline__ float single(float x, float y) {
  x = ceilf(x) + cosf(x) + expf(x) + exp2f(x) + expm1f(x) + fabsf(x) + floorf(x) + logf(x) + log1pf(x) + log2f(x);
  return sinf(x) + sqrtf(x) + tanhf(x) + truncf(x) + fmaxf(x, y) + fminf(x, y) + powf(x, y) + fmaf(x, y, x);
}
static __device__ __noinline__ double twice_as_wide(double x, double y) {
  x = ceil(x) + cos(x) + exp(x) + exp2(x) + expm1(x) + fabs(x) + floor(x) + log(x) + log1p(x) + log2(x);
  return sin(x) + sqrt(x) + tanh(x) + trunc(x) + fmax(x, y) + fmin(x, y) + pow(x, y) + fma(x, y, x);
}
__host__ __device__ __forceinline__ int whole(int x, unsigned y) { return min(x, 5) + max(x, 3) + max(y, 1u); }
__device__ Value combine(Value earlier, Value later) {
  return max(single(earlier, later), static_cast<Value>(twice_as_wide(earlier, later))) + whole(earlier, later);
}
)",
    .name = ""};

}  // namespace scantune
