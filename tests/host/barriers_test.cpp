// Barriers in shared memory: the stores that they make visible, and the reports of misuse.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "kernel_fixture.h"

namespace scantune::barriers_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr u64 kSeeds = 300;

class Barriers : public KernelFixture {
 protected:
  static constexpr u32 kRounds = 10;

  // A kernel in which warp 0 hands numbers to warp 1 through one place for each lane, kRounds times.
  static std::string hand_over(const std::string& wait_full, const std::string& wait_empty) {
    return R"(
struct Shared { u32 slots[32]; Barrier full, empty; };
SCANTUNE_KERNEL(kernel, 64, 1) {
  Shared& shared = shared_memory<Shared>();
  const u32 lane = thread_rank() % 32;
  if (thread_rank() == 0) {
    barrier_init(&shared.full, 32);
    barrier_init(&shared.empty, 32);
  }
  sync_block();
  for (u32 round = 0; round < 10; ++round) {
    if (thread_rank() < 32) {
      )" + wait_empty +
           R"(
      shared.slots[lane] = round * 100 + lane;
      barrier_arrive(&shared.full);
    } else {
      )" + wait_full +
           R"(
      store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + round * 32 + lane, shared.slots[31 - lane]);
      barrier_arrive(&shared.empty);
    }
  }
})";
  }

  // The number of seeds under which a hand-over has wrong results or is reported.
  int failures(const std::string& text) {
    const auto module = compile(text);
    DeviceArray<u32> out(device_, kRounds * 32);
    int count = 0;
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      bool right =
          report(*module, {.block_threads = 64, .shared_bytes = 256}, arguments(nullptr, out.data()), seed) == "";
      for (u32 index = 0; right && index < out.size(); ++index)
        right = out[index] == index / 32 * 100 + 31 - index % 32;
      count += !right;
    }
    return count;
  }

  const std::string kWaitFull = "barrier_wait(&shared.full, round % 2);";
  const std::string kWaitEmpty =
      "barrier_wait(&shared.empty, (round + 1) % 2);";  // the phase before the first has ended
};

TEST_F(Barriers, ShowWhatWasDoneBeforeTheArrivals) {
  EXPECT_EQ(failures(hand_over(kWaitFull, kWaitEmpty)), 0);
  EXPECT_GT(failures(hand_over("", kWaitEmpty)), 250);
  EXPECT_GT(failures(hand_over(kWaitFull, "")), 250);
}

TEST_F(Barriers, CanBeTestedInsteadOfWaitedFor) {
  EXPECT_EQ(failures(hand_over("while (!all_lanes(barrier_test(&shared.full, round % 2))) {}", kWaitEmpty)), 0);
  EXPECT_EQ(failures(hand_over(kWaitFull, "while (!barrier_test(&shared.empty, (round + 1) % 2)) {}")), 0);
  // One test does not wait, and a vote by any lane is not one by all.
  EXPECT_GT(failures(hand_over("barrier_test(&shared.full, round % 2);", kWaitEmpty)), 250);
}

TEST_F(Barriers, EndAPhaseOnlyWithTheLastArrival) {
  const auto kernel = [](const char* arrivals) {
    return std::string(R"(
struct Shared { u32 slots[64]; Barrier all; };
SCANTUNE_KERNEL(kernel, 64, 1) {
  Shared& shared = shared_memory<Shared>();
  if (thread_rank() == 0) barrier_init(&shared.all, )") +
           arrivals + R"();
  sync_block();
  shared.slots[thread_rank()] = thread_rank();
  barrier_arrive(&shared.all);
  barrier_wait(&shared.all, 0);
  store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + thread_rank(), shared.slots[63 - thread_rank()]);
})";
  };
  const auto wrong = [&](const char* arrivals) {
    const auto module = compile(kernel(arrivals));
    DeviceArray<u32> out(device_, 64);
    int count = 0;
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      bool right =
          report(*module, {.block_threads = 64, .shared_bytes = 320}, arguments(nullptr, out.data()), seed) == "";
      for (u32 thread = 0; right && thread < 64; ++thread) right = out[thread] == 63 - thread;
      count += !right;
    }
    return count;
  };
  EXPECT_EQ(wrong("64"), 0);
  EXPECT_GT(wrong("63"), 20);
}

