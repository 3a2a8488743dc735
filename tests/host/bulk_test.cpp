// Bulk copies between shared and global memory: when they read and write, and the reports of misuse.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "kernel_fixture.h"
#include "message_of.h"

namespace scantune::bulk_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr u64 kSeeds = 300;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

// One thread loads tiles into a ring and stores them, 64 others add to each item in between.
constexpr const char* kRing = R"(constexpr u32 kStages = 3, kTiles = 10, kItems = 64, kBytes = 256;
struct Shared {
  alignas(16) u32 tiles[kStages][kItems];
  Barrier loaded[kStages], added[kStages];
};
SCANTUNE_KERNEL(kernel, 96, 1) {
  Shared& shared = shared_memory<Shared>();
  const u32* in = arguments.operand<const u32>(OperandRole::input) + block_rank() * kTiles * kItems;
  u32* out = arguments.operand<u32>(OperandRole::output) + block_rank() * kTiles * kItems;
  if (thread_rank() == 0) {
    for (u32 stage = 0; stage < kStages; ++stage) {
      barrier_init(&shared.loaded[stage], 1);
      barrier_init(&shared.added[stage], kItems);
    }
    fence_barrier_init();
  }
  sync_block();
  if (thread_rank() == kItems) {
    const auto load = [&](u32 tile) {
      barrier_arrive_expecting(&shared.loaded[tile % kStages], kBytes);
      bulk_load(shared.tiles[tile % kStages], in + tile * kItems, kBytes, &shared.loaded[tile % kStages]);
    };
    for (u32 tile = 0; tile < kStages; ++tile) load(tile);
    for (u32 tile = 0; tile < kTiles; ++tile) {
      barrier_wait(&shared.added[tile % kStages], tile / kStages % 2);
      bulk_store(out + tile * kItems, shared.tiles[tile % kStages], kBytes);
      bulk_commit();
      if (tile + kStages >= kTiles) continue;
      bulk_wait_read<0>();
      load(tile + kStages);
    }
    bulk_wait();
  } else if (thread_rank() < kItems) {
    for (u32 tile = 0; tile < kTiles; ++tile) {
      barrier_wait(&shared.loaded[tile % kStages], tile / kStages % 2);
      shared.tiles[tile % kStages][thread_rank()] += 1000;
      fence_shared_for_bulk();
      barrier_arrive(&shared.added[tile % kStages]);
    }
  }
})";

class Ring : public KernelFixture {
 protected:
  static constexpr u32 kCtas = 4, kItems = 4 * 10 * 64;
  static constexpr Launch kLaunch = {.grid_blocks = kCtas, .block_threads = 96, .shared_bytes = 816};

  Ring() {
    for (u32 item = 0; item < kItems; ++item) in_[item] = item * 7;
  }

  // The report of a run under a seed, or that its results are wrong; empty if they are right.
  std::string problem(const Module& module, u64 seed) {
    out_.fill(0);
    const std::string text = report(module, kLaunch, arguments(in_.data(), out_.data()), seed);
    if (!text.empty()) return text;
    for (u32 item = 0; item < kItems; ++item)
      if (out_[item] != item * 7 + 1000) return "wrong result";
    return {};
  }

  struct Problems {
    int seeds = 0;  // how many of kSeeds show it
    std::set<std::string> kinds;
  };
  Problems problems(const std::string& text) {
    const auto module = compile(text);
    Problems found;
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      const std::string kind = problem(*module, seed);
      found.seeds += !kind.empty();
      if (!kind.empty()) found.kinds.insert(kind.substr(0, kind.find('\n')));
    }
    return found;
  }
  int problems_without(const std::string& statement) { return problems(replaced(kRing, statement, "")).seeds; }

  DeviceArray<u32> in_{device_, kItems}, out_{device_, kItems};
};

TEST_F(Ring, CopiesUnderAllSeeds) {
  const Problems found = problems(kRing);
  EXPECT_EQ(found.seeds, 0) << *found.kinds.begin();
}

TEST_F(Ring, FailsWithoutTheFenceBeforeTheStore) {
  EXPECT_GT(problems_without("fence_shared_for_bulk();"), 250);
  // One thread is enough, but it is not the one watched in every run.
  EXPECT_GT(
      problems(replaced(kRing, "fence_shared_for_bulk();", "if (thread_rank() != 13) fence_shared_for_bulk();")).seeds,
      3);
}

