// The order in which threads run, and the reports of those that cannot.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "kernel_fixture.h"

namespace scantune::scheduling_test {
namespace {

using testing::HasSubstr;

constexpr u64 kSeeds = 300;

class Scheduling : public KernelFixture {};

TEST_F(Scheduling, RunsEveryThreadOfEveryCta) {
  const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 96, 1) {
  u32* out = arguments.operand<u32>(OperandRole::output);
  store_global<CacheHint::normal>(out + block_rank() * 96 + thread_rank(), block_rank() * 1000 + thread_rank() + block_count());
})");
  DeviceArray<u32> out(device_, 20 * 96);
  for (u64 seed = 0; seed < 20; ++seed) {
    out.fill(~0u);
    run(*module, {.grid_blocks = 20, .block_threads = 96}, arguments(nullptr, out.data()), seed);
    for (u32 cta = 0; cta < 20; ++cta)
      for (u32 thread = 0; thread < 96; ++thread)
        ASSERT_EQ(out[cta * 96 + thread], cta * 1000 + thread + 20) << "seed " << seed;
  }
}

TEST_F(Scheduling, ReportsWhereADeadlockStands) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 64, 1) {
  if (block_rank() == 2 && thread_rank() >= 32) {
    while (load_relaxed(static_cast<u32*>(arguments.workspace)) == 0)
      poll_pause<0>();
  }
  sync_block();
})");
  DeviceArray<u32> flag(device_, 1, 0);
  for (u64 seed = 0; seed < 50; ++seed) {
    const std::string text =
        report(*module, {.grid_blocks = 4, .block_threads = 64}, arguments(nullptr, nullptr, flag.data()), seed);
    ASSERT_THAT(text, HasSubstr("deadlock"));
    ASSERT_THAT(text, HasSubstr("kernel: CTA 2, warp 0, lanes 0xffffffff wait for sync_block at kernel.cpp:6"));
    ASSERT_THAT(text,
                HasSubstr("kernel: CTA 2, warp 1, lanes 0xffffffff wait for polled memory to change at kernel.cpp:4"));
    ASSERT_THAT(text, HasSubstr("seed " + std::to_string(seed)));
  }
}

TEST_F(Scheduling, ReportsThreadsThatSpinWithoutPause) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 32, 1) {
  while (load_relaxed(static_cast<u32*>(arguments.workspace)) == 0) {}
})");
  DeviceArray<u32> flag(device_, 1, 0);
  const std::string text = report(*module, {.block_threads = 32}, arguments(nullptr, nullptr, flag.data()));
  EXPECT_THAT(text, HasSubstr("without progress at kernel.cpp:2"));
}

TEST_F(Scheduling, LetsASpinningThreadWithoutPauseSeeTheFlagSomeTime) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 64, 1) {
  u32* flag = static_cast<u32*>(arguments.workspace);
  if (thread_rank() == 33) store_relaxed(flag, 1u);
  while (load_relaxed(flag) == 0) {}
})");
  for (u64 seed = 0; seed < 50; ++seed) {
    DeviceArray<u32> flag(device_, 1, 0);
    EXPECT_EQ(report(*module, {.grid_blocks = 3, .block_threads = 64}, arguments(nullptr, nullptr, flag.data()), seed),
              "");
  }
}

// Every CTA's first warp polls its predecessors' flags, a lane each, and votes: the decision rests on the oldest poll.
TEST_F(Scheduling, FindsNoDeadlockWhereVotesRestOnPollsOfDifferentAge) {
  const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 64, 1) {
  u32* flags = static_cast<u32*>(arguments.workspace);
  const u32 lane = thread_rank() % 32;
  if (thread_rank() < 32) {
    u32 flag = lane < block_rank() ? load_acquire(flags + block_rank() - 1 - lane) : 1;
    while (ballot(~0u, flag != 0) != ~0u) {
      poll_pause<0>();
      if (flag == 0) flag = load_acquire(flags + block_rank() - 1 - lane);
    }
    if (lane == 0) store_release(flags + block_rank(), 1u);
  }
  sync_block();
})");
  for (u64 seed = 0; seed < 2 * kSeeds; ++seed) {
    DeviceArray<u32> flags(device_, 24, 0);
    ASSERT_EQ(report(*module, {.grid_blocks = 24, .block_threads = 64, .dispatch = Dispatch::in_order},
                     arguments(nullptr, nullptr, flags.data()), seed),
              "");
  }
}