TEST_F(Barriers, ShowGlobalStoresOfThoseWhoHaveArrived) {
  const auto wrong = [&](const std::string& meet) {
    const auto module = compile(R"(
struct Shared { Barrier stored; };
SCANTUNE_KERNEL(kernel, 64, 1) {
  Shared& shared = shared_memory<Shared>();
  u32* message = static_cast<u32*>(arguments.workspace);
  u32* out = arguments.operand<u32>(OperandRole::output);
  if (thread_rank() == 0) barrier_init(&shared.stored, 1);
  sync_block();
  if (thread_rank() < 32) {
    store_global<CacheHint::normal>(message + thread_rank(), thread_rank() + 7);
    sync_warp();
    if (thread_rank() == 0) barrier_arrive(&shared.stored);
  } else {
    )" + meet + R"(
    store_global<CacheHint::normal>(out + thread_rank() - 32, load_global<CacheHint::normal>(message + 63 - thread_rank()));
  }
})");
    int count = 0;
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      DeviceArray<u32> message(device_, 32, 0), out(device_, 32);
      run(*module, {.block_threads = 64, .shared_bytes = 16}, arguments(nullptr, out.data(), message.data()), seed);
      bool right = true;
      for (u32 lane = 0; lane < 32; ++lane) right &= out[lane] == 31 - lane + 7;
      count += !right;
    }
    return count;
  };
  EXPECT_EQ(wrong("barrier_wait(&shared.stored, 0);"), 0);
  EXPECT_EQ(wrong("while (!barrier_test(&shared.stored, 0)) {}"), 0);
  EXPECT_GT(wrong(""), 100);
}

// The end of a phase does not make visible what a thread stored after its arrival, even if it ends later.
TEST_F(Barriers, ShowNothingThatWasStoredAfterTheArrival) {
  const auto module = compile(R"(
struct Shared { Barrier stored; };
SCANTUNE_KERNEL(kernel, 64, 1) {
  Shared& shared = shared_memory<Shared>();
  u32* message = static_cast<u32*>(arguments.workspace);
  if (thread_rank() == 0) barrier_init(&shared.stored, 2);
  sync_block();
  if (thread_rank() == 0) {
    barrier_arrive(&shared.stored);
    store_global<CacheHint::normal>(message, 1u);
    barrier_arrive(&shared.stored);
  } else if (thread_rank() == 1) {
    store_global<CacheHint::normal>(message + 32, 1u);
  } else if (thread_rank() == 33) {
    barrier_wait(&shared.stored, 0);
    store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output), load_global<CacheHint::normal>(message));
    store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + 1, load_global<CacheHint::normal>(message + 32));
  }
})");
  int late = 0;
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    DeviceArray<u32> message(device_, 64, 0), out(device_, 2);
    run(*module, {.block_threads = 64, .shared_bytes = 16}, arguments(nullptr, out.data(), message.data()), seed);
    ASSERT_EQ(out[0], 1u) << "seed " << seed;
    late += out[1] == 0;
  }
  EXPECT_GT(late, 100);
}

TEST_F(Barriers, CarryTheWaitForTheKernelBefore) {
  const auto kernel = [](const char* wait) {
    return std::string(R"(
SCANTUNE_KERNEL(first, 32, 1) {
  release_dependents();
  store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + thread_rank(), thread_rank());
}
struct Shared { Barrier begun; };
SCANTUNE_KERNEL(second, 64, 1) {
  Shared& shared = shared_memory<Shared>();
  if (thread_rank() == 0) barrier_init(&shared.begun, 1);
  sync_block();
  if (thread_rank() == 0) {
    wait_for_predecessor();
    barrier_arrive(&shared.begun);
  } else if (thread_rank() >= 32) {
    )") + wait +
           R"(
    const u32 value = load_global<CacheHint::normal>(arguments.operand<const u32>(OperandRole::input) + 63 - thread_rank());
    store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + thread_rank() - 32, value);
  }
})";
  };
  const auto problems = [&](const char* wait) {
    const auto module = compile(kernel(wait), {"first", "second"});
    DeviceArray<u32> first(device_, 32), second(device_, 32);
    const HostLaunch launches[] = {{module.get(), {.kernel = 0, .block_threads = 32}, arguments(nullptr, first.data())},
                                   {module.get(),
                                    {.kernel = 1, .block_threads = 64, .shared_bytes = 16, .pdl = true},
                                    arguments(first.data(), second.data())}};
    std::set<std::string> found;
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      first.fill(100);
      try {
        device_.run(launches, Schedule::from_seed(seed));
      } catch (const DeviceError& error) {
        const std::string text = error.what();
        found.insert(text.substr(0, text.find(", in a launch")));
        continue;
      }
      for (u32 lane = 0; lane < 32; ++lane) EXPECT_EQ(second[lane], 31 - lane) << "seed " << seed;
    }
    return found;
  };
  EXPECT_THAT(problems("barrier_wait(&shared.begun, 0);"), testing::IsEmpty());
  EXPECT_THAT(problems(""), testing::Contains(HasSubstr("before wait_for_predecessor")));
}

