// What docs/concurrency.md promises of threads: programs may call everything at once.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "scantune/reduce.hpp"
#include "scantune/runtime.hpp"

namespace scantune::concurrency_test {
namespace {

class ConcurrencyOnHost : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("SCANTUNE_DEVICE", "host", 1); }
};

// Calls everything with a stream of this thread's own and problems that other threads have too.
void use_everything(int thread) {
  const std::uint64_t items = 1500 + static_cast<std::uint64_t>(thread % 2);
  const auto stream = reinterpret_cast<runtime::Stream>(static_cast<std::uintptr_t>(thread + 1) * 64);
  const std::vector<int> values(items, thread);
  std::vector<int> expected(items), found(items);
  std::inclusive_scan(values.begin(), values.end(), expected.begin());
  const runtime::Buffer<int> in(values);
  runtime::Buffer<int> out(items);
  const auto expect_sums = [&](const char* by) {
    out.download(found.data());
    EXPECT_EQ(found, expected) << by << " of thread " << thread;
    out.upload(values.data());
  };
  runtime::scan(in.data(), out.data(), items, {.stream = stream});
  expect_sums("scan()");
  const auto plan = runtime::plan<int>(items);
  plan(in.data(), out.data(), stream);
  expect_sums("a plan");
  runtime::release(stream);
  runtime::reload();
  EXPECT_THROW(plan(in.data(), nullptr, stream), RequestError);
  EXPECT_NE(plan.describe().find("i32 inclusive sum of " + std::to_string(items)), std::string::npos);
}

TEST_F(ConcurrencyOnHost, EveryFunctionMayBeCalledBesideEveryOther) {
  constexpr int kThreads = 6, kRounds = 5;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([thread] {
      for (int round = 0; round < kRounds; ++round) use_everything(thread);
    });
  for (auto& thread : threads) thread.join();
}

// One thread's runs fail for want of input. Another's in the same stream and the same workspace are right.
TEST_F(ConcurrencyOnHost, ARunThatFailsLeavesThoseOfOtherThreadsRight) {
  constexpr std::uint64_t kItems = 3000;
  constexpr int kRounds = 40;
  const runtime::Buffer<int> in(std::vector<int>(kItems, 1)), part(std::vector<int>(kItems / 4 * 3, 5));
  const auto plan = runtime::reduce_plan<int>(kItems, {.config = "{\"family\": \"reduce_atomic\"}"});
  std::thread failing([&] {
    const runtime::Buffer<int> out(1);
    for (int round = 0; round < kRounds; ++round) EXPECT_THROW(plan(part.data(), out.data()), DeviceError);
  });
  const runtime::Buffer<int> out(1);
  for (int round = 0; round < kRounds; ++round) {
    int sum = 0;
    plan(in.data(), out.data());
    out.download(&sum);
    EXPECT_EQ(sum, static_cast<int>(kItems)) << "round " << round;
  }
  failing.join();
}

// Whether a plan that was made before, and a problem that needs a new kernel, give right results.
bool runs_right(const runtime::ScanPlan<int>& plan, std::uint64_t items) {
  const std::vector<int> values(items, 3);
  const runtime::Buffer<int> in(values);
  runtime::Buffer<int> sums(items), products(items);
  plan(in.data(), sums.data());
  runtime::scan(in.data(), products.data(), items, runtime::Op::product);
  std::vector<int> found_sums(items), found_products(items);
  sums.download(found_sums.data());
  products.download(found_products.data());
  std::uint32_t product = 1, sum = 0;
  for (std::uint64_t i = 0; i < items; ++i) {
    sum += 3;
    product *= 3;
    if (found_sums[i] != static_cast<int>(sum) || found_products[i] != static_cast<int>(product)) return false;
  }
  return true;
}

TEST_F(ConcurrencyOnHost, AForkedChildOfOneThreadGoesOnBesideItsParent) {
  constexpr std::uint64_t kItems = 2100;
  const auto plan = runtime::plan<int>(kItems);
  const std::vector<int> values(kItems, 1);
  const runtime::Buffer<int> in(values);
  runtime::Buffer<int> out(kItems);
  plan(in.data(), out.data());

  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // a child that waits for a lock of a thread that it does not have would wait for ever
    _exit(runs_right(plan, kItems) ? 0 : 1);
  }
  EXPECT_TRUE(runs_right(plan, kItems));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace scantune::concurrency_test