TEST_F(Ring, FailsWhenTheFenceComesAfterTheArrival) {
  const std::string late = replaced(kRing, "fence_shared_for_bulk();\n", "");
  EXPECT_GT(problems(replaced(late, "barrier_arrive(&shared.added[tile % kStages]);",
                              "barrier_arrive(&shared.added[tile % kStages]); fence_shared_for_bulk();"))
                .seeds,
            1);
}

TEST_F(Ring, FailsWhenAStageIsLoadedBeforeItsStoreHasRead) {
  EXPECT_GT(problems_without("bulk_wait_read<0>();"), 200);
  EXPECT_GT(problems(replaced(kRing, "bulk_wait_read<0>();", "bulk_wait_read<1>();")).seeds, 200);
}

TEST_F(Ring, FailsWhenAStageIsReadBeforeItsPhaseEnds) {
  EXPECT_GT(problems_without("barrier_wait(&shared.loaded[tile % kStages], tile / kStages % 2);"), 250);
  EXPECT_GT(problems(replaced(kRing, "barrier_wait(&shared.loaded[tile % kStages], tile / kStages % 2);",
                              "barrier_wait(&shared.loaded[tile % kStages], 1 - tile / kStages % 2);"))
                .seeds,
            250);
}

TEST_F(Ring, FailsWhenAStageIsStoredBeforeItsPhaseEnds) {
  EXPECT_GT(problems_without("barrier_wait(&shared.added[tile % kStages], tile / kStages % 2);"), 250);
}

TEST_F(Ring, FailsWithoutAnArrival) {
  const Problems found =
      problems(replaced(kRing, "barrier_arrive(&shared.added", "if (thread_rank() != 5) barrier_arrive(&shared.added"));
  EXPECT_EQ(found.seeds, kSeeds);
  for (const std::string& kind : found.kinds) EXPECT_THAT(kind, HasSubstr("deadlock"));
}

TEST_F(Ring, FailsWhenOtherBytesAreAnnouncedThanCome) {
  const std::string announcement = "barrier_arrive_expecting(&shared.loaded[tile % kStages], kBytes";
  const Problems fewer = problems(replaced(kRing, announcement, announcement + " - 16"));
  EXPECT_EQ(fewer.seeds, kSeeds);
  for (const std::string& kind : fewer.kinds)
    EXPECT_THAT(kind, AllOf(HasSubstr("brings more bytes than were announced to the barrier: phase 0"),
                            HasSubstr("0 of 1 arrivals and -16 bytes are missing at kernel.cpp:21")));
  const Problems more = problems(replaced(kRing, announcement, announcement + " + 16"));
  EXPECT_EQ(more.seeds, kSeeds);
  for (const std::string& kind : more.kinds) EXPECT_THAT(kind, HasSubstr("deadlock"));
}

TEST_F(Ring, FailsWithoutTheFenceOfTheBarriers) {
  const Problems found = problems(replaced(kRing, "fence_barrier_init();", ""));
  EXPECT_EQ(found.seeds, kSeeds);
  for (const std::string& kind : found.kinds) EXPECT_THAT(kind, HasSubstr("without fence_barrier_init"));
}

TEST_F(Ring, FailsWhenTheThreadEndsBeforeItsStoresHaveRead) {
  EXPECT_EQ(problems(replaced(kRing, "bulk_wait();", "bulk_wait_read<0>();")).seeds, 0)
      << "it may end before they write";
  const std::string early = "ends before its bulk stores have read shared memory";
  for (const char* const wait : {"", "bulk_wait_read<1>();"}) {
    const Problems found = problems(replaced(kRing, "bulk_wait();", wait));
    EXPECT_EQ(found.seeds, kSeeds);
    for (const std::string& kind : found.kinds) EXPECT_THAT(kind, HasSubstr(early));
  }
  const Problems uncommitted = problems(replaced(kRing, "bulk_commit();", ""));
  EXPECT_EQ(uncommitted.seeds, kSeeds);
}