// A thread that rests after a test must go on for another barrier than the one that it tested last.
TEST_F(Barriers, LetAThreadTestSeveralInTurn) {
  const auto module = compile(R"(
struct Shared { Barrier ready[4]; };
SCANTUNE_KERNEL(kernel, 160, 1) {
  Shared& shared = shared_memory<Shared>();
  const u32 warp = thread_rank() / 32, lane = thread_rank() % 32;
  if (thread_rank() == 0)
    for (Barrier& barrier : shared.ready) barrier_init(&barrier, 32);
  sync_block();
  if (warp > 0) {
    // The warps form a chain: each starts when the one before it is done.
    if (warp > 1) barrier_wait(&shared.ready[(warp - 2) * 3 % 4], 0);
    barrier_arrive(&shared.ready[(warp - 1) * 3 % 4]);
    return;
  }
  for (u32 seen = 0; seen != 15;)
    for (u32 index = 0; index < 4; ++index)
      if ((seen >> index & 1) == 0 && all_lanes(barrier_test(&shared.ready[index], 0))) {
        seen |= 1u << index;
        sync_warp();
      }
  store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + lane, 1u);
})");
  for (u64 seed = 0; seed <= kSeeds; ++seed) {
    DeviceArray<u32> out(device_, 32, 0);
    ASSERT_EQ(report(*module, {.block_threads = 160, .shared_bytes = 32}, arguments(nullptr, out.data()), seed), "");
    ASSERT_EQ(std::count(out.data(), out.data() + 32, 1u), 32) << "seed " << seed;
  }
}

TEST_F(Barriers, LetAThreadTestAndPollInTurn) {
  const auto module = compile(R"(
struct Shared { Barrier ready; };
SCANTUNE_KERNEL(kernel, 64, 1) {
  Shared& shared = shared_memory<Shared>();
  u32* flag = static_cast<u32*>(arguments.workspace);
  if (thread_rank() == 0) barrier_init(&shared.ready, 1);
  sync_block();
  if (thread_rank() == 33) {
    if (block_rank() == 0) store_relaxed(flag, 1u);
    if (block_rank() == 1) barrier_arrive(&shared.ready);
  } else if (thread_rank() == 0) {
    // CTA 0 sees its flag, CTA 1 its barrier.
    while (load_relaxed(flag + block_rank()) == 0 && !barrier_test(&shared.ready, 0)) poll_pause<0>();
  }
})");
  for (u64 seed = 0; seed <= kSeeds; ++seed) {
    DeviceArray<u32> flags(device_, 64, 0);
    ASSERT_EQ(report(*module, {.grid_blocks = 2, .block_threads = 64, .shared_bytes = 16},
                     arguments(nullptr, nullptr, flags.data()), seed),
              "");
  }
}

TEST_F(Barriers, AreReportedWhereAPhaseCanNeverEnd) {
  const auto module = compile(R"(struct Shared { u32 slots[32]; Barrier ready; };
SCANTUNE_KERNEL(kernel, 96, 1) {
  Shared& shared = shared_memory<Shared>();
  if (thread_rank() == 0) barrier_init(&shared.ready, 33);
  sync_block();
  if (thread_rank() < 32 || thread_rank() == 40) barrier_arrive(&shared.ready);
  barrier_wait(&shared.ready, 0);
  if (thread_rank() >= 8 && thread_rank() < 32) barrier_arrive_expecting(&shared.ready, 16);
  if (thread_rank() < 8) barrier_wait(&shared.ready, 1);
  if (thread_rank() >= 64) while (!barrier_test(&shared.ready, 1)) {}
})");
  for (u64 seed = 0; seed < 50; ++seed) {
    const std::string text = report(*module, {.grid_blocks = 3, .block_threads = 96, .shared_bytes = 144}, {}, seed);
    ASSERT_THAT(text, HasSubstr("deadlock"));
    const char* const phase =
        "phase 1 of the barrier at byte 128 of shared memory, where 9 of 33 arrivals and 384 bytes are missing";
    ASSERT_THAT(text, HasSubstr(std::string("warp 0, lanes 0x000000ff wait for ") + phase + " at kernel.cpp:9"));
    ASSERT_THAT(text, HasSubstr(std::string("warp 2, lanes 0xffffffff wait for ") + phase + " at kernel.cpp:10"));
  }
}

