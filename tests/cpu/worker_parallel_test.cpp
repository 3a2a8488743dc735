#include "measure/parallel.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace scantune {
namespace {

TEST(ParallelFor, CallsTheBodyOnceForEveryIndex) {
  for (const u64 count : {u64{0}, u64{1}, u64{2}, u64{3}, u64{1000}})
    for (int time = 0; time < 200; ++time) {
      std::vector<std::atomic<int>> calls(count);
      parallel_for(count, [&](u64 index) { ++calls[index]; });
      ASSERT_TRUE(std::ranges::all_of(calls, [](const auto& times) { return times == 1; })) << count;
    }
}

// Two calls that wait for each other: one thread alone would never return.
void meet(const std::function<void()>& before) {
  std::atomic<int> met = 0;
  parallel_for(2, [&](u64) {
    before();
    ++met;
    while (met < 2) std::this_thread::yield();
  });
}

TEST(ParallelFor, UsesSeveralThreadsThatItStartsOnce) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  if (cores == 1) return;
  std::mutex mutex;
  std::set<pid_t> threads;  // a std::thread::id may be given again
  for (int time = 0; time < 300; ++time)
    meet([&] {
      const std::lock_guard lock(mutex);
      threads.insert(gettid());
    });
  EXPECT_GT(threads.size(), 1u);
  EXPECT_LE(threads.size(), cores);
}

TEST(ParallelFor, RunsLoopsInsideAndBesideOthers) {
  std::atomic<int> calls = 0;
  const auto loops = [&] {
    for (int time = 0; time < 100; ++time) parallel_for(4, [&](u64) { parallel_for(4, [&](u64) { ++calls; }); });
  };
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller) callers.emplace_back(loops);
  }
  EXPECT_EQ(calls, 4 * 100 * 16);
}

TEST(ParallelFor, ComparesEveryByte) {
  const std::vector<std::byte> bytes(700'001, std::byte{7});
  EXPECT_TRUE(equal_on_all_cores(bytes, bytes));
  EXPECT_TRUE(equal_on_all_cores({}, {}));
  EXPECT_FALSE(equal_on_all_cores(bytes, std::span(bytes).first(700'000)));
  for (const std::size_t changed : {0, 262'143, 262'144, 700'000}) {
    auto other = bytes;
    other[changed] = std::byte{8};
    EXPECT_FALSE(equal_on_all_cores(bytes, other)) << changed;
  }
}

}  // namespace
}  // namespace scantune
