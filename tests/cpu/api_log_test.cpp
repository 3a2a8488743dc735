// Where the library's remarks go.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api_current_device.h"
#include "scantune/runtime.hpp"
#include "support/log.h"

namespace scantune::testing {
namespace {

using runtime::Log;

struct Triple {  // a type that the library has no records for
  float a, b, c;
};

// Makes the library remark that an operator of this name was never tuned.
void describe_untuned(const std::string& name) {
  const auto op = runtime::Op::custom("Value combine", Triple{}, {.name = name});
  static_cast<void>(runtime::describe<Triple>(1000, op));
}

TEST_F(PublicApi, RemarksGoToALogWhileThereIsOneAndElseToStandardError) {
  std::vector<std::string> remarks;
  describe_untuned("before");  // the first call also remarks that a database is missing
  ::testing::internal::CaptureStderr();
  {
    const Log log([&](std::string_view remark) { remarks.emplace_back(remark); });
    describe_untuned("taken");
    describe_untuned("taken");
  }
  describe_untuned("printed");
  const std::string printed = ::testing::internal::GetCapturedStderr();
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_TRUE(remarks[0].starts_with("no tuning record for")) << remarks[0];
  EXPECT_TRUE(contains(remarks[0], "--name taken")) << remarks[0];
  EXPECT_FALSE(remarks[0].ends_with('\n'));
  EXPECT_TRUE(printed.starts_with("scantune: no tuning record for")) << printed;
  EXPECT_TRUE(contains(printed, "--name printed")) << printed;
  EXPECT_FALSE(contains(printed, "--name taken")) << printed;
}

TEST_F(PublicApi, ALogIsHeardWhereStandardErrorIsToBeQuiet) {
  setenv("SCANTUNE_LOG", "quiet", 1);
  ::testing::internal::CaptureStderr();
  describe_untuned("quiet");  // the first call also remarks on databases
  int remarks = 0;
  {
    const Log log([&](std::string_view) { ++remarks; });
    describe_untuned("quiet");
  }
  unsetenv("SCANTUNE_LOG");
  EXPECT_EQ(remarks, 1);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(PublicApi, ALogMayCallTheLibraryAndThrow) {
  std::vector<std::string> remarks;
  {
    const Log log([&](std::string_view remark) {
      remarks.emplace_back(remark);
      if (remarks.size() == 1) describe_untuned("inner");  // called while the first call remarks on its databases
      throw std::runtime_error("dropped");
    });
    describe_untuned("outer");
  }
  const auto is_about = [&](const std::string& name) {
    return std::ranges::any_of(remarks, [&](const auto& remark) { return contains(remark, "--name " + name); });
  };
  EXPECT_TRUE(is_about("inner"));
  EXPECT_TRUE(is_about("outer"));
}

TEST_F(PublicApi, ALogIsCalledByOneThreadAtATimeAndNeverOnceItIsGone) {
  setenv("SCANTUNE_LOG", "quiet", 1);  // keeps remarks between two logs off standard error
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread)
    threads.emplace_back([&done, thread] {
      for (int number = 0; !done; ++number) log_once(std::to_string(thread) + " says " + std::to_string(number));
    });
  std::atomic<int> inside = 0, beside = 0, late = 0, remarks = 0;
  const auto alive = std::make_unique<std::atomic<bool>>(false);
  for (int round = 0; round < 200; ++round) {
    *alive = true;
    {
      const Log log([&](std::string_view) {
        if (++inside > 1) ++beside;
        if (!*alive) ++late;
        ++remarks;
        --inside;
      });
      for (const int before = remarks; remarks < before + 3;) std::this_thread::yield();
    }
    *alive = false;
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  unsetenv("SCANTUNE_LOG");
  EXPECT_GE(remarks, 600);
  EXPECT_EQ(beside, 0);
  EXPECT_EQ(late, 0);
}

}  // namespace
}  // namespace scantune::testing
