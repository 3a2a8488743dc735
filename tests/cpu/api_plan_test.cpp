#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <thread>

#include "api_counting_new.h"
#include "api_fake_device.h"
#include "launch/checked_scan.h"
#include "scantune/runtime.hpp"
#include "select_rows.h"

namespace scantune {
namespace {

using testing::address;
using testing::allocation_count;
using testing::FakeDevice;
using testing::row_of;
using testing::row_with;
using testing::sum_of;
using testing::value_of;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

ScanRequest request_for(Operator op, Kind kind, u64 n) {
  ScanRequest request = sum_of(n);
  request.op = op;
  request.kind = kind;
  request.init = kind == Kind::exclusive ? Init::value : Init::none;
  return request;
}

class Plans : public ::testing::Test {
 protected:
  std::shared_ptr<ScanPlan> plan(const ScanRequest& request, int captured_launches = 4) {
    return make_scan_plan(device_, TuningTable(rows_), request, captured_launches);
  }
  void run(ScanPlan& plan, void* input, void* output, Stream stream = nullptr) {
    plan.run(input, output, InitialValue(), stream);
  }

  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
  std::vector<RecordRow> rows_;
  void* const input_ = address(0x1000000);
  void* const output_ = address(0x90000000);
};

TEST_F(Plans, LaunchWhatTheFamilyAsksForWithPointersAndWorkspaceFilledIn) {
  constexpr int kMany = 1 << 26;  // sums of sums, at offsets of their own
  rows_ = {row_of("three_phase", kMany)};
  const auto plan = this->plan(sum_of(kMany));
  run(*plan, input_, output_, device_->make_stream());
  const auto expected = find_family("three_phase")->launches(plan->selection().config, sum_of(kMany));
  ASSERT_EQ(expected.count, 5);
  ASSERT_EQ(device_->launched.size(), static_cast<std::size_t>(expected.count));
  for (int index = 0; index < expected.count; ++index) {
    const auto& made = device_->launched[static_cast<std::size_t>(index)];
    const Launch& asked = expected.launches[index];
    EXPECT_EQ(made.launch.kernel, asked.kernel);
    EXPECT_EQ(made.launch.grid_blocks, asked.grid_blocks);
    EXPECT_EQ(made.arguments.n, asked.n);
    EXPECT_EQ(made.arguments.source_offset, asked.source_offset);
    EXPECT_EQ(made.arguments.destination_offset, asked.destination_offset);
    EXPECT_EQ(made.arguments.input, input_);
    EXPECT_EQ(made.arguments.output, output_);
    EXPECT_TRUE(device_->allocations.contains(made.arguments.workspace));
  }
}

TEST_F(Plans, LoadEveryKernelWithTheSharedMemoryThatAnyNNeeds) {
  rows_ = {row_of("three_phase", 1024)};
  run(*plan(sum_of(1024)), input_, output_);
  for (const int bytes : device_->launched.at(0).module->max_shared_bytes) EXPECT_GT(bytes, 0);
}

TEST_F(Plans, PickTheKernelForTheAlignmentOfBothPointers) {
  const auto plan = this->plan(sum_of(1 << 20));
  const auto module_for = [&](std::uintptr_t input, std::uintptr_t output) {
    run(*plan, address(input), address(output));
    return device_->launched.back().module;
  };
  const auto* const aligned = module_for(0x1000000, 0x9000000);
  const auto* const any = module_for(0x1000004, 0x9000000);
  EXPECT_NE(aligned, any);
  EXPECT_EQ(module_for(0x1000010, 0x9000020), aligned);
  EXPECT_EQ(module_for(0x1000000, 0x9000008), any);
  EXPECT_EQ(module_for(0x1000004, 0x9000004), any);
}

TEST_F(Plans, CompileBothKernelsWhenTheyAreMadeAndNoneWhenTheyRun) {
  const auto plan = this->plan(sum_of(1 << 20));
  EXPECT_EQ(device_->compiler().compilations, 2);
  run(*plan, address(0x1000000), address(0x9000000));
  run(*plan, address(0x1000004), address(0x9000004));
  EXPECT_EQ(device_->compiler().compilations, 2);
}

TEST_F(Plans, OfAnotherNShareTheLoadedKernels) {
  rows_ = {row_of("three_phase", 1 << 20)};
  plan(sum_of(1 << 20));
  plan(sum_of(1 << 19));
  EXPECT_EQ(device_->compiler().compilations, 2);
}

TEST_F(Plans, AllocateNothingAndCallTheDriverOnlyToLaunchWhenWarm) {
  rows_ = {row_of("lookback", 1 << 20)};
  const auto plan = this->plan(sum_of(1 << 20));
  const Stream stream = device_->make_stream();
  device_->launched.reserve(100);
  run(*plan, input_, output_, stream);
  const int calls = device_->driver_calls;
  const long before = allocation_count;
  for (int call = 0; call < 10; ++call) run(*plan, input_, output_, stream);
  EXPECT_EQ(allocation_count, before);
  EXPECT_EQ(device_->driver_calls, calls);
  EXPECT_EQ(device_->launched.size(), 11u);
}

TEST_F(Plans, OfNoItemsLaunchNothingAndLookAtNothing) {
  const auto plan = this->plan(sum_of(0));
  run(*plan, nullptr, nullptr, device_->make_stream());
  EXPECT_TRUE(device_->launched.empty());
  EXPECT_EQ(device_->compiler().compilations, 0);
  EXPECT_TRUE(contains(plan->describe(), "nothing to launch"));
}

TEST_F(Plans, RunOnManyStreamsWithAWorkspaceEach) {
  rows_ = {row_of("lookback", 1 << 20)};
  const auto plan = this->plan(sum_of(1 << 20));
  std::set<void*> workspaces;
  for (int stream = 0; stream < 5; ++stream) {
    run(*plan, input_, output_, device_->make_stream());
    workspaces.insert(device_->launched.back().arguments.workspace);
  }
  EXPECT_EQ(workspaces.size(), 5u);
}

TEST_F(Plans, RunFromManyThreads) {
  rows_ = {row_of("lookback", 1 << 20)};
  const auto plan = this->plan(sum_of(1 << 20));
  std::vector<Stream> streams;
  for (int stream = 0; stream < 4; ++stream) streams.push_back(device_->make_stream());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (std::size_t call = 0; call < 200; ++call)
        run(*plan, input_, output_, streams[(call + static_cast<std::size_t>(thread)) % streams.size()]);
    });
  for (auto& thread : threads) thread.join();
  std::map<Stream, std::set<void*>> workspaces;
  for (const auto& launch : device_->launched) workspaces[launch.stream].insert(launch.arguments.workspace);
  for (const auto& [stream, used] : workspaces) EXPECT_EQ(used.size(), 1u);
}

