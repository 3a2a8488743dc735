// What the machine allows, what it catches and what it says, shown on small kernels.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "kernel_fixture.h"

namespace scantune {
namespace {

using testing::HasSubstr;

constexpr u64 kSeeds = 300;

class Machine : public KernelFixture {};

TEST_F(Machine, RunsEveryThreadOfEveryCta) {
  const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 96, 1) {
  u32* out = static_cast<u32*>(arguments.output);
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

TEST_F(Machine, TurnsAMissingBarrierIntoWrongResults) {
  const auto kernel = [](const char* barrier) {
    return std::string(R"(
struct Shared { u32 slots[128]; };
SCANTUNE_KERNEL(kernel, 128, 1) {
  Shared& shared = shared_memory<Shared>();
  shared.slots[thread_rank()] = thread_rank();
  )") + barrier +
           R"(
  store_global<CacheHint::normal>(static_cast<u32*>(arguments.output) + thread_rank(), shared.slots[(thread_rank() + 32) % 128]);
})";
  };
  const auto failures = [&](const Module& module) {
    int wrong = 0;
    DeviceArray<u32> out(device_, 128);
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      run(module, {.block_threads = 128, .shared_bytes = 512}, arguments(nullptr, out.data()), seed);
      for (u32 thread = 0; thread < 128; ++thread)
        if (out[thread] != (thread + 32) % 128) {
          ++wrong;
          break;
        }
    }
    return wrong;
  };
  EXPECT_EQ(failures(*compile(kernel("sync_block();"))), 0);
  EXPECT_EQ(failures(*compile(kernel(""))), kSeeds);  // the first warp to run reads what no other has written
}

TEST_F(Machine, TurnsAMissingWarpBarrierIntoWrongResults) {
  const auto kernel = [](const char* barrier) {
    return std::string(R"(
struct Shared { u32 slots[32]; };
SCANTUNE_KERNEL(kernel, 32, 1) {
  Shared& shared = shared_memory<Shared>();
  shared.slots[thread_rank()] = thread_rank();
  )") + barrier +
           R"(
  store_global<CacheHint::normal>(static_cast<u32*>(arguments.output) + thread_rank(), shared.slots[(thread_rank() + 1) % 32]);
})";
  };
  const auto failures = [&](const Module& module) {
    int wrong = 0;
    DeviceArray<u32> out(device_, 32);
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      run(module, {.block_threads = 32, .shared_bytes = 128}, arguments(nullptr, out.data()), seed);
      bool right = true;
      for (u32 thread = 0; thread < 32; ++thread) right &= out[thread] == (thread + 1) % 32;
      wrong += !right;
    }
    return wrong;
  };
  EXPECT_EQ(failures(*compile(kernel("sync_warp();"))), 0);
  EXPECT_EQ(failures(*compile(kernel(""))), kSeeds);
}

// CTA 0 writes a message and raises a flag; CTA 1 waits for the flag and copies the message.
class MessagePassing : public Machine {
 protected:
  int failures(const std::string& send, const std::string& receive) {
    const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 64, 1) {
  u32* flag = static_cast<u32*>(arguments.workspace);
  u32* message = flag + 32;
  u32* out = static_cast<u32*>(arguments.output);
  if (block_rank() == 0) { )" + send +
                                R"( }
  else if (thread_rank() == 0) { )" +
                                receive + R"( }
})");
    DeviceArray<u32> workspace(device_, 96), out(device_, 64);
    int wrong = 0;
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      workspace.fill(0);
      out.fill(0);
      run(*module, {.grid_blocks = 2, .block_threads = 64, .dispatch = Dispatch::in_order},
          arguments(nullptr, out.data(), workspace.data()), seed);
      bool right = out[0] == 7;
      if (whole_cta_)
        for (u32 thread = 0; thread < 64; ++thread) right &= out[thread] == thread + 7;
      wrong += !right;
    }
    return wrong;
  }
  bool whole_cta_ = false;

  const std::string kMessage = "if (thread_rank() == 0) store_payload(message, 7u);";
  const std::string kPoll = "while (load_relaxed(flag) == 0) poll_pause<0>();";
  const std::string kPollAcquire = "while (load_acquire(flag) == 0) poll_pause<0>();";
  const std::string kCopy = "store_payload(out, load_payload(message));";
};

