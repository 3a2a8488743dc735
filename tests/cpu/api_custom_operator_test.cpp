#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "api_plans.h"

namespace scantune::testing {
namespace {

const CustomOperator kAffine{"struct Value { float a, b, c; };\nValue combine(Value f, Value g);", "affine"};

TEST_F(Plans, OfACustomOperatorCompileItsSource) {
  plan(custom12(1000), 4, &kAffine);
  for (const std::string& source : device_->compiler().sources) EXPECT_TRUE(contains(source, kAffine.source)) << source;
}

TEST_F(Plans, OfACustomOperatorOutliveTheCallersCopyOfIt) {
  auto custom = std::make_unique<CustomOperator>(kAffine);
  const auto plan = this->plan(custom12(1000), 4, custom.get());
  custom.reset();
  ASSERT_NE(plan->custom(), nullptr);
  EXPECT_EQ(*plan->custom(), kAffine);
}

TEST_F(Plans, OfBuiltInOperatorsHoldNoCustomOne) { EXPECT_EQ(plan(sum_of(1000))->custom(), nullptr); }

// A record of scans of 2^20 structs by an operator of moderate cost, in a config that is nobody's default.
RecordRow record_of(const char* op, int window) {
  constexpr int kItems = 1 << 20;
  Config config = find_family("lookback")->default_config(custom12(kItems), 90);
  const auto parameters = config.family().parameters();
  const auto changed =
      std::ranges::find(parameters, std::string_view("window"), [](const auto& parameter) { return parameter.name; });
  config[static_cast<int>(changed - parameters.begin())] = window;
  RecordRow row = row_of("lookback", kItems);
  testing::state(row, {"input_type", "accumulator_type", "output_type"}, "custom12");
  testing::state(row, {"op"}, op);
  row.config = canonical_parameters(config);
  return row;
}

TEST_F(Plans, OfACustomOperatorThatDoesNotCompileThrowWhatTheCompilerSaidAtOnce) {
  rows_ = {record_of("custom_moderate:affine", 64)};
  device_->compiler().refused = kAffine.source;
  ::testing::internal::CaptureStderr();
  try {
    plan(custom12(1 << 20), 4, &kAffine);
    ADD_FAILURE() << "no CompileError";
  } catch (const CompileError& error) {
    EXPECT_TRUE(contains(error.what(), "of custom12 inclusive custom_moderate:affine of")) << error.what();
  }
  EXPECT_EQ(device_->compiler().compilations, 1) << "another config was tried";
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "a config was blamed";
}

TEST_F(Plans, OfACustomOperatorRunTheDefaultConfigWhenATunedKernelDoesNotLoad) {
  rows_ = {record_of("custom_moderate:affine", 64)};
  device_->before_load = [loads = 0]() mutable {
    if (++loads == 1) throw DeviceError("too many registers");
  };
  EXPECT_TRUE(contains(plan(custom12(1 << 20), 4, &kAffine)->describe(), "too many registers"));
}

TEST_F(Plans, OfANamedOperatorDescribeItByItsName) {
  const std::string text = plan(custom12(1000), 4, &kAffine)->describe();
  EXPECT_TRUE(contains(text, "custom12 inclusive custom_moderate:affine of 1000 items on")) << text;
}

TEST_F(Plans, OfANamedOperatorUseTheRecordOfItsName) {
  rows_ = {record_of("custom_moderate", 32), record_of("custom_moderate:affine", 64)};
  const CustomOperator nameless{kAffine.source, ""};
  EXPECT_EQ(value_of(plan(custom12(1 << 20), 4, &kAffine)->selection().config, "window"), 64);
  EXPECT_EQ(value_of(plan(custom12(1 << 20), 4, &nameless)->selection().config, "window"), 32);
}

}  // namespace
}  // namespace scantune::testing