class Bulk : public KernelFixture {
 protected:
  // Compiles a kernel of one thread, with 256 bytes of shared memory before a barrier.
  std::unique_ptr<Module> compile_thread(const std::string& body) {
    return compile(R"(struct Shared { alignas(16) u32 items[64]; Barrier loaded; };
SCANTUNE_KERNEL(kernel, 32, 1) {
  Shared& shared = shared_memory<Shared>();
  u32* in = const_cast<u32*>(arguments.operand<const u32>(OperandRole::input));
  u32* out = arguments.operand<u32>(OperandRole::output);
  barrier_init(&shared.loaded, 1); fence_barrier_init();
)" + body + "}");
  }
  static constexpr Launch kThread = {.block_threads = 1, .shared_bytes = 272};
};

TEST_F(Bulk, LoadsReadSomeTimeBeforeTheirPhaseEnds) {
  const auto module = compile_thread(R"(
  barrier_arrive_expecting(&shared.loaded, 16);
  bulk_load(shared.items, in, 16, &shared.loaded);
  store_relaxed(in, 1u);
  fence();
  sync_block();
  barrier_wait(&shared.loaded, 0);
  store_global<CacheHint::normal>(out, shared.items[0]);
)");
  DeviceArray<u32> in(device_, 4), out(device_, 1);
  std::set<u32> seen;
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    in.fill(0);
    run(*module, kThread, arguments(in.data(), out.data()), seed);
    seen.insert(out[0]);
  }
  EXPECT_EQ(seen, (std::set<u32>{0, 1}));
}

TEST_F(Bulk, LoadsLeaveNothingOfTheirDestination) {
  const auto module = compile_thread(R"(
  shared.items[0] = 5;
  barrier_arrive_expecting(&shared.loaded, 16);
  bulk_load(shared.items, in, 16, &shared.loaded);
  store_global<CacheHint::normal>(out, shared.items[0]);
  barrier_wait(&shared.loaded, 0);
)");
  DeviceArray<u32> in(device_, 4), out(device_, 1);
  int old = 0;
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    run(*module, kThread, arguments(in.data(), out.data()), seed);
    old += out[0] == 5 || out[0] == 0;
  }
  EXPECT_LT(old, 10);
}

TEST_F(Bulk, StoresReadSomeTimeBeforeTheWait) {
  const auto overwritten = [&](const std::string& wait) {
    const auto module = compile_thread(R"(
  for (u32 item = 0; item < 4; ++item) shared.items[item] = 1;
  fence_shared_for_bulk();
  bulk_store(out, shared.items, 16);
  bulk_commit();
  )" + wait + R"(
  for (u32 item = 0; item < 4; ++item) shared.items[item] = 2;
  fence_shared_for_bulk();
  bulk_wait();
)");
    DeviceArray<u32> out(device_, 4);
    int count = 0;
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      run(*module, kThread, arguments(nullptr, out.data()), seed);
      count += out[0] != 1;
    }
    return count;
  };
  EXPECT_EQ(overwritten("bulk_wait_read<0>();"), 0);
  EXPECT_EQ(overwritten("bulk_wait();"), 0);
  EXPECT_GT(overwritten("bulk_wait_read<1>();"), 100);
}

TEST_F(Bulk, WaitsForAllButTheLatestGroups) {
  const auto wrong = [&](const std::string& wait) {
    const auto module = compile_thread(R"(
  for (u32 item = 0; item < 64; ++item) shared.items[item] = 1;
  fence_shared_for_bulk();
  for (u32 store = 0; store < 4; ++store) {
    bulk_store(out + 8 * store, shared.items + 8 * store, 16);
    bulk_store(out + 8 * store + 4, shared.items + 8 * store + 4, 16);
    bulk_commit();
  }
  )" + wait + R"(
  for (u32 item = 0; item < 16; ++item) shared.items[item] = 2;
  fence_shared_for_bulk();
  bulk_wait();
)");
    DeviceArray<u32> out(device_, 32);
    int count = 0;
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      run(*module, kThread, arguments(nullptr, out.data()), seed);
      bool right = true;
      for (u32 item = 0; item < 32; ++item) right &= out[item] == 1;
      count += !right;
    }
    return count;
  };
  EXPECT_EQ(wrong("bulk_wait_read<2>();"), 0);
  EXPECT_GT(wrong("bulk_wait_read<3>();"), 100);
}