TEST_F(MessagePassing, WorksWithReleaseAndAcquire) {
  EXPECT_EQ(failures(kMessage + "if (thread_rank() == 0) store_release(flag, 1u);", kPollAcquire + kCopy), 0);
}

TEST_F(MessagePassing, WorksWithFences) {
  EXPECT_EQ(
      failures(kMessage + "if (thread_rank() == 0) { fence(); store_relaxed(flag, 1u); }", kPoll + "fence();" + kCopy),
      0);
}

TEST_F(MessagePassing, FailsWithoutRelease) {
  EXPECT_GT(failures(kMessage + "if (thread_rank() == 0) store_relaxed(flag, 1u);", kPollAcquire + kCopy), 10);
}

TEST_F(MessagePassing, FailsWithoutAcquire) {
  EXPECT_GT(failures("if (thread_rank() == 0) { store_payload(message, 7u); store_release(flag, 1u); }", kPoll + kCopy),
            10);
}

TEST_F(MessagePassing, FailsWhenTheFlagGoesFirst) {
  EXPECT_GT(failures("if (thread_rank() == 0) store_release(flag, 1u);" + kMessage, kPollAcquire + kCopy), 10);
}

TEST_F(MessagePassing, ReleaseCarriesWhatABarrierShowed) {
  whole_cta_ = true;
  const std::string store = "store_payload(message + thread_rank(), thread_rank() + 7);";
  const std::string publish = "if (thread_rank() == 0) store_release(flag, 1u);";
  const std::string copy = "for (u32 i = 0; i < 64; ++i) store_payload(out + i, load_payload(message + i));";
  EXPECT_EQ(failures(store + "sync_block();" + publish, kPollAcquire + copy), 0);
  EXPECT_GT(failures(store + publish, kPollAcquire + copy), 10);
  EXPECT_GT(failures(store + "sync_warp();" + publish, kPollAcquire + copy), 10);  // the other warp's half may be late
}

TEST_F(Machine, ShowsAThreadItsOwnStores) {
  const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 64, 1) {
  u32* slot = static_cast<u32*>(arguments.output) + block_rank() * 64 + thread_rank();
  for (u32 round = 1; round <= 10; ++round) {
    store_global<CacheHint::normal>(slot, round);
    if (load_global<CacheHint::normal>(slot) != round) { store_global<CacheHint::normal>(slot, 1000u); return; }
  }
})");
  DeviceArray<u32> out(device_, 4 * 64);
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    run(*module, {.grid_blocks = 4, .block_threads = 64}, arguments(nullptr, out.data()), seed);
    for (u32 index = 0; index < out.size(); ++index) ASSERT_EQ(out[index], 10u) << "seed " << seed;
  }
}

TEST_F(Machine, KeepsRelaxedStoresToOnePlaceInOrder) {
  const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 32, 1) {
  u32* counter = static_cast<u32*>(arguments.workspace);
  if (thread_rank() != 0) return;
  if (block_rank() == 0) {
    for (u32 value = 1; value <= 20; ++value) store_relaxed(counter, value);
  } else {
    u32 last = 0;
    while (last != 20) {
      const u32 seen = load_relaxed(counter);
      if (seen < last) store_relaxed(static_cast<u32*>(arguments.output), 1u);
      last = seen;
      if (seen != 20) poll_pause<0>();
    }
  }
})");
  DeviceArray<u32> counter(device_, 1), out(device_, 1);
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    counter.fill(0);
    run(*module, {.grid_blocks = 3, .block_threads = 32, .dispatch = Dispatch::in_order},
        arguments(nullptr, out.data(), counter.data()), seed);
    ASSERT_EQ(out[0], 0u) << "seed " << seed;
  }
}

