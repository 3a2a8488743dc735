// Workspaces of the caller's, allocators and trimming on the GPU.
#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

#include "gpu_test.h"

namespace scantune {
namespace {

using runtime::Buffer;
using runtime::Workspace;

constexpr std::size_t kItems = 3'000'001;

class MemoryOnGpu : public GpuTest {};

// A workspace with whatever memory holds that was never cleared.
class DirtyWorkspace {
 public:
  explicit DirtyWorkspace(std::uint64_t bytes) : memory_(std::vector<unsigned char>(bytes, 0xff)) {}

  operator Workspace() const { return {memory_.data(), memory_.size()}; }
  void make_dirty(CUstream stream) const {
    SCANTUNE_CHECK(cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(memory_.data()), 0xff, memory_.size(), stream));
  }

 private:
  Buffer<unsigned char> memory_;
};

TEST_F(MemoryOnGpu, OfACallersWorkspaceMayHoldAnything) {
  const auto plan = runtime::plan<std::int32_t>(kItems, {.captured_launches = 0});
  const TestStream stream;
  const DirtyWorkspace workspace(plan.workspace_bytes());
  Buffer<std::int32_t> output(kItems);
  for (unsigned round = 0; round < 50; ++round) {
    const auto items = random_items(kItems, round);
    const Buffer<std::int32_t> input(items);
    if (round % 3 == 0) workspace.make_dirty(stream);  // otherwise it holds what the last run has left
    plan(input.data(), output.data(), workspace, stream);
    stream.synchronize();
    ASSERT_EQ(downloaded(output), inclusive_sum(items)) << "round " << round;
  }
}

// Words of another scan, with the counter as it was before that scan, look like those of the next one.
TEST_F(MemoryOnGpu, OfACallersWorkspaceMayLookLikeThatOfARunningScan) {
  const auto plan = runtime::plan<std::int32_t>(kItems, {.captured_launches = 0});
  const TestStream stream;
  const Buffer<unsigned char> memory(std::vector<unsigned char>(plan.workspace_bytes()));
  const auto items = random_items(kItems, 1), others = random_items(kItems, 2);
  const Buffer<std::int32_t> input(items), other_input(others);
  Buffer<std::int32_t> output(kItems);
  for (int round = 0; round < 20; ++round) {
    plan(other_input.data(), output.data(), Workspace{memory.data(), memory.size()}, stream);
    SCANTUNE_CHECK(cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(memory.data()), 0, 128, stream));
    plan(input.data(), output.data(), Workspace{memory.data(), memory.size()}, stream);
    stream.synchronize();
    ASSERT_EQ(downloaded(output), inclusive_sum(items)) << "round " << round;
  }
}

TEST_F(MemoryOnGpu, OfACallersWorkspaceServesPlansOfOtherLayoutsInTurn) {
  const auto sums = runtime::plan<std::int32_t>(kItems, {.captured_launches = 0});
  const auto wide = runtime::plan<std::int32_t, std::int64_t>(kItems, {.captured_launches = 0});
  const auto total = runtime::reduce_plan<std::int32_t>(kItems, {.captured_launches = 0});
  const TestStream stream;
  const DirtyWorkspace workspace(std::max({sums.workspace_bytes(), wide.workspace_bytes(), total.workspace_bytes()}));
  const auto items = random_items(kItems, 3);
  std::vector<std::int64_t> wide_sums(kItems), found_wide(kItems);
  std::inclusive_scan(items.begin(), items.end(), wide_sums.begin(), std::plus<>(), std::int64_t{0});
  const Buffer<std::int32_t> input(items);
  Buffer<std::int32_t> output(kItems), sum(1);
  Buffer<std::int64_t> wide_output(kItems);
  for (int round = 0; round < 30; ++round) {
    sums(input.data(), output.data(), workspace, stream);
    wide(input.data(), wide_output.data(), workspace, stream);
    total(input.data(), sum.data(), workspace, stream);
    stream.synchronize();
    ASSERT_EQ(downloaded(output), inclusive_sum(items)) << "round " << round;
    wide_output.download(found_wide.data());
    ASSERT_EQ(found_wide, wide_sums) << "round " << round;
    ASSERT_EQ(downloaded(sum)[0], inclusive_sum(items).back()) << "round " << round;
  }
}

TEST_F(MemoryOnGpu, OfACallersWorkspaceIsZeroedByEveryReplayOfAGraph) {
  const auto plan = runtime::plan<std::int32_t>(kItems, {.captured_launches = 0});
  const TestStream stream;
  const DirtyWorkspace workspace(plan.workspace_bytes());
  auto expected = random_items(kItems, 4);
  Buffer<std::int32_t> buffer(expected);
  const TestGraph graph(stream, [&] {  // more launches than any reserve would hold by default
    for (int launch = 0; launch < 8; ++launch) plan(buffer.data(), buffer.data(), workspace, stream);
  });
  for (int replay = 0; replay < 40; ++replay) {
    workspace.make_dirty(stream);
    graph.launch(stream);
    for (int launch = 0; launch < 8; ++launch) expected = inclusive_sum(expected);
  }
  stream.synchronize();
  EXPECT_EQ(downloaded(buffer), expected);
}