TEST_F(Barriers, AreReportedWhenMisused) {
  const auto problem = [&](const std::string& body) {
    return report(*compile("struct Shared { Barrier barrier, other; };\n"
                           "SCANTUNE_KERNEL(kernel, 32, 1) { Shared& shared = shared_memory<Shared>();\n" +
                           body + "}"),
                  {.block_threads = 1, .shared_bytes = 32}, {});
  };
  const std::string init = "barrier_init(&shared.barrier, 1); fence_barrier_init();\n";
  EXPECT_EQ(problem(init + "barrier_arrive(&shared.barrier); barrier_wait(&shared.barrier, 0);"), "");
  const auto never =
      AllOf(HasSubstr("CTA 0, warp 0, lane 0 uses a barrier that was never initialised"), HasSubstr("at kernel.cpp:3"));
  EXPECT_THAT(problem("barrier_wait(&shared.barrier, 0);"), never);
  EXPECT_THAT(problem("barrier_test(&shared.barrier, 1);"), never);
  EXPECT_THAT(problem("barrier_arrive(&shared.barrier);"), never);
  EXPECT_THAT(problem("barrier_arrive_expecting(&shared.barrier, 16);"), never);
  EXPECT_THAT(problem(init + "shared.other = shared.barrier; barrier_arrive(&shared.other);"),
              HasSubstr("overwritten"));
  EXPECT_THAT(problem(init + "shared.barrier = 0; barrier_arrive(&shared.barrier);"), HasSubstr("overwritten"));
  EXPECT_THAT(problem(init + init), HasSubstr("initialises a barrier for the second time at kernel.cpp:4"));
  EXPECT_THAT(problem("barrier_init(&shared.barrier, 0);"), HasSubstr("number of arrivals that it cannot count"));
  EXPECT_THAT(problem("barrier_init(&shared.barrier, 1 << 20);"), HasSubstr("number of arrivals that it cannot count"));
  EXPECT_THAT(problem("barrier_init(&shared.barrier + 4, 1);"), HasSubstr("outside its shared memory"));
  EXPECT_THAT(problem(init + "barrier_arrive_expecting(&shared.barrier, 1 << 20);"),
              HasSubstr("more bytes under way than a barrier counts"));
  EXPECT_THAT(problem(init + "barrier_arrive_expecting(&shared.barrier, 16);\nbarrier_arrive(&shared.barrier);"),
              AllOf(HasSubstr("arrives more often than the barrier was initialised for: phase 0"),
                    HasSubstr("0 of 1 arrivals and 16 bytes are missing at kernel.cpp:5")));
}

// Without the CTA's barrier some thread arrives before the initialisation.
TEST_F(Barriers, AreReportedWhenUsedBeforeTheyAreShown) {
  const auto reports = [&](const char* barrier) {
    const auto module = compile(std::string(R"(
struct Shared { Barrier all; };
SCANTUNE_KERNEL(kernel, 64, 1) {
  Shared& shared = shared_memory<Shared>();
  if (thread_rank() == 0) barrier_init(&shared.all, 64);
  )") + barrier + R"(
  barrier_arrive(&shared.all);
  barrier_wait(&shared.all, 0);
})");
    int count = 0;
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      const std::string text = report(*module, {.block_threads = 64, .shared_bytes = 16}, {}, seed);
      count += text.find("never initialised") != std::string::npos;
    }
    return count;
  };
  EXPECT_EQ(reports("sync_block();"), 0);
  EXPECT_GT(reports(""), 100);
}

}  // namespace
}  // namespace scantune::barriers_test