// CTA 0 writes over what CTA 1 has written: which of the two stays is open unless the flag orders them.
TEST_F(Machine, LetsAStoreComeBeforeAnotherThatItsThreadHasNotSeen) {
  const auto lost = [&](const std::string& wait) {
    const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 32, 1) {
  u32* flag = static_cast<u32*>(arguments.workspace);
  u32* word = flag + 32;
  if (thread_rank() != 0) return;
  if (block_rank() == 1) {
    store_relaxed(word, 1u);
    store_release(flag, 1u);
  } else {
    )" + wait + R"(
    store_relaxed(word, 2u);
  }
})");
    DeviceArray<u32> workspace(device_, 64);
    int count = 0;
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      workspace.fill(0);
      Schedule schedule = Schedule::from_seed(seed);
      schedule.resident_ctas = 2;
      const HostLaunch launch{module.get(),
                              {.grid_blocks = 2, .block_threads = 32, .dispatch = Dispatch::in_order},
                              arguments(nullptr, nullptr, workspace.data())};
      device_.run({&launch, 1}, schedule);
      count += workspace[32] != 2;
    }
    return count;
  };
  EXPECT_EQ(lost("while (load_acquire(flag) == 0) poll_pause<0>();"), 0);
  EXPECT_GT(lost("while (load_relaxed(flag) == 0) poll_pause<0>();"), 10);
  EXPECT_EQ(lost("while (load_relaxed(word) == 0) poll_pause<0>();"), 0);  // it has read the other's value
}

TEST_F(Machine, AddsAtomically) {
  const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 64, 1) {
  const u32 ticket = fetch_add(static_cast<u32*>(arguments.workspace), 1);
  store_global<CacheHint::normal>(static_cast<u32*>(arguments.output) + ticket, 1u);
})");
  for (u64 seed = 1; seed <= 50; ++seed) {
    DeviceArray<u32> counter(device_, 1, 0), out(device_, 640, 0);
    run(*module, {.grid_blocks = 10, .block_threads = 64}, arguments(nullptr, out.data(), counter.data()), seed);
    ASSERT_EQ(counter[0], 640u);
    ASSERT_EQ(std::count(out.data(), out.data() + 640, 1u), 640) << "seed " << seed;
  }
}

TEST_F(Machine, ShufflesAndVotesLikeAWarp) {
  const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 32, 1) {
  const u32 lane = thread_rank();
  u64* out = static_cast<u64*>(arguments.output) + lane * 4;
  store_global<CacheHint::normal>(out, static_cast<u64>(shuffle_up(lane + 100, 3)));
  store_global<CacheHint::normal>(out + 1, static_cast<u64>(shuffle_down(lane + 100, 3)));
  store_global<CacheHint::normal>(out + 2, shuffle_index(static_cast<u64>(lane) << 40, 31 - lane));
  store_global<CacheHint::normal>(out + 3, static_cast<u64>(ballot(~0u, lane % 3 == 0)));
})");
  DeviceArray<u64> out(device_, 128);
  for (u64 seed = 0; seed < 50; ++seed) {
    run(*module, {.block_threads = 32}, arguments(nullptr, out.data()), seed);
    for (u32 lane = 0; lane < 32; ++lane) {
      ASSERT_EQ(out[lane * 4], 100 + (lane < 3 ? lane : lane - 3));
      ASSERT_EQ(out[lane * 4 + 1], 100 + (lane > 28 ? lane : lane + 3));
      ASSERT_EQ(out[lane * 4 + 2], static_cast<u64>(31 - lane) << 40);
      ASSERT_EQ(out[lane * 4 + 3], 0x49249249u);
    }
  }
}