TEST_F(MemoryOnGpu, OfTwoWorkspacesServesTwoStreamsAtOnce) {
  const auto plan = runtime::plan<std::int32_t>(kItems, {.captured_launches = 0});
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 2; ++thread)
    threads.emplace_back([&, thread] {
      cuda_device();  // makes a context current on this thread
      const TestStream stream;
      const DirtyWorkspace workspace(plan.workspace_bytes());
      const auto items = random_items(kItems, thread);
      const Buffer<std::int32_t> input(items);
      Buffer<std::int32_t> output(kItems);
      for (int round = 0; round < 200; ++round) plan(input.data(), output.data(), workspace, stream);
      stream.synchronize();
      EXPECT_EQ(downloaded(output), inclusive_sum(items)) << "thread " << thread;
    });
  for (auto& thread : threads) thread.join();
}

TEST_F(MemoryOnGpu, OfAnAllocatorServesScansAndGoesBackWhenTrimmed) {
  runtime::trim();
  std::mutex mutex;
  std::map<void*, std::uint64_t> held;
  int allocations = 0;
  runtime::set_allocator({[&](std::uint64_t bytes, int device) -> void* {
                            EXPECT_EQ(device, 0);
                            CUdeviceptr memory = 0;
                            SCANTUNE_CHECK(cuMemAlloc(&memory, bytes));
                            SCANTUNE_CHECK(cuMemsetD8Async(memory, 0xff, bytes, nullptr));
                            SCANTUNE_CHECK(cuStreamSynchronize(nullptr));
                            const std::lock_guard lock(mutex);
                            ++allocations;
                            held[reinterpret_cast<void*>(memory)] = bytes;
                            return reinterpret_cast<void*>(memory);
                          },
                          [&](void* memory, std::uint64_t bytes, int) {
                            const std::lock_guard lock(mutex);
                            EXPECT_EQ(held.at(memory), bytes);
                            held.erase(memory);
                            Driver::instance().cuMemFree(reinterpret_cast<CUdeviceptr>(memory));
                          }});
  const auto items = random_items(kItems, 5);
  const Buffer<std::int32_t> input(items);
  Buffer<std::int32_t> output(kItems);
  for (int round = 1; round <= 5; ++round) {
    const TestStream stream;
    for (int scan = 0; scan < 20; ++scan) runtime::scan(input.data(), output.data(), kItems, {.stream = stream});
    stream.synchronize();
    ASSERT_EQ(downloaded(output), inclusive_sum(items)) << "round " << round;
    EXPECT_EQ(allocations, round);
    EXPECT_GT(runtime::trim(), 0u);
    EXPECT_TRUE(held.empty());
  }
  runtime::reset_allocator();
  runtime::scan(input.data(), output.data(), kItems);
  EXPECT_EQ(downloaded(output), inclusive_sum(items));
  EXPECT_EQ(allocations, 5);
}

TEST_F(MemoryOnGpu, OfALiveGraphOutlivesATrim) {
  const auto items = random_items(kItems, 6);
  const TestStream stream;
  const Buffer<std::int32_t> input(items);
  Buffer<std::int32_t> output(kItems);
  const auto plan = runtime::plan<std::int32_t>(kItems, {.captured_launches = 1});
  const TestGraph graph(stream, [&] { plan(input.data(), output.data(), stream); });
  for (int round = 0; round < 5; ++round) {
    plan(input.data(), output.data(), stream);
    EXPECT_GT(runtime::trim(), 0u) << "the stream's workspace";
    for (int replay = 0; replay < 20; ++replay) graph.launch(stream);
    stream.synchronize();
    ASSERT_EQ(downloaded(output), inclusive_sum(items)) << "round " << round;
  }
}

TEST_F(MemoryOnGpu, IsNotTrimmedWhileAStreamIsCaptured) {
  const Buffer<std::int32_t> buffer(random_items(kItems, 7));
  const TestStream stream, captured;
  runtime::scan(buffer.data(), buffer.data(), kItems, {.stream = stream});
  stream.synchronize();
  SCANTUNE_CHECK(cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  EXPECT_THROW(runtime::trim(), DeviceError);
  CUgraph broken_off = nullptr;
  Driver::instance().cuStreamEndCapture(captured, &broken_off);
  EXPECT_EQ(broken_off, nullptr);
  EXPECT_GT(runtime::trim(), 0u);
}

}  // namespace
}  // namespace scantune
