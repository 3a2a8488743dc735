// The families of reductions compile for every architecture they claim to support, and hold their values in registers.
#include <gtest/gtest.h>

#include <string>

#include "compile_log.h"
#include "families_under_test.h"
#include "host/test_operator.h"
#include "instantiation/instantiation.h"
#include "kept_compiler.h"
#include "space/space.h"

namespace scantune {
namespace {

constexpr int kSms[] = {75, 80, 90, 100};

struct Problem {
  const char* name;
  ReduceRequest request;
};
void PrintTo(const Problem& problem, std::ostream* out) { *out << problem.name; }

ReduceRequest of(ValueType input, Operator op, ValueType output, Position position = Position::none) {
  return {.input_type = input,
          .accumulator_type = default_accumulator(input, output),
          .output_type = output,
          .op = op,
          .position = position,
          .init = position == Position::none ? Init::value : Init::none,
          .n = u64{1} << 26};
}

const Problem kProblems[] = {{"i32_sum", of(ValueType::i32, Operator::sum, ValueType::i32)},
                             {"i8_sum", of(ValueType::i8, Operator::sum, ValueType::i32)},
                             {"u16_max", of(ValueType::u16, Operator::max, ValueType::u16)},
                             {"f16_min", of(ValueType::f16, Operator::min, ValueType::f16)},
                             {"f32_sum", of(ValueType::f32, Operator::sum, ValueType::f32)},
                             {"f64_product", of(ValueType::f64, Operator::product, ValueType::f64)},
                             {"u64_bit_xor", of(ValueType::u64, Operator::bit_xor, ValueType::u64)},
                             {"f32_argmin", of(ValueType::f32, Operator::min, ValueType::f32, Position::first)},
                             {"i64_argmax", of(ValueType::i64, Operator::max, ValueType::i64, Position::first)}};

class Reductions : public testing::TestWithParam<Problem> {};

TEST_P(Reductions, CompileForEveryArchitectureWithoutSpills) {
  const ReduceRequest& request = GetParam().request;
  for (const int sm : kSms)
    for (const FamilyModel* family : families_of<ReduceRequest>(Standing::library)) {
      if (family->unsupported_reason(request, sm) != nullptr) continue;
      for (const Variant variant : {Variant::aligned, Variant::any}) {
        const Binary binary = compile_with_nvrtc(instantiate(request, family->default_config(request, sm), variant),
                                                 "sm_" + std::to_string(sm));
        EXPECT_FALSE(binary.image.empty());
        EXPECT_NE(binary.log.find(" 0 bytes spill stores"), std::string::npos) << family->name() << sm << binary.log;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(OfProblems, Reductions, testing::ValuesIn(kProblems),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace scantune
