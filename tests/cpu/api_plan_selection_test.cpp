#include <gtest/gtest.h>

#include "api_plans.h"
#include "launch/tuning_command.h"

namespace scantune::testing {
namespace {

TEST_F(Plans, DescribeTheRecordThatTheyComeFrom) {
  rows_ = {row_with("lookback", 1 << 20, "block_threads", 512)};
  const std::string text = plan(sum_of(1 << 20))->describe();
  for (const char* part : {"i32 inclusive sum of 1048576 items on NVIDIA H200 (sm_90, 132 SMs)", "block_threads=512",
                           "exact_n, tuned for n = 1048576, which serves 524289 to 1048576 items, on this device",
                           "10 us (default 12 us)", "2025-01-02T03:04:05Z", "test.db", "fake 1.0"})
    EXPECT_TRUE(contains(text, part)) << part << " is not in\n" << text;
}

TEST_F(Plans, RunTheDefaultConfigWhenATunedKernelDoesNotCompileAndSaySo) {
  rows_ = {row_with("lookback", 1 << 20, "window", 64)};
  device_->compiler().refused = "window = 64";
  const auto plan = this->plan(sum_of(1 << 20));
  EXPECT_EQ(plan->selection().origin, ConfigOrigin::untuned);
  EXPECT_EQ(plan->selection().config, default_config(sum_of(1 << 20), 90));
  EXPECT_TRUE(contains(plan->describe(), "the fake compiler refuses")) << plan->describe();
  run(*plan, input_, output_);
  EXPECT_EQ(device_->launched.size(), 1u);
}

TEST_F(Plans, PassOnTheErrorOfADeviceThatHasFailedInsteadOfBlamingTheConfig) {
  rows_ = {row_of("lookback", 1 << 20)};
  int loads = 0;
  device_->before_load = [&] {
    ++loads;
    device_->lost = "an illegal address";
    throw DeviceError(device_->lost);
  };
  EXPECT_THROW(plan(sum_of(1 << 20)), DeviceError);
  EXPECT_EQ(loads, 1) << "the default config was tried";
}

TEST_F(Plans, PassOnAShortageOfMemoryInsteadOfBlamingTheConfig) {
  rows_ = {row_of("lookback", 1 << 20)};
  device_->out_of_memory = true;  // the reserved workspaces cannot be allocated
  EXPECT_THROW(plan(sum_of(1 << 20)), OutOfMemoryError);
  device_ = std::make_shared<FakeDevice>();  // this one has loaded nothing
  int loads = 0;
  device_->before_load = [&] {
    ++loads;
    throw OutOfMemoryError("no room for the kernels");
  };
  EXPECT_THROW(plan(sum_of(1 << 20)), OutOfMemoryError);
  EXPECT_EQ(loads, 1) << "the default config was tried";
}

TEST_F(Plans, RunTheDefaultConfigWhenATunedKernelDoesNotLoad) {
  rows_ = {row_with("lookback", 1 << 20, "window", 64)};
  device_->before_load = [loads = 0]() mutable {
    if (++loads == 1) throw DeviceError("no kernel image");
  };
  EXPECT_TRUE(contains(plan(sum_of(1 << 20))->describe(), "no kernel image"));
}

TEST_F(Plans, RunAConfigWithoutClustersWhenThoseOfATunedKernelDoNotFitTheDevice) {
  rows_ = {row_with("one_shot", 1 << 16, "cluster_blocks", 8)};
  EXPECT_EQ(plan(sum_of(1 << 16))->selection().origin, ConfigOrigin::exact_n);
  device_->most_cluster_blocks = 4;
  const auto plan = this->plan(sum_of(1 << 16));
  EXPECT_EQ(plan->selection().config, default_config_without_clusters(sum_of(1 << 16), 90));
  EXPECT_TRUE(contains(plan->describe(), "no such cluster fits the fake device")) << plan->describe();
  run(*plan, input_, output_);
  ASSERT_EQ(device_->launched.size(), 1u);
  EXPECT_EQ(device_->launched[0].launch.cluster_blocks, 1);
}

TEST_F(Plans, OfEverySizeFindAConfigOnADeviceWithoutRoomForClusters) {
  device_->most_cluster_blocks = 1;
  bool some_default_uses_clusters = false;
  for (u64 n = 1; n <= u64{1} << 24; n *= 2) {
    const ScanRequest request = sum_of(n);
    some_default_uses_clusters |= default_config(request, 90) != default_config_without_clusters(request, 90);
    EXPECT_NO_THROW(plan(request)) << n << " items";
  }
  EXPECT_TRUE(some_default_uses_clusters);
}

TEST_F(Plans, PassOnTheErrorWhenEvenTheDefaultDoesNotCompile) {
  device_->compiler().refused = "one_shot";
  EXPECT_THROW(plan(sum_of(1 << 20)), CompileError);
}

TEST_F(Plans, SayOncePerProblemThatNothingWasTunedUnlessAskedToBeQuiet) {
  ScanRequest f64 = sum_of(1000);
  f64.input_type = f64.accumulator_type = f64.output_type = ValueType::f64;
  setenv("SCANTUNE_LOG", "quiet", 1);
  ::testing::internal::CaptureStderr();
  plan(f64);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  unsetenv("SCANTUNE_LOG");
  ::testing::internal::CaptureStderr();
  plan(f64);
  const std::string first = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(contains(first, "no tuning record for f64 sum on NVIDIA H200 (sm_90)")) << first;
  EXPECT_TRUE(contains(first, "scantune --arch sm_90 --type f64 --op sum")) << first;
  ::testing::internal::CaptureStderr();
  f64.n = 2000;
  plan(f64);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(Plans, RefuseAConfigThatCannotRunTheRequest) {
  const Config config = find_family("single_block")->default_config(sum_of(1024), 90);
  EXPECT_THROW(Plan(device_, CheckedRequest(sum_of(1 << 20)), {config, ConfigOrigin::exact_n, "", std::nullopt}),
               RequestError);
}

TEST_F(Plans, RunTheConfigThatTheCallerGivesInPlaceOfARecord) {
  rows_ = {row_with("lookback", 1 << 20, "block_threads", 512)};
  ::testing::internal::CaptureStderr();
  const auto plan = this->plan(sum_of(1 << 20), 4, nullptr, R"({"family": "three_phase", "block_threads": 128})");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "a choice of the caller's needs no remark";
  Config expected = find_family("three_phase")->default_config(sum_of(1 << 20), 90);
  expected[0] = 128;
  EXPECT_EQ(plan->selection().config, expected);
  EXPECT_TRUE(contains(plan->describe(), "config: " + to_string(expected) + "\n  origin: given, by the caller\n"))
      << plan->describe();
  EXPECT_FALSE(contains(plan->describe(), "record:")) << plan->describe();
}

TEST_F(Plans, PassOnTheErrorWhenAGivenConfigDoesNotCompileOrLoad) {
  const char* const config = R"({"family": "lookback", "window": 64})";
  device_->compiler().refused = "window = 64";
  EXPECT_THROW(plan(sum_of(1 << 20), 4, nullptr, config), CompileError);
  device_ = std::make_shared<FakeDevice>();
  int loads = 0;
  device_->before_load = [&] {
    ++loads;
    throw DeviceError("no kernel image");
  };
  EXPECT_THROW(plan(sum_of(1 << 20), 4, nullptr, config), DeviceError);
  EXPECT_EQ(loads, 1) << "another config was tried";
}

TEST_F(Plans, OfCustomOperatorsTakeGivenConfigsToo) {
  const CustomOperator custom{"Value combine", ""};
  const auto plan = this->plan(custom12(1 << 20), 4, &custom, R"({"family": "three_phase"})");
  EXPECT_EQ(plan->selection().origin, ConfigOrigin::given);
  EXPECT_EQ(plan->selection().config, find_family("three_phase")->default_config(custom12(1 << 20), 90));
}

TEST_F(Plans, OfAnUntunedCustomOperatorSayHowItsCostClassIsTuned) {
  const CustomOperator custom{"Value combine", ""};
  ScanRequest request = custom12(1000);  // no other test has this problem: each is told once
  request.op = Operator::custom_cheap;
  ::testing::internal::CaptureStderr();
  plan(request, 4, &custom);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(contains(text, "no tuning record for custom12 custom_cheap on NVIDIA H200")) << text;
  EXPECT_TRUE(contains(text, "scantune --arch sm_90 --type custom12 --op custom_cheap")) << text;
}

TEST_F(Plans, OfAnUntunedNamedOperatorSayHowItIsTunedByItsName) {
  const CustomOperator custom{"Value combine", "unheard"};  // a process says it once, and other tests name operators
  ::testing::internal::CaptureStderr();
  plan(custom12(1000), 4, &custom);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(contains(text, "no tuning record for custom12 unheard on NVIDIA H200")) << text;
  EXPECT_TRUE(contains(text, "--type custom12 --operator FILE --name unheard --cost moderate'")) << text;
}

TEST_F(Plans, OfDifferentTypesSayHowTheyAreTuned) {
  const auto logged = [&](const ScanRequest& request) {
    ::testing::internal::CaptureStderr();
    plan(request);
    return ::testing::internal::GetCapturedStderr();
  };
  ScanRequest request = flags_to_offsets(1000);
  request.op = Operator::bit_or;
  EXPECT_TRUE(contains(logged(request), "--type i8:i32 --op bit_or'"));
  request.accumulator_type = ValueType::i64;
  EXPECT_TRUE(contains(logged(request), "--type i8:i64:i32 --op bit_or'"));
}

TEST(TuningCommand, NamesEveryMemberOfTheRequestByWhichRecordsAreKept) {
  const auto command = [](const ScanRequest& request, const char* name = nullptr) {
    const CustomOperator custom{"Value combine", name != nullptr ? name : ""};
    return tuning_command(request, is_custom(request.op) ? &custom : nullptr, "sm_90");
  };
  ScanRequest request = sum_of(1000);
  EXPECT_EQ(command(request), "scantune --arch sm_90 --type i32 --op sum");
  request.input_type = ValueType::u8;
  request.op = Operator::max;
  EXPECT_EQ(command(request), "scantune --arch sm_90 --type u8:i32 --op max");
  request.determinism = Determinism::run_to_run;
  EXPECT_EQ(command(request), "scantune --arch sm_90 --type u8:i32 --op max --determinism run_to_run");
  request.forward_progress = ForwardProgress::documented;
  EXPECT_EQ(command(request),
            "scantune --arch sm_90 --type u8:i32 --op max --determinism run_to_run --forward-progress documented");
  request.latency = Latency::isolated;
  EXPECT_TRUE(command(request).ends_with("--forward-progress documented --latency isolated")) << command(request);

  ScanRequest of_struct = custom12(1000);
  EXPECT_EQ(command(of_struct, "affine"),
            "scantune --arch sm_90 --type custom12 --operator FILE --name affine --cost moderate");
  of_struct.custom_alignment = 2;
  of_struct.determinism = Determinism::run_to_run;
  EXPECT_EQ(command(of_struct, "affine"),
            "scantune --arch sm_90 --type custom12 --operator FILE --name affine --cost moderate --alignment 2 "
            "--determinism run_to_run");
  EXPECT_EQ(command(of_struct), "scantune --arch sm_90 --type custom12 --op custom_moderate --determinism run_to_run");
  request = sum_of(1000);
  request.op = Operator::custom_expensive;
  EXPECT_EQ(command(request, "mine"), "scantune --arch sm_90 --type i32 --operator FILE --name mine --cost expensive");
}

}  // namespace
}  // namespace scantune::testing
