// The public API on the GPU: streams, threads and graphs.
#include <algorithm>
#include <thread>

#include "device/cuda/context.h"
#include "device/cuda/cuda_device.h"
#include "gpu_test.h"
#include "jit/binary_cache.h"
#include "launch/plan.h"
#include "support/paths.h"

namespace scantune {
namespace {

using runtime::Buffer;
class StreamsOnGpu : public GpuTest {};
class GraphsOnGpu : public GpuTest {};

TEST_F(StreamsOnGpu, OnePlanRunsOnManyStreamsFromManyThreads) {
  constexpr std::size_t kItems = 3'000'001;
  const auto plan = runtime::plan<std::int32_t>(kItems);
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      cuda_device();  // makes a context current on this thread
      const auto items = random_items(kItems, thread);
      const auto sums = inclusive_sum(items);
      const TestStream stream;
      Buffer<std::int32_t> input(items), output(kItems);
      for (int round = 0; round < 30; ++round) {
        for (int launch = 0; launch < 5; ++launch) plan(input.data(), output.data(), stream);
        stream.synchronize();
        ASSERT_EQ(downloaded(output), sums) << "thread " << thread << ", round " << round;
      }
    });
  for (auto& thread : threads) thread.join();
}

TEST_F(StreamsOnGpu, TwoStreamsScanDifferentProblemsAtOnce) {
  const auto items = random_items(1u << 22, 1);
  const auto sums = inclusive_sum(items);
  const TestStream first, second;
  Buffer<std::int32_t> input(items), large(items.size());
  Buffer<std::int32_t> small(5000);
  for (int round = 0; round < 200; ++round) {
    runtime::scan(input.data(), large.data(), items.size(), {.stream = first});
    runtime::scan(input.data(), small.data(), 5000, {.stream = second});
  }
  first.synchronize();
  second.synchronize();
  EXPECT_EQ(downloaded(large), sums);
  EXPECT_EQ(downloaded(small), std::vector<std::int32_t>(sums.begin(), sums.begin() + 5000));
}

// Calls of one thread remember their plans together. The host device takes no notice of the stream.
TEST_F(StreamsOnGpu, TheHostDeviceTakesTurnsWithTheGpuOnOneThread) {
  constexpr std::size_t kItems = 5000;
  const runtime::Device kDevices[] = {runtime::Device::current_gpu, runtime::Device::host};
  std::vector<runtime::ScanPlan<std::int32_t>> plans;
  for (const auto device : kDevices) plans.push_back(runtime::plan<std::int32_t>(kItems, {.device = device}));
  EXPECT_EQ(plans[0].describe().find("(host, "), std::string::npos) << plans[0].describe();
  EXPECT_NE(plans[1].describe().find("(host, "), std::string::npos) << plans[1].describe();
  const TestStream stream;
  for (unsigned turn = 0; turn < 6; ++turn) {
    const runtime::Device device = kDevices[turn % 2];
    const auto items = random_items(kItems, turn);
    const Buffer<std::int32_t> input(items, device);
    Buffer<std::int32_t> by_call(kItems, device), by_plan(kItems, device);
    runtime::scan(input.data(), by_call.data(), kItems, {.stream = stream, .device = device});
    plans[turn % 2](input.data(), by_plan.data(), stream);
    stream.synchronize();
    EXPECT_EQ(downloaded(by_call), inclusive_sum(items)) << "turn " << turn;
    EXPECT_EQ(downloaded(by_plan), inclusive_sum(items)) << "turn " << turn;
    EXPECT_THROW(runtime::scan(input.data(), by_call.data(), kItems, {.device = kDevices[1 - turn % 2]}), RequestError);
  }
  runtime::release(nullptr, runtime::Device::host);
}

