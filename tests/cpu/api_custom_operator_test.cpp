#include <gtest/gtest.h>

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

// A record that serves the operator, so that there is a default config to fall back to.
RecordRow record_of_affine() {
  RecordRow row = row_with("lookback", 1 << 20, "window", 64);
  row.input_type = row.accumulator_type = row.output_type = "custom12";
  row.op = "custom_moderate:affine";
  return row;
}

TEST_F(Plans, OfACustomOperatorThatDoesNotCompileThrowWhatTheCompilerSaidAtOnce) {
  rows_ = {record_of_affine()};
  device_->compiler().refused = kAffine.source;
  ::testing::internal::CaptureStderr();
  EXPECT_THROW(plan(custom12(1 << 20), 4, &kAffine), CompileError);
  EXPECT_EQ(device_->compiler().compilations, 1) << "another config was tried";
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "a config was blamed";
}

TEST_F(Plans, OfACustomOperatorRunTheDefaultConfigWhenATunedKernelDoesNotLoad) {
  rows_ = {record_of_affine()};
  device_->before_load = [loads = 0]() mutable {
    if (++loads == 1) throw DeviceError("too many registers");
  };
  EXPECT_TRUE(contains(plan(custom12(1 << 20), 4, &kAffine)->describe(), "too many registers"));
}

TEST_F(Plans, OfANamedOperatorUseTheRecordOfItsName) {
  RecordRow of_the_class = record_of_affine();
  of_the_class.op = "custom_moderate";
  of_the_class.config = row_with("lookback", 1 << 20, "window", 32).config;
  rows_ = {of_the_class, record_of_affine()};
  const CustomOperator nameless{kAffine.source, ""};
  EXPECT_EQ(value_of(plan(custom12(1 << 20), 4, &kAffine)->selection().config, "window"), 64);
  EXPECT_EQ(value_of(plan(custom12(1 << 20), 4, &nameless)->selection().config, "window"), 32);
}

}  // namespace
}  // namespace scantune::testing