TEST_F(Machine, AllowsDivergentMeetingsOfDisjointMasks) {
  const auto module = compile(R"(
SCANTUNE_KERNEL(kernel, 32, 1) {
  const u32 lane = thread_rank();
  u32 votes;
  if (lane < 10) {
    sync_warp(0x3ff);
    votes = ballot(0x3ff, lane % 2 == 0);
  } else {
    votes = ballot(~0x3ffu, lane % 2 == 1);
    sync_warp(~0x3ffu);
  }
  store_global<CacheHint::normal>(static_cast<u32*>(arguments.output) + lane, votes);
})");
  DeviceArray<u32> out(device_, 32);
  for (u64 seed = 0; seed < 100; ++seed) {
    run(*module, {.block_threads = 32}, arguments(nullptr, out.data()), seed);
    for (u32 lane = 0; lane < 32; ++lane) ASSERT_EQ(out[lane], lane < 10 ? 0x155u : 0xaaaaa800u);
  }
}

TEST_F(Machine, ReportsOneMaskWithTwoOperations) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 32, 1) {
  if (thread_rank() < 16) {
    sync_warp();
  } else {
    ballot(~0u, true);
  }
})");
  const std::string text = report(*module, {.block_threads = 32}, {});
  EXPECT_THAT(text, HasSubstr("meets other lanes of its mask at a different operation: 0xffffffff at kernel.cpp:5"));
  EXPECT_THAT(text, HasSubstr("CTA 0, warp 0, lanes 0x0000ffff wait for sync_warp, mask 0xffffffff at kernel.cpp:3"));
}

TEST_F(Machine, ReportsMisusedMasks) {
  const auto problem = [&](const std::string& body, int block_threads = 32) {
    return report(*compile("SCANTUNE_KERNEL(kernel, 32, 1) { u32 lane = thread_rank(); " + body + " }"),
                  {.block_threads = block_threads}, {});
  };
  EXPECT_THAT(problem("sync_warp(1u << (lane + 1) % 32);"), HasSubstr("names a mask without itself"));
  EXPECT_THAT(problem("if (lane == 0) return; ballot(~0u, true);"), HasSubstr("lanes that have exited"));
  EXPECT_THAT(problem("if (lane == 31) return; ballot(~0u, true);"), HasSubstr("exited while other lanes wait for it"));
  EXPECT_THAT(problem("sync_warp();", 24), HasSubstr("lanes that its warp does not have"));
  EXPECT_EQ(problem("sync_warp();"), "");
}

TEST_F(Machine, ReportsABarrierThatExitedThreadsCannotReach) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 64, 1) {
  if (thread_rank() == 40) return;
  sync_block();
})");
  for (u64 seed = 0; seed < 20; ++seed) {
    const std::string text = report(*module, {.block_threads = 64}, {}, seed);
    EXPECT_TRUE(text.find("exited while others of its CTA wait at a barrier") != std::string::npos ||
                text.find("waits at a barrier that exited threads of its CTA can never reach") != std::string::npos)
        << text;
  }
}

TEST_F(Machine, ReportsWhereADeadlockStands) {
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

TEST_F(Machine, ReportsThreadsThatSpinWithoutPause) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 32, 1) {
  while (load_relaxed(static_cast<u32*>(arguments.workspace)) == 0) {}
})");
  DeviceArray<u32> flag(device_, 1, 0);
  const std::string text = report(*module, {.block_threads = 32}, arguments(nullptr, nullptr, flag.data()));
  EXPECT_THAT(text, HasSubstr("without progress at kernel.cpp:2"));
}

TEST_F(Machine, LetsASpinningThreadWithoutPauseSeeTheFlagSomeTime) {
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
TEST_F(Machine, FindsNoDeadlockWhereVotesRestOnPollsOfDifferentAge) {
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

TEST_F(Machine, ReportsAccessesOutOfBounds) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 32, 1) {
  const u32* in = static_cast<const u32*>(arguments.input);
  const u32 value = load_global<CacheHint::normal>(in + thread_rank());
  store_global<CacheHint::normal>(static_cast<u32*>(arguments.output) + thread_rank(), value);
})");
  DeviceArray<u32> small(device_, 31), large(device_, 32);
  const std::string load = report(*module, {.block_threads = 32}, arguments(small.data(), large.data()));
  EXPECT_THAT(load, HasSubstr("CTA 0, warp 0, lane 31 accesses global memory out of bounds"));
  EXPECT_THAT(load, HasSubstr("0 bytes past the end of the allocation of 124 bytes"));
  EXPECT_THAT(load, HasSubstr("at kernel.cpp:3"));
  const std::string store = report(*module, {.block_threads = 32}, arguments(large.data(), small.data()));
  EXPECT_THAT(store, HasSubstr("at kernel.cpp:4"));
  EXPECT_EQ(report(*module, {.block_threads = 32}, arguments(large.data(), large.data())), "");
}