TEST_F(Scheduling, StartsCtasInOrderWhereTheLaunchAsksForIt) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 1, 1) {
  const u32 place = fetch_add(static_cast<u32*>(arguments.workspace), 1);
  store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + place, block_rank());
})");
  int shuffled = 0;
  for (u64 seed = 1; seed <= 40; ++seed) {
    for (const Dispatch dispatch : {Dispatch::in_order, Dispatch::any_order}) {
      DeviceArray<u32> counter(device_, 1, 0), out(device_, 64);
      Schedule schedule = Schedule::from_seed(seed);
      schedule.resident_ctas = 1;
      const HostLaunch launch{module.get(),
                              {.grid_blocks = 64, .block_threads = 1, .dispatch = dispatch},
                              arguments(nullptr, out.data(), counter.data())};
      device_.run({&launch, 1}, schedule);
      const bool in_order = std::is_sorted(out.data(), out.data() + 64);
      ASSERT_TRUE(in_order || dispatch == Dispatch::any_order) << "seed " << seed;
      shuffled += !in_order;
    }
  }
  EXPECT_GT(shuffled, 10);
}

TEST_F(Scheduling, KeepsNoMoreCtasResidentThanTheScheduleSays) {
  const auto module = compile(R"(
static u32 resident, most;
SCANTUNE_KERNEL(kernel, 32, 1) {
  if (thread_rank() == 0) {
    if (++resident > most) most = resident;
    store_relaxed(arguments.operand<u32>(OperandRole::output), most);
  }
  for (int round = 0; round < 20; ++round) {
    load_relaxed(arguments.operand<u32>(OperandRole::output));
    sync_block();
  }
  if (thread_rank() == 0) --resident;
})");
  for (u32 limit = 1; limit <= 8; ++limit) {
    Schedule schedule = Schedule::from_seed(limit);
    schedule.resident_ctas = limit;
    DeviceArray<u32> most(device_, 1);
    const auto fresh = module.get();
    const HostLaunch launch{fresh, {.grid_blocks = 30, .block_threads = 32}, arguments(nullptr, most.data())};
    device_.run({&launch, 1}, schedule);
    EXPECT_LE(most[0], limit);
  }
}

TEST_F(Scheduling, CanBeUsedAgainAfterAFailure) {
  const auto hang = compile(
      "SCANTUNE_KERNEL(kernel, 64, 1) { if (thread_rank() < 32) sync_block(); else while (true) poll_pause<0>(); }");
  const auto good = compile(
      "SCANTUNE_KERNEL(kernel, 64, 1) { sync_block(); "
      "store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + thread_rank(), 5u); }");
  const auto bad = compile(
      "SCANTUNE_KERNEL(kernel, 64, 1) { if (thread_rank() == 7) "
      "load_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) - 1); sync_block(); }");
  EXPECT_THAT(report(*hang, {.block_threads = 64}, {}), HasSubstr("without progress"));
  for (u64 seed = 1; seed <= 20; ++seed) {
    DeviceArray<u32> out(device_, 64, 0);
    EXPECT_NE(report(*bad, {.grid_blocks = 9, .block_threads = 64}, arguments(nullptr, out.data()), seed), "");
    EXPECT_EQ(report(*good, {.block_threads = 64}, arguments(nullptr, out.data()), seed), "");
    EXPECT_EQ(std::count(out.data(), out.data() + 64, 5u), 64);
  }
}

TEST_F(Scheduling, RunsTheSameScheduleForTheSameSeed) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 64, 1) {
  for (u32 round = 0; round < 5; ++round) {
    const u32 place = fetch_add(static_cast<u32*>(arguments.workspace), 1);
    store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + place, block_rank() * 64 + thread_rank());
  }
})");
  const auto order = [&](u64 seed) {
    DeviceArray<u32> counter(device_, 1, 0), out(device_, 5 * 64 * 6);
    run(*module, {.grid_blocks = 6, .block_threads = 64}, arguments(nullptr, out.data(), counter.data()), seed);
    return std::vector<u32>(out.data(), out.data() + out.size());
  };
  std::set<std::vector<u32>> orders;
  for (u64 seed = 1; seed <= 20; ++seed) {
    const std::vector<u32> first = order(seed);
    EXPECT_EQ(first, order(seed));
    orders.insert(first);
  }
  EXPECT_GT(orders.size(), 10u);
}

}  // namespace
}  // namespace scantune::scheduling_test
