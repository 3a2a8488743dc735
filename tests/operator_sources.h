// Sources of a caller's operators: those that tests scan with, and those with mistakes.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "scan/config/scan.h"
#include "space/custom_operator.h"

namespace scantune {

// The map x -> a x + b, for linear recurrences, where `number` is the type of a and b.
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
  const char* name;  // usable in the name of a test
  ScanRequest request;
  CustomOperator custom;
  int line;          // line of the source that the report names
  const char* word;  // word in the report
};

inline void PrintTo(const OperatorMistake& mistake, std::ostream* out) { *out << mistake.name; }

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
      // Compilers report a wrong definition after the last line.
      {"combine_of_one_value", kScanOfFloats, source("__device__ Value combine(Value later) {\n  return later;\n}"), 4,
       "combine must take two Values"},
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

// Mistakes that are found before a compiler runs.
inline std::vector<OperatorMistake> mistakes_of_definitions() {
  const auto source = [](const char* text) { return CustomOperator{.source = text, .name = ""}; };
  return {
      {"missing_combine", kScanOfFloats,
       source("__device__ Value join(Value earlier, Value later) {\n  return later;\n}"), 4,
       "no combine: define __device__ Value combine(Value earlier, Value later)"},
      {"missing_value", kScanOfPairs,
       source("struct Pair {\n  float scale, offset;\n};\n__device__ Pair combine(Pair earlier, Pair later) {\n"
              "  return later;\n}"),
       7, "no Value: define a struct Value"},
      {"value_beside_a_number", kScanOfFloats,
       source("// Two numbers.\nstruct Value {\n  float a, b;\n};\n"
              "__device__ Value combine(Value earlier, Value later) {\n  return later;\n}"),
       2, "Value is declared already, as f32, in which the items are combined: leave its definition out"},
  };
}

// An operator that calls every mathematical function that CUDA C++ declares without an include and the host device has.
inline const CustomOperator kOperatorWithMathematics{
    .source = R"(__device__ __noinline__ float single(float x, float y) {
  x = acosf(x) + acoshf(x) + asinf(x) + asinhf(x) + atanf(x) + atanhf(x) + cbrtf(x) + ceilf(x) + cosf(x) + coshf(x);
  x += erff(x) + erfcf(x) + expf(x) + exp10f(x) + exp2f(x) + expm1f(x) + fabsf(x) + floorf(x) + logf(x) + log10f(x);
  x += log1pf(x) + log2f(x) + nearbyintf(x) + rintf(x) + roundf(x) + sinf(x) + sinhf(x) + sqrtf(x) + tanf(x);
  x += tanhf(x) + truncf(x) + rsqrtf(x) + ldexpf(x, 3) + fmaf(x, y, x) + nextafterf(x, y) + remainderf(x, y);
  return x + atan2f(x, y) + copysignf(x, y) + fdimf(x, y) + fmaxf(x, y) + fminf(x, y) + fmodf(x, y) + hypotf(x, y) +
         powf(x, y);
}
static __device__ __noinline__ double twice_as_wide(double x, double y) {
  x = acos(x) + acosh(x) + asin(x) + asinh(x) + atan(x) + atanh(x) + cbrt(x) + ceil(x) + cos(x) + cosh(x);
  x += erf(x) + erfc(x) + exp(x) + exp10(x) + exp2(x) + expm1(x) + fabs(x) + floor(x) + log(x) + log10(x);
  x += log1p(x) + log2(x) + nearbyint(x) + rint(x) + round(x) + sin(x) + sinh(x) + sqrt(x) + tan(x);
  x += tanh(x) + trunc(x) + rsqrt(x) + ldexp(x, 3) + fma(x, y, x) + nextafter(x, y) + remainder(x, y);
  return x + atan2(x, y) + copysign(x, y) + fdim(x, y) + fmax(x, y) + fmin(x, y) + fmod(x, y) + hypot(x, y) + pow(x, y);
}
__host__ __device__ bool strange(double x) { return isnan(x) || isinf(x) || !isfinite(x) || signbit(x); }
__host__ __device__ __forceinline__ int whole(int x, unsigned y) { return min(x, 5) + max(x, 3) + max(y, 1u) + abs(x); }
__device__ Value combine(Value earlier, Value later) {
  return max(single(earlier, later), static_cast<Value>(twice_as_wide(earlier, later))) + whole(earlier, later) +
         strange(later);
}
)",
    .name = ""};

}  // namespace scantune
