// The families of load balances compile for every architecture they claim to support, and spill nothing.
#include <gtest/gtest.h>

#include <string>

#include "compile_log.h"
#include "families_under_test.h"
#include "instantiation/instantiation.h"
#include "kept_compiler.h"
#include "space/space.h"

namespace scantune {
namespace {

constexpr int kSms[] = {75, 80, 90, 100};

struct Problem {
  const char* name;
  LoadBalanceRequest request;
};
void PrintTo(const Problem& problem, std::ostream* out) { *out << problem.name; }

constexpr LoadBalanceRequest of(ValueType offset, ValueType output, Assigned assigned, u64 n = u64{1} << 26) {
  return {.input_type = offset, .output_type = output, .assigned = assigned, .n = n, .segments = n / 4};
}

constexpr LoadBalanceRequest of_structs(int bytes, int alignment) {
  LoadBalanceRequest request = of(ValueType::i64, ValueType::custom, Assigned::values);
  request.custom_bytes = bytes;
  request.custom_alignment = alignment;
  return request;
}

const Problem kProblems[] = {
    {"u32_segments", of(ValueType::u32, ValueType::u32, Assigned::segments)},
    {"u32_few_segments", of(ValueType::u32, ValueType::u32, Assigned::segments, 10'000)},
    {"i64_segments_and_ranks", of(ValueType::i64, ValueType::i64, Assigned::segments_and_ranks)},
    {"u64_ranks", of(ValueType::u64, ValueType::u32, Assigned::ranks)},
    {"u8_values", of(ValueType::u32, ValueType::u8, Assigned::values)},
    {"f64_values", of(ValueType::u64, ValueType::f64, Assigned::values)},
    {"bytes_3_values", of_structs(3, 1)},
    {"bytes_12_values", of_structs(12, 4)},
    {"bytes_32_values", of_structs(32, 16)},
};

class LoadBalances : public testing::TestWithParam<Problem> {};

TEST_P(LoadBalances, CompileForEveryArchitectureWithoutSpills) {
  const LoadBalanceRequest& request = GetParam().request;
  ASSERT_EQ(unsupported_reason(request), nullptr);
  for (const int sm : kSms)
    for (const FamilyModel* family : families_of<LoadBalanceRequest>(Standing::library)) {
      if (family->unsupported_reason(request, sm) != nullptr) continue;
      for (const bool is_staged : {false, true}) {
        Config config = family->default_config(request, sm);
        for (std::size_t index = 0; index < family->parameters().size(); ++index)
          if (std::string_view(family->parameters()[index].name) == "staged")
            config[static_cast<int>(index)] = is_staged;
        if (is_staged && sm < 80 && reject_reason(config, request, sm) != nullptr) continue;  // wide tiles do not fit
        ASSERT_EQ(reject_reason(config, request, sm), nullptr) << to_string(config);
        const Binary binary =
            compile_with_nvrtc(instantiate(request, config, Variant::any), "sm_" + std::to_string(sm));
        EXPECT_FALSE(binary.image.empty());
        EXPECT_NE(binary.log.find(" 0 bytes spill stores"), std::string::npos) << to_string(config) << sm << binary.log;
        EXPECT_EQ(reported_bytes(binary.log, "stack frame"), 0) << to_string(config) << sm << binary.log;
      }
    }
}

// What offsets are checked by, where a caller asks for that.
TEST_P(LoadBalances, CompileTheCheckOfOffsets) {
  for (const int sm : kSms) {
    const Binary binary =
        compile_with_nvrtc(instantiate_check(GetParam().request, "kernels/check_offsets.h", {"check_offsets"}),
                           "sm_" + std::to_string(sm));
    EXPECT_FALSE(binary.image.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(OfProblems, LoadBalances, testing::ValuesIn(kProblems),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace scantune