TEST_F(Plans, OfSeveralLaunchesKeepTheirStreamsWorkspaceUntilAllAreEnqueued) {
  struct SlowToLaunch : FakeDevice {
    void launch(const Module& module, const Launch& launch, const KernelArguments& arguments, Stream stream) override {
      FakeDevice::launch(module, launch, arguments, stream);
      std::this_thread::sleep_for(std::chrono::microseconds(200));  // lets the other thread come between
    }
  };
  constexpr std::uintptr_t kThreads = 3;
  device_ = std::make_shared<SlowToLaunch>();
  rows_ = {row_of("three_phase", 1 << 20), row_of("three_phase", 1 << 12)};
  const std::array plans{plan(sum_of(1 << 20)), plan(sum_of(1 << 12))};
  const Stream stream = device_->make_stream();
  std::vector<std::thread> threads;
  for (std::uintptr_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (int call = 0; call < 20; ++call) run(*plans[thread % 2], address((thread + 1) << 28), output_, stream);
    });
  for (auto& thread : threads) thread.join();
  const auto& launched = device_->launched;
  const auto of_one_scan = static_cast<std::size_t>(
      find_family("three_phase")->launches(plans[0]->selection().config, sum_of(1 << 20)).count);
  ASSERT_GT(of_one_scan, 1u);
  ASSERT_EQ(launched.size(), kThreads * 20 * of_one_scan);
  for (std::size_t first = 0; first < launched.size(); first += of_one_scan)
    for (std::size_t index = first; index < first + of_one_scan; ++index)
      ASSERT_EQ(launched[index].arguments.input, launched[first].arguments.input) << "launch " << index;
}

