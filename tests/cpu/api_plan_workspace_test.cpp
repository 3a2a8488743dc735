#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <thread>

#include "api_plans.h"

namespace scantune::testing {
namespace {

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
    void launch(const Module& module, const Launch& launch, KernelArguments& arguments, Stream stream) override {
      FakeDevice::launch(module, launch, arguments, stream);
      std::this_thread::sleep_for(std::chrono::microseconds(200));  // gives the other thread time to interfere
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
      find_family("three_phase")->launches(plans[0]->selection().config, sum_of(1 << 20), Variant::aligned).count);
  ASSERT_GT(of_one_scan, 1u);
  ASSERT_EQ(launched.size(), kThreads * 20 * of_one_scan);
  for (std::size_t first = 0; first < launched.size(); first += of_one_scan)
    for (std::size_t index = first; index < first + of_one_scan; ++index)
      ASSERT_EQ(launched[index].arguments.operand(OperandRole::input),
                launched[first].arguments.operand(OperandRole::input))
          << "launch " << index;
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

// What the plan's kernels use of a workspace.
u64 used_bytes(const Plan& plan) {
  const Config& config = plan.selection().config;
  return config.family().workspace(config, plan.request()).bytes;
}

TEST_F(Plans, InACallersWorkspaceAskForNoMemoryAndZeroItInTheStreamBeforeTheLaunch) {
  rows_ = {row_of("lookback", 1 << 20)};
  const auto plan = this->plan(sum_of(1 << 20), 0);
  const Stream stream = device_->make_stream();
  ASSERT_GT(plan->workspace_bytes(), sizeof(WorkspaceHeader));
  void* const workspace = address(0x7000000);
  for (std::size_t run = 0; run < 3; ++run) {
    if (run == 1) device_->begin_capture(stream, 1);
    plan->run_in({workspace, plan->workspace_bytes()}, {input_, output_}, InitialValue(), stream);
    ASSERT_EQ(device_->launched.size(), run + 1);
    ASSERT_EQ(device_->zeroed.size(), run + 1);
    EXPECT_EQ(device_->launched[run].arguments.workspace, workspace);
    EXPECT_EQ(device_->zeroed[run].memory, workspace);
    EXPECT_EQ(device_->zeroed[run].bytes, used_bytes(*plan));
    EXPECT_EQ(device_->zeroed[run].stream, stream);
    EXPECT_EQ(device_->zeroed[run].launches_before, run);
  }
  EXPECT_EQ(device_->driver_calls, 0);
  EXPECT_EQ(device_->stream_queries, 0) << "nothing is kept for the stream";
  EXPECT_TRUE(device_->held_by_graph.empty());
}

TEST_F(Plans, PutTheHeaderOfACallersWorkspaceAtAMultipleOfItsAlignment) {
  rows_ = {row_of("lookback", 1 << 20)};
  const auto plan = this->plan(sum_of(1 << 20), 0);
  ASSERT_EQ(plan->workspace_bytes(), used_bytes(*plan) + 112);
  for (const auto& [given, header] :
       {std::pair(0x7000000, 0x7000000), {0x7000010, 0x7000080}, {0x7000070, 0x7000080}}) {
    const auto memory = static_cast<std::uintptr_t>(given), expected = static_cast<std::uintptr_t>(header);
    plan->run_in({address(memory), plan->workspace_bytes()}, {input_, output_}, InitialValue(), nullptr);
    EXPECT_EQ(device_->launched.back().arguments.workspace, address(expected));
    EXPECT_EQ(device_->zeroed.back().memory, address(expected));
  }
}

TEST_F(Plans, OfSeveralLaunchesZeroNothingInACallersWorkspace) {
  rows_ = {row_of("three_phase", 1 << 20)};
  const auto plan = this->plan(sum_of(1 << 20), 0);
  ASSERT_GT(plan->workspace_bytes(), 0u);
  plan->run_in({address(0x7000000), plan->workspace_bytes()}, {input_, output_}, InitialValue(), nullptr);
  EXPECT_TRUE(device_->zeroed.empty());
  ASSERT_GT(device_->launched.size(), 1u);
  for (const FakeLaunch& launch : device_->launched) EXPECT_EQ(launch.arguments.workspace, address(0x7000000));
}

TEST_F(Plans, RefuseAWorkspaceBetweenRowsThatLieApart) {
  for (const i64 row_stride : {1000, -1000}) {
    ScanRequest request = sum_of(200);
    request.segments = Segments::rows;
    request.rows = 2;
    request.layout.plane_sequences = 2;
    request.layout.input = request.layout.output = {.item = 1, .sequence = row_stride};
    const Arguments arguments{CheckedRequest(request)};
    const std::uintptr_t between = reinterpret_cast<std::uintptr_t>(input_) + (row_stride > 0 ? 2048 : -2048);
    try {
      arguments.check_workspace({address(between), 256}, 256, {input_, output_});
      ADD_FAILURE() << "accepted with a row_stride of " << row_stride;
    } catch (const RequestError& error) {
      EXPECT_TRUE(contains(error.what(), " and input [0x")) << error.what();
    }
    EXPECT_NO_THROW(arguments.check_workspace({address(0x7000000), 256}, 256, {input_, output_}));
  }
}

TEST_F(Plans, WithoutWorkspaceTakeAnyOrNoneOfTheCallers) {
  rows_ = {row_of("single_block", 1024)};
  const auto plan = this->plan(sum_of(1024), 0);
  EXPECT_EQ(plan->workspace_bytes(), 0u);
  for (const GivenWorkspace& workspace : {GivenWorkspace{nullptr, 0}, GivenWorkspace{input_, 7}})
    plan->run_in(workspace, {input_, output_}, InitialValue(), nullptr);
  ASSERT_EQ(device_->launched.size(), 2u);
  for (const FakeLaunch& launch : device_->launched) EXPECT_EQ(launch.arguments.workspace, nullptr);
  EXPECT_TRUE(device_->zeroed.empty());
}

TEST_F(Plans, WithoutWorkspaceAreCapturedAnyNumberOfTimes) {
  rows_ = {row_of("single_block", 1024)};
  const auto plan = this->plan(sum_of(1024), 0);
  const Stream stream = device_->make_stream();
  device_->begin_capture(stream, 1);
  for (int launch = 0; launch < 20; ++launch) run(*plan, input_, output_, stream);
  EXPECT_EQ(device_->launched.size(), 20u);
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

// Refuses one launch.
struct Refusing : FakeDevice {
  void launch(const Module& module, const Launch& launch, KernelArguments& arguments, Stream stream) override {
    if (left-- == 0) throw DeviceError("the fake device refuses this launch");
    FakeDevice::launch(module, launch, arguments, stream);
  }
  int left = 0;  // launches until then
};

// What a part of a run leaves in status words and counters would make the next run wrong. A single launch that a driver
// refuses leaves nothing, and what several launches pass on is written anew by each run.
TEST_F(Plans, ThatFailedLeaveAWorkspaceOfZeroes) {
  struct Tried {
    const char* family;
    Request request;
    bool outlives;
  };
  const Request scan(sum_of(1 << 20)), sort(SortRequest{.n = 1 << 20});
  const Tried kTried[] = {{"lookback", scan, true},
                          {"one_shot", scan, true},
                          {"pipelined", scan, true},
                          {"lookback", scan, false},
                          {"sort_onesweep", sort, false}};
  for (const auto& [family, request, outlives] : kTried)
    for (const bool is_captured : {false, true}) {
      SCOPED_TRACE(std::string(family) + (outlives ? ", outlives" : "") + (is_captured ? ", captured" : ""));
      const auto device = std::make_shared<Refusing>();
      device->outlives = outlives;
      const auto plan = make_plan(device, TuningTable(), CheckedRequest(request), 20, CaptureMemory::ahead, nullptr,
                                  "{\"family\": \"" + std::string(family) + "\"}");
      const Stream stream = device->make_stream();
      if (is_captured) device->begin_capture(stream, 1);
      const LaunchList list = find_family(family)->launches(plan->selection().config, request, Variant::aligned);
      const auto run = [&] { plan->run({input_, output_}, InitialValue(), stream); };
      for (int refused = 0; refused < list.count; ++refused) {
        device->left = refused;
        device->zeroed.clear();
        EXPECT_THROW(run(), DeviceError);
        if (!outlives) {
          EXPECT_TRUE(device->zeroed.empty());
        } else {
          ASSERT_EQ(device->zeroed.size(), 1u);
          EXPECT_EQ(device->zeroed.front().stream, stream);
          EXPECT_GE(device->zeroed.front().bytes, used_bytes(*plan));
        }
        const std::size_t zeroed = device->zeroed.size();
        device->left = list.count;
        run();
        EXPECT_EQ(device->zeroed.size(), zeroed) << "only what failed is cleared";
        if (zeroed > 0 && !is_captured) {
          EXPECT_EQ(device->launched.back().arguments.workspace, device->zeroed.front().memory);
        }
      }
    }
}

}  // namespace
}  // namespace scantune::testing