// A thread stores a message in bulk and raises a flag for another CTA.
TEST_F(Bulk, StoresAreSeenByOthersOnceTheyAreWaitedFor) {
  const auto wrong = [&](const std::string& wait) {
    const auto module = compile(R"(
struct Shared { alignas(16) u32 items[64]; };
SCANTUNE_KERNEL(kernel, 32, 1) {
  Shared& shared = shared_memory<Shared>();
  u32* flag = static_cast<u32*>(arguments.workspace);
  u32* message = flag + 32;
  if (thread_rank() != 0) return;
  if (block_rank() == 0) {
    for (u32 item = 0; item < 64; ++item) shared.items[item] = item + 1;
    fence_shared_for_bulk();
    bulk_store(message, shared.items, 256);
    bulk_commit();
    )" + wait + R"(
    store_release(flag, 1u);
  } else {
    while (load_acquire(flag) == 0) poll_pause<0>();
    for (u32 item = 0; item < 64; ++item)
      store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + item, load_global<CacheHint::normal>(message + item));
  }
})");
    int count = 0;
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      DeviceArray<u32> workspace(device_, 96, 0), out(device_, 64);
      run(*module, {.grid_blocks = 2, .block_threads = 32, .shared_bytes = 256, .dispatch = Dispatch::in_order},
          arguments(nullptr, out.data(), workspace.data()), seed);
      bool right = true;
      for (u32 item = 0; item < 64; ++item) right &= out[item] == item + 1 && workspace[32 + item] == item + 1;
      count += !right;
    }
    return count;
  };
  EXPECT_EQ(wrong("bulk_wait();"), 0);
  EXPECT_GT(wrong("bulk_wait_read<0>();"), 50);
}

TEST_F(Bulk, StoresAreSeenByTheNextKernel) {
  const auto module = compile(R"(
struct Shared { alignas(16) u32 items[64]; Barrier loaded; };
SCANTUNE_KERNEL(first, 32, 1) {
  Shared& shared = shared_memory<Shared>();
  release_dependents();
  shared.items[thread_rank()] = thread_rank() + 1;
  fence_shared_for_bulk();
  sync_block();
  if (thread_rank() != 0) return;
  bulk_store(arguments.operand<u32>(OperandRole::output) + 32 * block_rank(), shared.items, 128);
  bulk_commit();
  bulk_wait_read<0>();
}
SCANTUNE_KERNEL(second, 32, 1) {
  Shared& shared = shared_memory<Shared>();
  if (thread_rank() == 0) {
    barrier_init(&shared.loaded, 1);
    fence_barrier_init();
    if (arguments.n == 0) wait_for_predecessor();
    barrier_arrive_expecting(&shared.loaded, 128);
    bulk_load(shared.items, arguments.operand<const u32>(OperandRole::input) + 32 * (block_count() - 1 - block_rank()), 128, &shared.loaded);
    wait_for_predecessor();
  }
  sync_block();
  barrier_wait(&shared.loaded, 0);
  store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + 32 * block_rank() + thread_rank(), shared.items[thread_rank()]);
})",
                              {"first", "second"});
  DeviceArray<u32> first(device_, 128), second(device_, 128);
  const auto report_pair = [&](u64 n, u64 seed) -> std::string {
    first.fill(0);
    const HostLaunch launches[] = {
        {module.get(),
         {.kernel = 0, .grid_blocks = 4, .block_threads = 32, .shared_bytes = 272},
         arguments(nullptr, first.data())},
        {module.get(),
         {.kernel = 1, .grid_blocks = 4, .block_threads = 32, .shared_bytes = 272, .n = n, .pdl = true},
         arguments(first.data(), second.data())}};
    return message_of<DeviceError>([&] { device_.run(launches, Schedule::from_seed(seed)); });
  };
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    ASSERT_EQ(report_pair(0, seed), "");
    for (u32 item = 0; item < 128; ++item) ASSERT_EQ(second[item], item % 32 + 1) << "seed " << seed;
    ASSERT_THAT(report_pair(1, seed), AllOf(HasSubstr("before wait_for_predecessor"), HasSubstr("at kernel.cpp:21")));
  }
}