TEST_F(Plans, TakeTheirReservedWorkspacesWhileCapturedAndLaunchNothingWithoutOne) {
  rows_ = {row_of("lookback", 1 << 20)};
  const auto plan = this->plan(sum_of(1 << 20), 2);
  const Stream stream = device_->make_stream();
  run(*plan, input_, output_, stream);
  device_->begin_capture(stream, 1);
  const int calls = device_->driver_calls;
  run(*plan, input_, output_, stream);
  run(*plan, input_, output_, stream);
  EXPECT_EQ(device_->driver_calls, calls);
  EXPECT_NE(device_->launched[0].arguments.workspace, device_->launched[1].arguments.workspace);
  EXPECT_NE(device_->launched[1].arguments.workspace, device_->launched[2].arguments.workspace);
  EXPECT_THROW(run(*plan, input_, output_, stream), RequestError);
  EXPECT_EQ(device_->launched.size(), 3u);
  device_->destroy_graph(1);
  run(*plan, input_, output_, stream);
  EXPECT_EQ(device_->launched.size(), 4u);
}

TEST_F(Plans, WithoutWorkspaceAreCapturedAnyNumberOfTimes) {
  rows_ = {row_of("single_block", 1024)};
  const auto plan = this->plan(sum_of(1024), 0);
  const Stream stream = device_->make_stream();
  device_->begin_capture(stream, 1);
  for (int launch = 0; launch < 20; ++launch) run(*plan, input_, output_, stream);
  EXPECT_EQ(device_->launched.size(), 20u);
}