TEST_F(Machine, ReportsAccessesToFreedMemory) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 32, 1) {
  load_global<CacheHint::normal>(static_cast<const u32*>(arguments.input));
})");
  const void* freed;
  {
    DeviceArray<u32> memory(device_, 1);
    freed = memory.data();
    EXPECT_EQ(report(*module, {.block_threads = 32}, arguments(freed, nullptr)), "");
  }
  EXPECT_THAT(report(*module, {.block_threads = 32}, arguments(freed, nullptr)), HasSubstr("out of bounds"));
}

TEST_F(Machine, ReportsMisalignedAccesses) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 32, 1) {
  load_global<CacheHint::normal>(static_cast<const u64*>(arguments.input));
})");
  DeviceArray<u32> memory(device_, 4);
  EXPECT_EQ(report(*module, {.block_threads = 1}, arguments(memory.data(), nullptr)), "");
  EXPECT_THAT(report(*module, {.block_threads = 1}, arguments(memory.data() + 1, nullptr)),
              HasSubstr("misaligned address"));
}

TEST_F(Machine, ReportsSharedMemoryThatIsTooSmall) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 32, 1) {
  shared_memory<u32[8]>()[8 + thread_rank() % 2] = 1;
})");
  EXPECT_THAT(report(*module, {.block_threads = 32, .shared_bytes = 32}, {}),
              HasSubstr("past the end of its shared memory"));
  EXPECT_EQ(report(*module, {.block_threads = 32, .shared_bytes = 48}, {}), "");
}

TEST_F(Machine, FillsSharedMemoryWithArbitraryBytes) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 1, 1) {
  store_global<CacheHint::normal>(static_cast<u32*>(arguments.output), shared_memory<u32[8]>()[3]);
})");
  std::set<u32> values;
  DeviceArray<u32> out(device_, 1);
  for (u64 seed = 1; seed <= 10; ++seed) {
    run(*module, {.block_threads = 1, .shared_bytes = 32}, arguments(nullptr, out.data()), seed);
    values.insert(out[0]);
  }
  EXPECT_GT(values.size(), 8u);
}

TEST_F(Machine, ReportsAStackThatIsTooSmall) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 2, 1) {
  if (thread_rank() == 0) return;  // whose stack is next to the one that overflows
  volatile char frame[32 * 1024 + 64];
  for (u32 index = 0; index < sizeof frame; ++index) frame[index] = 1;
})");
  EXPECT_THAT(report(*module, {.block_threads = 2}, {}), HasSubstr("more stack than a fibre has"));
}

