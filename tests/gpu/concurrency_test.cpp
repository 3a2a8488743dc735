// What docs/concurrency.md promises and only a GPU can show.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "gpu_test.h"

namespace scantune {
namespace {

using runtime::Buffer;
class ConcurrencyOnGpu : public GpuTest {};

// Holds back everything that is put into a stream after it until it is opened.
class Gate {
 public:
  explicit Gate(CUstream stream) {
    check(SCANTUNE_TEST_DRIVER(cuLaunchHostFunc)(
              stream, [](void* gate) { static_cast<Gate*>(gate)->opened_.get_future().wait(); }, this),
          "cuLaunchHostFunc");
  }
  ~Gate() { open(); }
  Gate(const Gate&) = delete;
  void open() {
    if (!std::exchange(is_open_, true)) opened_.set_value();
  }

 private:
  std::promise<void> opened_;
  bool is_open_ = false;
};

TEST_F(ConcurrencyOnGpu, CallsReturnWhileEarlierWorkOfTheirStreamWaits) {
  const auto items = random_items(1u << 20, 1);
  const TestStream stream;
  Buffer<std::int32_t> input(items), by_plan(items.size()), by_scan(items.size());
  const auto plan = runtime::plan<std::int32_t>(items.size());
  const auto call_both = [&] {
    plan(input.data(), by_plan.data(), stream);
    runtime::scan(input.data(), by_scan.data(), items.size(), {.stream = stream});
  };
  call_both();
  stream.synchronize();
  const std::vector<std::int32_t> zeros(items.size());
  by_plan.upload(zeros.data());
  by_scan.upload(zeros.data());
  Gate gate(stream);
  std::promise<void> returned;
  auto in_time = std::async(std::launch::async, [&, calls = returned.get_future()] {
    const bool ready = calls.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
    gate.open();
    return ready;
  });
  call_both();
  returned.set_value();
  EXPECT_TRUE(in_time.get()) << "a call waited for the stream";
  stream.synchronize();
  EXPECT_EQ(downloaded(by_plan), inclusive_sum(items));
  EXPECT_EQ(downloaded(by_scan), inclusive_sum(items));
}

TEST_F(ConcurrencyOnGpu, AScanSeesWhatTheStreamWroteBeforeItAndShowsItsResultToWhatFollows) {
  constexpr std::size_t kItems = 50'000, kRounds = 200;
  const TestStream stream;
  Buffer<std::int32_t> input(kItems), output(kItems), last_sums(kRounds);
  const auto plan = runtime::plan<std::int32_t>(kItems);
  const auto device_address = [](const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); };
  for (std::size_t round = 0; round < kRounds; ++round) {
    const auto byte = static_cast<unsigned char>(round % 2);
    SCANTUNE_CHECK(cuMemsetD8Async(device_address(input.data()), byte, kItems * sizeof(std::int32_t), stream));
    plan(input.data(), output.data(), stream);
    SCANTUNE_CHECK(cuMemcpyDtoDAsync(device_address(last_sums.data() + round),
                                     device_address(output.data() + kItems - 1), sizeof(std::int32_t), stream));
  }
  stream.synchronize();
  const auto found = downloaded(last_sums);
  const auto sum_of_ones = static_cast<std::int32_t>(std::uint32_t{0x01010101} * kItems);
  for (std::size_t round = 0; round < kRounds; ++round)
    ASSERT_EQ(found[round], round % 2 == 0 ? 0 : sum_of_ones) << "round " << round;
}

TEST_F(ConcurrencyOnGpu, AnInitialValueInMemoryIsReadWhenTheScanRuns) {
  const auto items = random_items(100'000, 2);
  const auto sums = inclusive_sum(items);
  const TestStream stream;
  Buffer<std::int32_t> input(items), sum(items.size()), carried_on(items.size());
  const std::int32_t* const total = sum.data() + items.size() - 1;
  const auto first = runtime::plan<std::int32_t>(items.size());
  const auto second = runtime::plan<std::int32_t>(items.size(), {.device_init = total});
  const auto both = [&] {
    first(input.data(), sum.data(), stream);
    second(input.data(), carried_on.data(), stream);
  };
  const auto expect_carried_on = [&] {
    stream.synchronize();
    auto expected = sums;
    for (auto& value : expected)
      value = static_cast<std::int32_t>(static_cast<std::uint32_t>(value) + static_cast<std::uint32_t>(sums.back()));
    EXPECT_EQ(downloaded(carried_on), expected);
  };
  both();
  expect_carried_on();
  const TestGraph graph(stream, both);
  const std::vector<std::int32_t> zeros(items.size());
  sum.upload(zeros.data());
  for (int replay = 0; replay < 20; ++replay) graph.launch(stream);
  expect_carried_on();
}

TEST_F(ConcurrencyOnGpu, APlanMayDieWhileItsScanWaitsToRun) {
  const auto items = random_items(1u << 20, 3);
  const TestStream stream;
  Buffer<std::int32_t> input(items), output(items.size());
  std::optional plan = runtime::plan<std::int32_t>(items.size());
  (*plan)(input.data(), output.data(), stream);
  stream.synchronize();
  const std::vector<std::int32_t> zeros(items.size());
  output.upload(zeros.data());
  Gate gate(stream);
  (*plan)(input.data(), output.data(), stream);
  plan.reset();
  gate.open();
  stream.synchronize();
  EXPECT_EQ(downloaded(output), inclusive_sum(items));
}

TEST_F(ConcurrencyOnGpu, ThePerThreadDefaultStreamsOfManyThreadsAreManyStreams) {
  constexpr std::size_t kItems = 500'003;
  const auto plan = runtime::plan<std::int32_t>(kItems);
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      cuda_device();  // makes a context current on this thread
      const auto items = random_items(kItems, thread);
      Buffer<std::int32_t> input(items), output(kItems);
      for (int launch = 0; launch < 200; ++launch) plan(input.data(), output.data(), CU_STREAM_PER_THREAD);
      SCANTUNE_CHECK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
      EXPECT_EQ(downloaded(output), inclusive_sum(items)) << "thread " << thread;
    });
  for (auto& thread : threads) thread.join();
}