TEST_F(Plans, DescribeTheRecordThatTheyComeFrom) {
  rows_ = {row_with("lookback", 1 << 20, "block_threads", 512)};
  const std::string text = plan(sum_of(1 << 20))->describe();
  for (const char* part : {"i32 inclusive sum of 1048576 items on NVIDIA H200 (sm_90, 132 SMs)", "block_threads=512",
                           "exact_n, tuned for n = 1048576 on this device", "10 us (default 12 us)",
                           "2025-01-02T03:04:05Z", "test.db", "fake 1.0"})
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
  device_->out_of_memory = true;  // for the reserved workspaces
  EXPECT_THROW(plan(sum_of(1 << 20)), OutOfMemoryError);
  device_ = std::make_shared<FakeDevice>();  // with nothing loaded
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

TEST_F(Plans, PassOnTheErrorWhenEvenTheDefaultDoesNotCompile) {
  device_->compiler().refused = "lookback";
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
  EXPECT_THROW(ScanPlan(device_, sum_of(1 << 20), {config, ConfigOrigin::exact_n, "", std::nullopt}), RequestError);
}

TEST_F(Plans, GiveTheKernelsTheInitialValueOfThisCall) {
  const auto plan = this->plan(request_for(Operator::max, Kind::exclusive, 100));
  for (const i32 init : {-7, 12}) {
    plan->run(input_, output_, InitialValue(plan->request(), &init), nullptr);
    i32 passed = 0;
    std::memcpy(&passed, device_->launched.back().arguments.init, sizeof passed);
    EXPECT_EQ(passed, init);
  }
}

class Scans : public Plans {
 protected:
  void scan(const ScanRequest& request, const void* init = nullptr, Stream stream = nullptr) {
    checked_scan(device_, TuningTable(rows_), cache_, request, input_, output_, init, 4, stream);
  }

  PlanCache cache_;
};

TEST_F(Scans, RememberTheirPlans) {
  scan(sum_of(1 << 20));
  const long before = allocation_count;
  device_->launched.reserve(10);
  const TuningTable empty;
  const long reserved = allocation_count - before;
  checked_scan(device_, empty, cache_, sum_of(1 << 20), input_, output_, nullptr, 4, nullptr);
  EXPECT_EQ(allocation_count - before, reserved);
  EXPECT_EQ(device_->launched.size(), 2u);
}

TEST_F(Scans, UseTheInitialValueOfEachCallAlthoughThePlanIsRemembered) {
  const ScanRequest request = request_for(Operator::sum, Kind::exclusive, 100);
  for (const i32 init : {1, 2}) {
    scan(request, &init);
    i32 passed = 0;
    std::memcpy(&passed, device_->launched.back().arguments.init, sizeof passed);
    EXPECT_EQ(passed, init);
  }
}

TEST_F(Scans, OfMoreProblemsThanAreRememberedAllRunTheRightKernel) {
  for (int round = 0; round < 2; ++round)
    for (u64 n = 1; n <= 300; ++n) {
      scan(sum_of(n));
      EXPECT_EQ(device_->launched.back().arguments.n, n);
    }
}

TEST_F(Scans, OfNoItemsReturnAtOnceWhateverThePointers) {
  checked_scan(device_, TuningTable(), cache_, sum_of(0), nullptr, address(3), nullptr, 4, nullptr);
  EXPECT_TRUE(device_->launched.empty());
}

TEST_F(Scans, OfAKnownProblemMayBeCaptured) {
  rows_ = {row_of("lookback", 1 << 20)};
  const Stream stream = device_->make_stream();
  scan(sum_of(1 << 20), nullptr, stream);
  device_->begin_capture(stream, 1);
  scan(sum_of(1 << 20), nullptr, stream);
  ASSERT_EQ(device_->launched.size(), 2u);
  EXPECT_NE(device_->launched[0].arguments.workspace, device_->launched[1].arguments.workspace);
}

TEST_F(Scans, TakeOneWorkspacePerStreamUntilTheyAreCaptured) {
  rows_ = {row_of("lookback", 1 << 20)};
  const Stream stream = device_->make_stream();
  for (u64 n = 1 << 20; n > (1 << 20) - 50; --n) scan(sum_of(n), nullptr, stream);
  EXPECT_EQ(device_->allocations.size(), 1u);
}

TEST_F(Scans, NeedNoMoreThanAHundredthOfTheirInputAsWorkspace) {
  for (const FamilyModel* family : families()) {
    const ScanRequest request = sum_of(1 << 24);
    if (family->unsupported_reason(request, 90) != nullptr) continue;
    const WorkspaceNeed need = family->workspace(family->default_config(request, 90), request);
    EXPECT_LE(size_class(need.bytes), request.n * 4 / 100) << family->name();
  }
}

// Wrong arguments, each with what the message must name. A plan's call checks arithmetic only.
struct BadCall {
  const char* what;
  std::uintptr_t input;
  std::uintptr_t output;
  bool plan_too;
  std::vector<const char*> texts;
  void (*change)(ScanRequest&, FakeDevice&, Stream) = [](ScanRequest&, FakeDevice&, Stream) {};
};

void PrintTo(const BadCall& call, std::ostream* out) { *out << call.what; }

constexpr std::uintptr_t kInput = 0x1000000, kOutput = 0x9000000, kItems = 1000, kEnd = ~std::uintptr_t{0};

const std::vector<BadCall> kBadCalls = {
    {"null input", 0, kOutput, true, {"input is null"}},
    {"null output", kInput, 0, true, {"output is null"}},
    {"misaligned input", kInput + 2, kOutput, true, {"input is 0x1000002", "multiple of the 4 bytes of i32"}},
    {"misaligned output", kInput, kOutput + 1, true, {"output is 0x9000001", "multiple of the 4 bytes"}},
    {"output behind the start of the input", kInput, kInput + 4, true, {"input [0x1000000", "overlap"}},
    {"output before the end of the input", kInput + 4 * kItems - 4, kInput, true, {"overlap"}},
    {"input at the end of memory", kEnd - 4 * kItems + 5, kOutput, true, {"input", "end of the address space"}},
    {"output at the end of memory", kInput, kEnd - 4 * kItems + 5, true, {"output", "end of the address space"}},
    {"host input", 0xdead0000, kOutput, false, {"input", "memory of the host"}},
    {"host output", kInput, 0xdead0000, false, {"output", "memory of the host"}},
    {"stream of another context",
     kInput,
     kOutput,
     false,
     {"stream", "another context"},
     [](ScanRequest&, FakeDevice& device, Stream stream) {
       device.streams.at(stream).problem = "it belongs to another context";
     }},
    {"capture of an unknown problem",
     kInput,
     kOutput,
     false,
     {"being captured", "make a plan before"},
     [](ScanRequest&, FakeDevice& device, Stream stream) { device.begin_capture(stream, 1); }},
    {"type without a kernel",
     kInput,
     kOutput,
     false,
     {"no kernel scans", "value type must be"},
     [](ScanRequest& request, FakeDevice&, Stream) {
       request.input_type = request.accumulator_type = request.output_type = ValueType::u16;
     }},
    {"types that differ",
     kInput,
     kOutput,
     false,
     {"must be the same"},
     [](ScanRequest& request, FakeDevice&, Stream) { request.output_type = ValueType::i64; }},
    {"more items than an address space",
     kInput,
     kOutput,
     false,
     {"n is", "more items than fit"},
     [](ScanRequest& request, FakeDevice&, Stream) { request.n = ~u64{0}; }},
    {"more items than a grid can have",
     kInput,
     std::uintptr_t{1} << 60,
     false,
     {"no kernel scans", "more tiles than a grid"},
     [](ScanRequest& request, FakeDevice&, Stream) { request.n = u64{1} << 50; }},
};

class BadCalls : public ::testing::TestWithParam<BadCall> {
 protected:
  void expect_refused(const std::function<void()>& call) {
    try {
      call();
      FAIL() << "was not refused";
    } catch (const RequestError& error) {
      for (const char* text : GetParam().texts)
        EXPECT_TRUE(contains(error.what(), text)) << "'" << text << "' is not in: " << error.what();
    }
    EXPECT_TRUE(device_->launched.empty());
  }

  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>();
  Stream stream_ = device_->make_stream();
};

TEST_P(BadCalls, AreRefusedByScanWhichNamesTheArgument) {
  ScanRequest request = sum_of(kItems);
  GetParam().change(request, *device_, stream_);
  PlanCache cache;
  expect_refused([&] {
    checked_scan(device_, TuningTable(), cache, request, address(GetParam().input), address(GetParam().output), nullptr,
                 4, stream_);
  });
}

TEST_P(BadCalls, AreRefusedByAPlanIfArithmeticShowsThem) {
  if (!GetParam().plan_too) return;
  const auto plan = make_scan_plan(device_, TuningTable(), sum_of(kItems), 0);
  expect_refused([&] { plan->run(address(GetParam().input), address(GetParam().output), InitialValue(), stream_); });
}

INSTANTIATE_TEST_SUITE_P(Table, BadCalls, ::testing::ValuesIn(kBadCalls));

TEST_F(Plans, AcceptRangesThatTouchAndScansInPlace) {
  const auto plan = this->plan(sum_of(kItems));
  run(*plan, address(kInput), address(kInput + 4 * kItems));
  run(*plan, address(kInput + 4 * kItems), address(kInput));
  run(*plan, address(kInput), address(kInput));
  EXPECT_EQ(device_->launched.size(), 3u);
}

TEST_F(Plans, RefuseANumberOfCapturedLaunchesThatMakesNoSense) {
  for (const int launches : {-1, 1 << 20}) {
    try {
      plan(sum_of(1 << 20), launches);
      ADD_FAILURE() << launches << " was accepted";
    } catch (const RequestError& error) {
      EXPECT_TRUE(contains(error.what(), "captured_launches is " + std::to_string(launches))) << error.what();
    }
  }
}

TEST_F(Plans, OfAPlanThatRanMayDieWhileItsGraphLives) {
  rows_ = {row_of("lookback", 1 << 20)};
  const Stream stream = device_->make_stream();
  {
    const auto plan = this->plan(sum_of(1 << 20));
    device_->begin_capture(stream, 1);
    run(*plan, input_, output_, stream);
  }
  void* const captured = device_->launched.back().arguments.workspace;
  device_->end_capture(stream);
  const auto next = this->plan(sum_of(1 << 20));
  for (int launch = 0; launch < 4; ++launch) {
    device_->begin_capture(stream, 2);
    run(*next, input_, output_, stream);
    EXPECT_NE(device_->launched.back().arguments.workspace, captured);
  }
  device_->destroy_graph(1);
}

// Every row of the public options reaches the request.
TEST(ScanOptions, BecomeTheRequestTheySay) {
  using runtime::detail::init_of;
  using runtime::detail::request_of;
  const auto plain = request_of<float>(10, {});
  EXPECT_EQ(plain.input_type, ValueType::f32);
  EXPECT_EQ(plain.kind, Kind::inclusive);
  EXPECT_FALSE(plain.has_init());
  EXPECT_TRUE(request_of<int>(10, {.kind = Kind::exclusive}).has_init());
  EXPECT_TRUE(request_of<int>(10, {.init = 3}).has_init());
  EXPECT_EQ(init_of<int>({.init = 3}), 3);
  EXPECT_EQ(init_of<int>({.op = runtime::Op::max, .kind = Kind::exclusive}), std::numeric_limits<int>::lowest());
  EXPECT_EQ(init_of<double>({.op = runtime::Op::max}), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(init_of<long long>({}), 0);
  EXPECT_EQ(request_of<long>(10, {}).input_type, ValueType::i64);
}

}  // namespace
}  // namespace scantune