TEST_F(Machine, StartsCtasInOrderWhereTheLaunchAsksForIt) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 1, 1) {
  const u32 place = fetch_add(static_cast<u32*>(arguments.workspace), 1);
  store_global<CacheHint::normal>(static_cast<u32*>(arguments.output) + place, block_rank());
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

TEST_F(Machine, KeepsNoMoreCtasResidentThanTheScheduleSays) {
  const auto module = compile(R"(
static u32 resident, most;
SCANTUNE_KERNEL(kernel, 32, 1) {
  if (thread_rank() == 0) {
    if (++resident > most) most = resident;
    store_relaxed(static_cast<u32*>(arguments.output), most);
  }
  for (int round = 0; round < 20; ++round) {
    load_relaxed(static_cast<u32*>(arguments.output));
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

TEST_F(Machine, CanBeUsedAgainAfterAFailure) {
  const auto hang = compile(
      "SCANTUNE_KERNEL(kernel, 64, 1) { if (thread_rank() < 32) sync_block(); else while (true) poll_pause<0>(); }");
  const auto good = compile(
      "SCANTUNE_KERNEL(kernel, 64, 1) { sync_block(); "
      "store_global<CacheHint::normal>(static_cast<u32*>(arguments.output) + thread_rank(), 5u); }");
  const auto bad = compile(
      "SCANTUNE_KERNEL(kernel, 64, 1) { if (thread_rank() == 7) "
      "load_global<CacheHint::normal>(static_cast<u32*>(arguments.output) - 1); sync_block(); }");
  EXPECT_THAT(report(*hang, {.block_threads = 64}, {}), HasSubstr("without progress"));
  for (u64 seed = 1; seed <= 20; ++seed) {
    DeviceArray<u32> out(device_, 64, 0);
    EXPECT_NE(report(*bad, {.grid_blocks = 9, .block_threads = 64}, arguments(nullptr, out.data()), seed), "");
    EXPECT_EQ(report(*good, {.block_threads = 64}, arguments(nullptr, out.data()), seed), "");
    EXPECT_EQ(std::count(out.data(), out.data() + 64, 5u), 64);
  }
}

TEST_F(Machine, RunsTheSameScheduleForTheSameSeed) {
  const auto module = compile(R"(SCANTUNE_KERNEL(kernel, 64, 1) {
  for (u32 round = 0; round < 5; ++round) {
    const u32 place = fetch_add(static_cast<u32*>(arguments.workspace), 1);
    store_global<CacheHint::normal>(static_cast<u32*>(arguments.output) + place, block_rank() * 64 + thread_rank());
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

// Two kernels of one stream, the second launched with programmatic stream serialization.
class Overlap : public Machine {
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
    store_global<CacheHint::normal>(static_cast<u32*>(arguments.output) + block_rank() * 64 + thread_rank(), round);
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
  const u32 value = load_global<CacheHint::normal>(static_cast<const u32*>(arguments.input) + (index + 100) % 256);
  store_global<CacheHint::normal>(static_cast<u32*>(arguments.output) + index, overlapped + value);
})",
                              {"first", "second"});
  int overlapped = 0;
  for (u64 seed = 0; seed <= kSeeds; ++seed) {
    ASSERT_EQ(report_pair(*module, seed), "");
    for (const u32 value : seen_) ASSERT_EQ(value % 100, 4u) << "seed " << seed;
    overlapped += seen_ != std::vector<u32>(256, 4);
  }
  EXPECT_GT(overlapped, 10);  // else the test has shown nothing
  for (u64 seed = 0; seed <= 20; ++seed) {
    ASSERT_EQ(report_pair(*module, seed, false), "");
    EXPECT_EQ(seen_, std::vector<u32>(256, 4)) << "without pdl nothing overlaps";
  }
}

TEST_F(Overlap, ReportsAnAccessBeforeTheWait) {
  const auto module = compile(std::string(kFirst) + R"(
SCANTUNE_KERNEL(second, 64, 1) {
  if (block_rank() == 3) load_global<CacheHint::normal>(static_cast<const u32*>(arguments.input));
  wait_for_predecessor();
})",
                              {"first", "second"});
  for (u64 seed = 0; seed <= 20; ++seed)
    EXPECT_THAT(report_pair(*module, seed), HasSubstr("accesses global memory before wait_for_predecessor"));
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
  const u32 value = load_global<CacheHint::normal>(static_cast<const u32*>(arguments.input) + (index + 100) % 256);
  store_global<CacheHint::normal>(static_cast<u32*>(arguments.output) + index, value);
})",
                              {"first", "second"});
  for (u64 seed = 0; seed <= kSeeds; ++seed) {
    ASSERT_EQ(report_pair(*module, seed), "");
    ASSERT_EQ(seen_, std::vector<u32>(256, 4)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace scantune