TEST_F(Bulk, StoresNeedAFenceByWhoeverHasWritten) {
  const auto module = compile_thread(R"(
  shared.items[0] = 1;
  bulk_store(out, shared.items, 16); bulk_commit(); bulk_wait();
)");
  DeviceArray<u32> out(device_, 4);
  EXPECT_THAT(report(*module, kThread, arguments(nullptr, out.data())),
              AllOf(HasSubstr("stores in bulk what no thread has shown to bulk copies with fence_shared_for_bulk"),
                    HasSubstr("at kernel.cpp:9")));
}

// A thread writes bytes without a fence, and another overwrites them with one.
TEST_F(Bulk, StoresSeeWhoeverHasWrittenLast) {
  const auto module = compile(R"(
struct Shared { alignas(16) u32 items[64]; Barrier ready; };
SCANTUNE_KERNEL(kernel, 96, 1) {
  Shared& shared = shared_memory<Shared>();
  if (thread_rank() == 0) barrier_init(&shared.ready, 32);
  sync_block();
  if (thread_rank() < 32) shared.items[thread_rank()] = 1;
  sync_block();
  if (thread_rank() >= 32 && thread_rank() < 64) {
    shared.items[thread_rank() - 32] = 2;
    fence_shared_for_bulk();
    barrier_arrive(&shared.ready);
  } else if (thread_rank() == 64) {
    barrier_wait(&shared.ready, 0);
    bulk_store(arguments.operand(OperandRole::output), shared.items, 128);
    bulk_commit();
    bulk_wait();
  }
})");
  DeviceArray<u32> out(device_, 32);
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    out.fill(0);
    run(*module, {.block_threads = 96, .shared_bytes = 272}, arguments(nullptr, out.data()), seed);
    ASSERT_EQ(std::count(out.data(), out.data() + 32, 2u), 32) << "seed " << seed;
  }
}

TEST_F(Bulk, CopiesAreReportedWhenMisused) {
  DeviceArray<u32> in(device_, 64, 1), out(device_, 64);
  const auto problem = [&](const std::string& body) {
    return report(*compile_thread("fence_shared_for_bulk();\n" + body + "\nbulk_commit(); bulk_wait();"), kThread,
                  arguments(in.data(), out.data()));
  };
  const std::string expect = "barrier_arrive_expecting(&shared.loaded, 64);\n";
  EXPECT_EQ(problem(expect + "bulk_load(shared.items, in, 64, &shared.loaded); barrier_wait(&shared.loaded, 0);"), "");
  EXPECT_EQ(problem("bulk_store(out, shared.items, 64);"), "");

  EXPECT_THAT(problem("bulk_store(out, shared.items, 20);"),
              AllOf(HasSubstr("CTA 0, warp 0, lane 0 copies in bulk a number of bytes that is not a multiple of 16"),
                    HasSubstr("at kernel.cpp:8")));
  EXPECT_THAT(problem("bulk_store(out, shared.items, 0);"), HasSubstr("a number of bytes"));
  EXPECT_THAT(problem("bulk_store(out + 1, shared.items, 16);"), HasSubstr("an address that is not a multiple of 16"));
  EXPECT_THAT(problem("bulk_store(out, shared.items + 2, 16);"), HasSubstr("an address that is not a multiple of 16"));
  EXPECT_THAT(problem("bulk_store(out, shared.items + 60, 48);"), HasSubstr("outside its shared memory"));
  EXPECT_THAT(problem("bulk_store(out, in, 16);"), HasSubstr("outside its shared memory"));
  EXPECT_THAT(problem("bulk_store(out + 60, shared.items, 32);"), HasSubstr("accesses global memory out of bounds"));
  EXPECT_THAT(problem("bulk_load(shared.items, in + 64, 16, &shared.loaded);"), HasSubstr("out of bounds"));
  EXPECT_THAT(problem("bulk_load(shared.items, in, 16, &shared.loaded + 1);"), HasSubstr("never initialised"));
  EXPECT_THAT(problem(expect + "bulk_load(shared.items + 56, in, 64, &shared.loaded);"),
              HasSubstr("outside its shared memory"));
  EXPECT_THAT(problem("bulk_load(shared.items, in, 16, &shared.loaded);"),
              HasSubstr("ended before its bulk load into shared memory at kernel.cpp:8"));
}

}  // namespace
}  // namespace scantune::bulk_test