TEST_F(StreamsOnGpu, ScansOfOneStreamFollowEachOtherInPlace) {
  const auto items = random_items(70'001, 2);
  auto expected = items;
  const TestStream stream;
  Buffer<std::int32_t> buffer(items);
  const auto plan = runtime::plan<std::int32_t>(items.size());
  for (int scan = 0; scan < 50; ++scan) {
    plan(buffer.data(), buffer.data(), stream);
    expected = inclusive_sum(expected);
  }
  stream.synchronize();
  EXPECT_EQ(downloaded(buffer), expected);
}

TEST_F(StreamsOnGpu, ManyThreadsScanInSeveralLaunchesOnOneStream) {
  constexpr std::size_t kItems = 300'001;
  ScanRequest request;
  request.input_type = request.accumulator_type = request.output_type = ValueType::f32;
  request.n = kItems;
  const Config config = find_family("three_phase")->default_config(request, device_->identity().sm);
  ASSERT_GT(config.family().launches(config, request, Variant::aligned).count, 1);
  Plan plan(device_, CheckedRequest(request), {config, ConfigOrigin::untuned, "chosen by the test", std::nullopt});
  const TestStream stream;
  std::vector<std::thread> threads;
  for (int thread = 1; thread <= 8; ++thread)
    threads.emplace_back([&, thread] {
      cuda_device();  // makes a context current on this thread
      std::vector<float> sums(kItems);
      const std::vector<float> items(kItems, static_cast<float>(thread));
      const Buffer<float> input(items), output(kItems);
      for (int round = 0; round < 200; ++round) plan.run({input.data(), output.data()}, InitialValue(), stream);
      output.download(sums.data());
      for (std::size_t index = 0; index < kItems; ++index)
        ASSERT_EQ(sums[index], static_cast<float>(thread) * static_cast<float>(index + 1)) << "thread " << thread;
    });
  for (auto& thread : threads) thread.join();
}

TEST_F(GraphsOnGpu, AScanOfAKnownProblemAllocatesItsWorkspaceWhileCaptured) {
  const auto items = random_items(777'777, 7);
  const TestStream stream;
  Buffer<std::int32_t> input(items), output(items.size());
  const auto scan = [&] { runtime::scan(input.data(), output.data(), items.size(), {.stream = stream}); };
  scan();
  const TestGraph graph(stream, scan);
  stream.synchronize();
  const std::vector<std::int32_t> zeros(items.size());
  output.upload(zeros.data());
  for (int replay = 0; replay < 20; ++replay) graph.launch(stream);
  stream.synchronize();
  EXPECT_EQ(downloaded(output), inclusive_sum(items));
}

TEST_F(GraphsOnGpu, AStreamIsNotReleasedWhileItIsCaptured) {
  const TestStream stream;
  const TestGraph graph(stream, [&] { EXPECT_THROW(runtime::release(stream), RequestError); });
}

// A GPU that keeps what it was given to load.
class RecordingGpu : public CudaDevice {
 public:
  using CudaDevice::CudaDevice;

  std::unique_ptr<Module> load(const Binary& binary, std::span<const std::string> kernels,
                               std::span<const int> max_shared_bytes) override {
    images.push_back(binary.image);
    auto module = CudaDevice::load(binary, kernels, max_shared_bytes);
    loaded.push_back(module.get());
    return module;
  }
  void launch(const Module& module, const Launch& launch, KernelArguments& arguments, Stream stream) override {
    CudaDevice::launch(module, launch, arguments, stream);
    launched.push_back(&module);
  }

  std::vector<std::vector<char>> images;
  std::vector<const Module*> loaded;
  std::vector<const Module*> launched;
};

TEST_F(StreamsOnGpu, TheBinaryThatRunsIsTheOneThatIsDescribed) {
  CUcontext context = nullptr;
  SCANTUNE_CHECK(cuCtxGetCurrent(&context));
  const auto gpu = std::make_shared<RecordingGpu>(std::make_shared<CudaContext>(context, 0));
  ScanRequest request;
  request.n = 10'000;
  const auto plan = make_plan(gpu, TuningTable(), CheckedRequest(request), 0);
  const std::string text = plan->describe();
  const BinaryCache cache(cache_directory());
  const Buffer<std::int32_t> buffer(random_items(10'004, 8));
  for (const auto& [which, offset] : {std::pair(" (aligned)", 0), std::pair(" (any alignment)", 1)}) {
    plan->run({buffer.data() + offset, buffer.data() + offset}, InitialValue(), nullptr);
    const auto ran = std::ranges::find(gpu->loaded, gpu->launched.back());
    ASSERT_NE(ran, gpu->loaded.end());
    const std::size_t end = text.find(which);
    ASSERT_TRUE(end != std::string::npos && end >= 64) << text;
    const auto cached = cache.load(text.substr(end - 64, 64));
    ASSERT_TRUE(cached.has_value()) << "no file of the key" << which << " in\n" << text;
    EXPECT_EQ(cached->image, gpu->images[static_cast<std::size_t>(ran - gpu->loaded.begin())]) << which;
  }
  gpu->synchronize();
}

TEST_F(GraphsOnGpu, ReplayManyTimes) {
  const auto items = random_items(300'001, 4);
  const TestStream stream;
  Buffer<std::int32_t> input(items), output(items.size());
  const auto plan = runtime::plan<std::int32_t>(items.size());
  const TestGraph graph(stream, [&] { plan(input.data(), output.data(), stream); });
  for (unsigned replay = 0; replay < 20; ++replay) {
    const auto fresh = random_items(items.size(), 100 + replay);
    input.upload(fresh.data());
    for (int repeat = 0; repeat < 50; ++repeat) graph.launch(stream);
    stream.synchronize();
    ASSERT_EQ(downloaded(output), inclusive_sum(fresh)) << "replay " << replay;
  }
}

TEST_F(GraphsOnGpu, TwoGraphsOfOnePlanReplayAtOnceBesideEagerCalls) {
  const auto items = random_items(2'000'003, 5);
  const auto sums = inclusive_sum(items);
  const TestStream first, second, third;
  Buffer<std::int32_t> input(items), out_first(items.size()), out_second(items.size()), out_third(items.size());
  const auto plan = runtime::plan<std::int32_t>(items.size());
  const TestGraph one(first, [&] { plan(input.data(), out_first.data(), first); });
  const TestGraph two(first, [&] { plan(input.data(), out_second.data(), first); });
  for (int replay = 0; replay < 200; ++replay) {
    one.launch(first);
    two.launch(second);
    plan(input.data(), out_third.data(), third);
  }
  for (const TestStream* stream : {&first, &second, &third}) stream->synchronize();
  EXPECT_EQ(downloaded(out_first), sums);
  EXPECT_EQ(downloaded(out_second), sums);
  EXPECT_EQ(downloaded(out_third), sums);
}

TEST_F(GraphsOnGpu, CaptureBeyondTheReserveIsRefusedAndAFreedGraphMakesRoom) {
  const auto items = random_items(300'000, 6);
  const auto sums = inclusive_sum(items);
  const TestStream stream;
  Buffer<std::int32_t> input(items), output(items.size());
  const auto plan = runtime::plan<std::int32_t>(items.size(), {.captured_launches = 1});
  const auto capture = [&] { plan(input.data(), output.data(), stream); };
  {
    const TestGraph graph(stream, capture);
    EXPECT_THROW(TestGraph(stream, capture), RequestError);
    graph.launch(stream);
    stream.synchronize();
    EXPECT_EQ(downloaded(output), sums);
  }
  // The driver frees a graph's objects some time after it is destroyed.
  for (int attempt = 0;; ++attempt) {
    try {
      const TestGraph graph(stream, capture);
      graph.launch(stream);
      stream.synchronize();
      break;
    } catch (const RequestError&) {
      ASSERT_LT(attempt, 1000) << "the reserve never came back";
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  EXPECT_EQ(downloaded(output), sums);
}

TEST_F(StreamsOnGpu, WrongArgumentsAreNamedBeforeAnythingIsLaunched) {
  Buffer<std::int32_t> buffer(1000);
  std::vector<std::int32_t> host(1000);
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const RequestError& error) {
      return error.what();
    }
    return "no exception";
  };
  EXPECT_NE(message([&] { runtime::scan(host.data(), buffer.data(), 1000); }).find("input"), std::string::npos);
  EXPECT_NE(message([&] { runtime::scan(buffer.data(), host.data(), 1000); }).find("output"), std::string::npos);
  EXPECT_NE(message([&] { runtime::scan(buffer.data(), buffer.data() + 1, 900); }).find("overlap"), std::string::npos);
}

}  // namespace
}  // namespace scantune
