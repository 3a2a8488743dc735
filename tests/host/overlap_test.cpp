// Two kernels of one stream, the second launched with programmatic stream serialization.
#include <gmock/gmock.h>

#include "kernel_fixture.h"

namespace scantune::overlap_test {
namespace {

using testing::HasSubstr;

constexpr u64 kSeeds = 300;

class Overlap : public KernelFixture {
 protected:
  std::string report_pair(const Module& module, u64 seed, bool pdl = true) {
    DeviceArray<u32> first(device_, 256), second(device_, 256);
    seen_.clear();
    const HostLaunch launches[] = {
        {&module, {.kernel = 0, .grid_blocks = 4, .block_threads = 64}, arguments(nullptr, first.data())},
        {&module,
         {.kernel = 1, .grid_blocks = 4, .block_threads = 64, .pdl = pdl},
         arguments(first.data(), second.data())}};
    try {
      device_.run(launches, Schedule::from_seed(seed));
    } catch (const DeviceError& error) {
      return error.what();
    }
    seen_.assign(second.data(), second.data() + 256);
    return {};
  }
  std::vector<u32> seen_;

  static constexpr const char* kFirst = R"(
static u32 running = 0;
SCANTUNE_KERNEL(first, 64, 1) {
  ++running;
  release_dependents();
  for (u32 round = 0; round < 5; ++round) {
    store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + block_rank() * 64 + thread_rank(), round);
    sync_block();
  }
  --running;
}
)";
};

TEST_F(Overlap, ShowsAWaitingGridEverythingOfTheOneBefore) {
  const auto module = compile(std::string(kFirst) + R"(
SCANTUNE_KERNEL(second, 64, 1) {
  const u32 index = block_rank() * 64 + thread_rank();
  const u32 overlapped = running != 0 ? 100 : 0;
  wait_for_predecessor();
  const u32 value = load_global<CacheHint::normal>(arguments.operand<const u32>(OperandRole::input) + (index + 100) % 256);
  store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + index, overlapped + value);
})",
                              {"first", "second"});
  int overlapped = 0;
  for (u64 seed = 0; seed <= kSeeds; ++seed) {
    ASSERT_EQ(report_pair(*module, seed), "");
    for (const u32 value : seen_) ASSERT_EQ(value % 100, 4u) << "seed " << seed;
    overlapped += seen_ != std::vector<u32>(256, 4);
  }
  EXPECT_GT(overlapped, 10);  // otherwise the test has shown nothing
  for (u64 seed = 0; seed <= 20; ++seed) {
    ASSERT_EQ(report_pair(*module, seed, false), "");
    EXPECT_EQ(seen_, std::vector<u32>(256, 4)) << "without pdl nothing overlaps";
  }
}

TEST_F(Overlap, ReportsAnAccessBeforeTheWait) {
  const auto module = compile(std::string(kFirst) + R"(
SCANTUNE_KERNEL(second, 64, 1) {
  if (block_rank() == 3) load_global<CacheHint::normal>(arguments.operand<const u32>(OperandRole::input));
  wait_for_predecessor();
})",
                              {"first", "second"});
  for (u64 seed = 0; seed <= 20; ++seed)
    EXPECT_THAT(report_pair(*module, seed), HasSubstr("accesses global memory before wait_for_predecessor"));
}

TEST_F(Overlap, AllowsAPrefetchBeforeTheWait) {
  const auto module = compile(std::string(kFirst) + R"(
SCANTUNE_KERNEL(second, 64, 1) {
  if (thread_rank() == 0) prefetch_to_l2(arguments.operand(OperandRole::input), 1024);
  wait_for_predecessor();
})",
                              {"first", "second"});
  for (u64 seed = 0; seed <= 20; ++seed) EXPECT_EQ(report_pair(*module, seed), "");
}

TEST_F(Overlap, ReportsPrefetchesThatNoInstructionMakes) {
  const auto prefetch = [&](const std::string& what) {
    const auto module = compile(std::string(kFirst) + R"(
SCANTUNE_KERNEL(second, 64, 1) {
  const auto* const items = arguments.operand<const u32>(OperandRole::input);
  if (block_rank() == 1 && thread_rank() == 0) prefetch_to_l2()" +
                                    what + R"();
  wait_for_predecessor();
})",
                                {"first", "second"});
    return report_pair(*module, 1);
  };
  EXPECT_EQ(prefetch("items + 252, 16"), "");
  EXPECT_THAT(prefetch("items + 252, 32"), HasSubstr("prefetches global memory out of bounds"));
  EXPECT_THAT(prefetch("items - 4, 16"), HasSubstr("prefetches global memory out of bounds"));
  EXPECT_THAT(prefetch("items + 1, 16"), HasSubstr("prefetches from an address that is not a multiple of 16"));
  EXPECT_THAT(prefetch("items, 20"), HasSubstr("prefetches a number of bytes that is not a multiple of 16"));
  EXPECT_THAT(prefetch("items, 0"), HasSubstr("prefetches a number of bytes that is not a multiple of 16"));
}

TEST_F(Overlap, ReportsACtaThatNeverWaits) {
  const auto module = compile(std::string(kFirst) + R"(
SCANTUNE_KERNEL(second, 64, 1) {
  if (block_rank() != 2) wait_for_predecessor();
})",
                              {"first", "second"});
  for (u64 seed = 0; seed <= 20; ++seed)
    EXPECT_THAT(report_pair(*module, seed), HasSubstr("exited without wait_for_predecessor"));
}

TEST_F(Overlap, AcceptsABarrierAfterOneThreadsWait) {
  const auto module = compile(std::string(kFirst) + R"(
SCANTUNE_KERNEL(second, 64, 1) {
  if (thread_rank() == 0) wait_for_predecessor();
  sync_block();
  const u32 index = block_rank() * 64 + thread_rank();
  const u32 value = load_global<CacheHint::normal>(arguments.operand<const u32>(OperandRole::input) + (index + 100) % 256);
  store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + index, value);
})",
                              {"first", "second"});
  for (u64 seed = 0; seed <= kSeeds; ++seed) {
    ASSERT_EQ(report_pair(*module, seed), "");
    ASSERT_EQ(seen_, std::vector<u32>(256, 4)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace scantune::overlap_test