TEST_F(ConcurrencyOnGpu, StreamsMayBeDestroyedWithoutRelease) {
  const auto items = random_items(200'000, 4);
  const auto sums = inclusive_sum(items);
  Buffer<std::int32_t> input(items), output(items.size());
  const auto plan = runtime::plan<std::int32_t>(items.size());
  for (int round = 0; round < 100; ++round) {
    CUstream stream = nullptr;
    SCANTUNE_CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    plan(input.data(), output.data(), stream);
    SCANTUNE_CHECK(cuStreamSynchronize(stream));
    SCANTUNE_CHECK(cuStreamDestroy(stream));
    ASSERT_EQ(downloaded(output), sums) << "round " << round;
  }
}

// A captured graph that may be instantiated more than once.
class Captured {
 public:
  template <class Enqueue>
  Captured(CUstream stream, const Enqueue& enqueue) {
    SCANTUNE_CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    enqueue();
    SCANTUNE_CHECK(cuStreamEndCapture(stream, &graph_));
  }
  ~Captured() { Driver::instance().cuGraphDestroy(graph_); }
  Captured(const Captured&) = delete;
  CUgraph graph() const { return graph_; }
  CUgraphExec executable() const {
    CUgraphExec made = nullptr;
    SCANTUNE_CHECK(cuGraphInstantiate(&made, graph_, 0));
    return made;
  }

 private:
  CUgraph graph_ = nullptr;
};

TEST_F(ConcurrencyOnGpu, TwoExecutablesOfOneGraphTakeTurns) {
  const TestStream stream;
  const auto items = random_items(700'001, 5);
  Buffer<std::int32_t> input(items), output(items.size());
  const auto plan = runtime::plan<std::int32_t>(items.size());
  const Captured captured(stream, [&] { plan(input.data(), output.data(), stream); });
  const CUgraphExec executables[] = {captured.executable(), captured.executable()};
  for (unsigned turn = 0; turn < 40; ++turn) {
    const auto fresh = random_items(items.size(), 100 + turn);
    input.upload(fresh.data());
    for (const CUgraphExec executable : executables) SCANTUNE_CHECK(cuGraphLaunch(executable, stream));
    stream.synchronize();
    ASSERT_EQ(downloaded(output), inclusive_sum(fresh)) << "turn " << turn;
  }
  for (const CUgraphExec executable : executables) SCANTUNE_CHECK(cuGraphExecDestroy(executable));
}

TEST_F(ConcurrencyOnGpu, AnUpdatedExecutableRunsTheOtherGraphWhileThatLives) {
  const TestStream stream;
  const auto items = random_items(700'001, 6);
  const auto sums = inclusive_sum(items);
  Buffer<std::int32_t> input(items), first(items.size()), second(items.size());
  const auto plan = runtime::plan<std::int32_t>(items.size());
  const Captured one(stream, [&] { plan(input.data(), first.data(), stream); });
  const Captured two(stream, [&] { plan(input.data(), second.data(), stream); });
  const CUgraphExec executable = one.executable();
  CUgraphExecUpdateResultInfo info{};
  check(SCANTUNE_TEST_DRIVER(cuGraphExecUpdate)(executable, two.graph(), &info), "cuGraphExecUpdate");
  for (int replay = 0; replay < 50; ++replay) SCANTUNE_CHECK(cuGraphLaunch(executable, stream));
  stream.synchronize();
  EXPECT_EQ(downloaded(second), sums);
  SCANTUNE_CHECK(cuGraphExecDestroy(executable));
}

TEST_F(ConcurrencyOnGpu, AContextMadeAfterAnotherWasDestroyedIsANewOne) {
  const auto items = random_items(200'000, 7);
  const auto sums = inclusive_sum(items);
  for (int round = 0; round < 3; ++round) {
    CUcontext context = nullptr;
#if CUDA_VERSION >= 13000
    check(SCANTUNE_TEST_DRIVER(cuCtxCreate)(&context, nullptr, 0, 0), "cuCtxCreate");
#else
    check(SCANTUNE_TEST_DRIVER(cuCtxCreate)(&context, 0, 0), "cuCtxCreate");
#endif
    {
      Buffer<std::int32_t> input(items), output(items.size());
      runtime::scan(input.data(), output.data(), items.size());
      EXPECT_EQ(downloaded(output), sums) << "context " << round;
    }
    check(SCANTUNE_TEST_DRIVER(cuCtxDestroy)(context), "cuCtxDestroy");
  }
}

TEST_F(ConcurrencyOnGpu, TwoProcessesScanOnOneGpu) {
  const std::string scanning =
      "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX " + std::filesystem::read_symlink("/proc/self/exe").string() +
      " --gtest_filter=StreamsOnGpu.OnePlanRunsOnManyStreamsFromManyThreads:EightStreamsOnGpu.ScanWithEveryFamilyAtOnce"
      " >&2";
  std::vector<std::future<int>> processes;
  for (int process = 0; process < 2; ++process)
    processes.push_back(std::async(std::launch::async, [&] { return std::system(scanning.c_str()); }));
  for (auto& process : processes) EXPECT_EQ(process.get(), 0);
}

TEST_F(ConcurrencyOnGpu, AForkedChildIsToldThatItCannotUseItsParentsGpu) {
  const auto items = random_items(5000, 4);
  const Buffer<std::int32_t> input(items), output(items.size());
  const auto plan = runtime::plan<std::int32_t>(items.size());
  plan(input.data(), output.data());
  const auto is_refused = [](const auto& call) {
    try {
      call();
    } catch (const DeviceError&) {
      return true;
    }
    return false;
  };
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    const bool refuses_plans = is_refused([&] { plan(input.data(), output.data()); });
    const bool refuses_scans = is_refused([&] { runtime::scan(input.data(), output.data(), items.size()); });
    _exit(refuses_plans && refuses_scans ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  plan(input.data(), output.data());
}

}  // namespace
}  // namespace scantune
