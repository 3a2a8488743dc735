// Clusters: their barrier, and stores to the shared memory of peers.
#include <gmock/gmock.h>

#include <algorithm>

#include "kernel_fixture.h"

namespace scantune {
namespace {

using testing::HasSubstr;

constexpr u64 kSeeds = 300;
constexpr int kThreads = 64;

class Clusters : public KernelFixture {
 protected:
  static Launch launch_of(int cluster_blocks, u32 clusters = 1) {
    return {.grid_blocks = clusters * static_cast<u32>(cluster_blocks),
            .block_threads = kThreads,
            .shared_bytes = 1024,
            .cluster_blocks = cluster_blocks};
  }

  // body may use rank, peers (CTAs of the cluster), shared.slots and out.
  std::unique_ptr<Module> compile_body(const std::string& body) {
    return compile(R"(struct Shared { u32 slots[16]; u32 rest[32]; };
SCANTUNE_KERNEL(kernel, 64, 1) {
  Shared& shared = shared_memory<Shared>();
  const u32 rank = cluster_rank(), thread = thread_rank(), peers = static_cast<u32>(arguments.n);
  u32* out = static_cast<u32*>(arguments.output);
#line 1 "body.cpp"
)" + body + "\n}");
  }

  // What the device says about a cluster of two.
  std::string problem(const Module& module, u64 seed) {
    DeviceArray<u32> out(device_, 256);
    Launch launch = launch_of(2);
    launch.n = 2;
    return report(module, launch, arguments(nullptr, out.data()), seed);
  }
  std::string problem(const std::string& body) { return problem(*compile_body(body), 0); }
};

TEST_F(Clusters, AreMadeOfConsecutiveCtas) {
  const auto module = compile_body("if (thread == 0) store_global<CacheHint::normal>(out + block_rank(), rank + 1);");
  for (const int size : {1, 2, 3, 8, 16}) {
    for (u64 seed = 0; seed < 30; ++seed) {
      DeviceArray<u32> out(device_, 96, 0);
      run(*module, launch_of(size, 6), arguments(nullptr, out.data()), seed);
      for (u32 cta = 0; cta < 6 * static_cast<u32>(size); ++cta)
        ASSERT_EQ(out[cta], cta % static_cast<u32>(size) + 1) << size << " CTAs, seed " << seed;
    }
  }
}

TEST_F(Clusters, FitWhateverTheResidencyLimit) {
  const auto module = compile_body("cluster_arrive(); cluster_wait();");
  for (const u32 resident : {1u, 2u, 8u}) {
    Schedule schedule;
    schedule.resident_ctas = resident;
    const HostLaunch launch{module.get(), launch_of(16, 3), {}};
    device_.run({&launch, 1}, schedule);
  }
  Launch widest = launch_of(16, 2);
  widest.block_threads = kMaxBlockThreads;
  run(*module, widest, {}, 1);
}

TEST_F(Clusters, AreWholeInPersistentLaunches) {
  EXPECT_EQ(grid_blocks({.grid_blocks = 1024, .cluster_blocks = 8, .persistent_ctas_per_sm = 1}, 132), 128u);
  EXPECT_EQ(grid_blocks({.grid_blocks = 16, .cluster_blocks = 8, .persistent_ctas_per_sm = 1}, 132), 16u);
  EXPECT_EQ(grid_blocks({.grid_blocks = 32, .cluster_blocks = 16, .persistent_ctas_per_sm = 1}, 8), 16u);
}

TEST_F(Clusters, AreRefusedWhereTheGridHasNoWholeNumberOfThem) {
  const auto module = compile_body("");
  Launch launch = launch_of(4, 2);
  launch.grid_blocks = 10;
  EXPECT_THAT(report(*module, launch, {}), HasSubstr("a grid of 10 CTAs has no whole number of clusters of 4"));
  EXPECT_THAT(report(*module, launch_of(32), {}), HasSubstr("a cluster cannot have 32 CTAs"));
}

// Every CTA tells all others its block's rank, and adds up what it was told.
class Exchange : public Clusters {
 protected:
  struct Outcome {
    int wrong = 0;     // runs with a wrong result
    int reported = 0;  // runs that failed
  };

  Outcome runs(const std::string& before, const std::string& between, const std::string& after, int size = 4) {
    const auto module = compile_body(
        before + "\nif (thread < peers) store_to_cta(&shared.slots[rank], thread, block_rank() + 1);\n" + between + R"(
u32 sum = 0;
for (u32 peer = 0; peer < peers; ++peer) sum += shared.slots[peer];
store_global<CacheHint::normal>(out + block_rank() * 64 + thread, sum);
)" + after);
    Outcome outcome;
    constexpr u32 kClusters = 3;
    Launch launch = launch_of(size, kClusters);
    launch.n = static_cast<u64>(size);
    DeviceArray<u32> out(device_, launch.grid_blocks * kThreads);
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      out.fill(0);
      last_report_ = report(*module, launch, arguments(nullptr, out.data()), seed);
      outcome.reported += !last_report_.empty();
      if (!last_report_.empty()) continue;
      bool right = true;
      for (u32 cta = 0; cta < launch.grid_blocks; ++cta) {
        const u32 peers = static_cast<u32>(size), first = cta / peers * peers;
        const u32 sum = peers * (2 * first + peers + 1) / 2;
        right &= std::count(&out[cta * kThreads], &out[cta * kThreads] + kThreads, sum) == kThreads;
      }
      outcome.wrong += !right;
    }
    return outcome;
  }

  static constexpr const char* kMeet = "cluster_arrive(); cluster_wait();";
  std::string last_report_;
};

TEST_F(Exchange, WorksBetweenTwoBarriers) {
  for (const int size : {1, 2, 5, 8, 16}) {
    const Outcome outcome = runs(kMeet, kMeet, "", size);
    EXPECT_EQ(outcome.wrong, 0) << size << " CTAs";
    EXPECT_EQ(outcome.reported, 0) << size << " CTAs: " << last_report_;
  }
}

TEST_F(Exchange, WorksAgainInTheSamePlaces) {
  const std::string again = std::string(kMeet) + R"(
if (thread < peers) store_to_cta(&shared.slots[rank], (thread + 1) % peers, 99u);)" +
                            kMeet + kMeet + R"(
if (thread < peers) store_to_cta(&shared.slots[(rank + 1) % peers], thread, (block_rank() / peers * peers + (rank + 1) % peers) + 1);)";
  const Outcome outcome = runs(kMeet + again + kMeet, kMeet, "");
  EXPECT_EQ(outcome.wrong, 0);
  EXPECT_EQ(outcome.reported, 0) << last_report_;
}

TEST_F(Exchange, MayStartWithARelaxedArrival) {
  const Outcome outcome = runs("cluster_arrive_relaxed(); cluster_wait();", kMeet, "");
  EXPECT_EQ(outcome.wrong, 0);
  EXPECT_EQ(outcome.reported, 0) << last_report_;
}

// Without the second barrier, its release or its wait, a CTA reads before its peers' stores come.
TEST_F(Exchange, ReadsPoisonBeforeTheSecondBarrier) {
  EXPECT_GT(runs(kMeet, "cluster_arrive_relaxed(); cluster_wait();", kMeet).wrong, 100);
  EXPECT_GT(runs(kMeet, "sync_block();", kMeet).wrong, 280);
  EXPECT_GT(runs(kMeet, "cluster_arrive();", "cluster_wait();").wrong, 250);
}

TEST_F(Exchange, IsReportedWherePeersMayNotHaveStarted) {
  EXPECT_EQ(runs("", kMeet, "").reported, kSeeds);
  EXPECT_EQ(runs("cluster_arrive();", "cluster_wait();", "").reported, kSeeds);
}

TEST_F(Exchange, IsReportedWherePeersExitBeforeItArrives) {
  const Outcome outcome = runs(kMeet, "sync_block();", "");
  EXPECT_GT(outcome.reported, 200);
  EXPECT_EQ(outcome.wrong + outcome.reported, static_cast<int>(kSeeds));
}

// The same by values that arrive at the peer's barrier in shared memory.
class Sends : public Clusters {
 protected:
  // Runs with wrong results; reports go to reports_.
  int wrong(const std::string& init, const std::string& meet, const std::string& wait, int size = 4) {
    const auto module = compile(R"(struct Shared { Barrier arrived; u32 slots[16]; };
SCANTUNE_CLUSTER_KERNEL(kernel, 64, 1, 4) {
  Shared& shared = shared_memory<Shared>();
  const u32 thread = thread_rank(), peers = static_cast<u32>(arguments.n);
#line 1 "body.cpp"
)" + init + "\n" + meet + R"(
if (thread < peers) send_to_cta(&shared.slots[cluster_rank()], thread, block_rank() + 1, &shared.arrived);
)" + wait + R"(
u32 sum = 0;
for (u32 peer = 0; peer < peers; ++peer) sum += shared.slots[peer];
store_global<CacheHint::normal>(static_cast<u32*>(arguments.output) + block_rank() * 64 + thread, sum);
})");
    Launch launch = launch_of(size, 2);
    launch.n = static_cast<u64>(size);
    DeviceArray<u32> out(device_, launch.grid_blocks * kThreads);
    int count = 0;
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      out.fill(0);
      const std::string text = report(*module, launch, arguments(nullptr, out.data()), seed);
      if (!text.empty()) reports_.push_back(text);
      if (text.empty()) count += !is_right(out, static_cast<u32>(size));
    }
    return count;
  }

  static constexpr const char* kInit =
      "if (thread == 0) { barrier_init(&shared.arrived, 1); fence_barrier_init(); "
      "barrier_arrive_expecting(&shared.arrived, 4 * peers); }";
  static constexpr const char* kMeet = "cluster_arrive_relaxed(); cluster_wait();";
  static constexpr const char* kWait = "barrier_wait_for_sends(&shared.arrived, 0);";
  std::vector<std::string> reports_;

 private:
  static bool is_right(DeviceArray<u32>& out, u32 size) {
    for (u32 place = 0; place < out.size(); ++place) {
      const u32 first = place / kThreads / size * size;
      if (out[place] != size * (2 * first + size + 1) / 2) return false;
    }
    return true;
  }
};

TEST_F(Sends, ArriveAtBarriersOfPeers) {
  for (const int size : {1, 2, 8, 16}) EXPECT_EQ(wrong(kInit, kMeet, kWait, size), 0) << size << " CTAs";
  EXPECT_THAT(reports_, testing::IsEmpty());
}

TEST_F(Sends, AreSeenOnlyOnceTheirPhaseHasEnded) {
  const int unwaited = wrong(kInit, kMeet, "sync_block();");
  EXPECT_GT(unwaited + static_cast<int>(reports_.size()), 280);
  EXPECT_THAT(reports_, testing::Contains(HasSubstr("stores to a peer that exits without waiting for it: CTA ")));
}

TEST_F(Sends, AreReportedWhereTheirBarrierMayNotBeThere) {
  EXPECT_EQ(wrong(kInit, "", kWait), 0);
  EXPECT_EQ(reports_.size(), kSeeds);
  // Other warps of the CTA itself may come too early as well.
  EXPECT_THAT(reports_, testing::Each(testing::AnyOf(HasSubstr("stores to a peer that may not have started"),
                                                     HasSubstr("uses a barrier that was never initialised"))));
}

TEST_F(Sends, AreReportedWhereTheirBarrierIsNotInitialisedForThem) {
  wrong("", kMeet, kWait);
  EXPECT_THAT(reports_, testing::Each(HasSubstr("uses a barrier that was never initialised")));
  EXPECT_EQ(reports_.size(), kSeeds);
  reports_.clear();
  wrong("if (thread == 0) { barrier_init(&shared.arrived, 1); barrier_arrive_expecting(&shared.arrived, 4 * peers); }",
        kMeet, kWait);
  EXPECT_THAT(reports_, testing::Each(HasSubstr("sends to a barrier without fence_barrier_init")));
  EXPECT_EQ(reports_.size(), kSeeds);
}

TEST_F(Sends, AreReportedWhereTheWaitIsOfTheScopeOfOneCta) {
  for (const char* const wait :
       {"barrier_wait(&shared.arrived, 0);", "while (!barrier_test(&shared.arrived, 0)) poll_pause<0>();"}) {
    reports_.clear();
    wrong(kInit, kMeet, wait);
    EXPECT_THAT(reports_, testing::Each(HasSubstr("without barrier_wait_for_sends, at a barrier that takes sends")));
    EXPECT_EQ(reports_.size(), kSeeds);
  }
}

TEST_F(Clusters, StoreValuesOfAnySizeToPeers) {
  const auto module = compile(R"(
template <int kBytes, int kAlignment>
struct alignas(kAlignment) Value { unsigned char bytes[kBytes]; };
struct Shared {
  Value<1, 1> a; Value<2, 2> b; Value<4, 4> c; Value<8, 8> d; Value<12, 4> e; Value<16, 16> f; Value<24, 8> g; Value<32, 16> h;
};
template <class T>
void send(T& mine) {
  T value;
  for (unsigned i = 0; i < sizeof(T); ++i) value.bytes[i] = sizeof(T) + i + cluster_rank();
  store_to_cta(&mine, 1 - cluster_rank(), value);
}
template <class T>
u32 is_right(const T& mine) {
  for (unsigned i = 0; i < sizeof(T); ++i) if (mine.bytes[i] != sizeof(T) + i + 1 - cluster_rank()) return 0;
  return sizeof(T);
}
SCANTUNE_KERNEL(kernel, 32, 1) {
  Shared& s = shared_memory<Shared>();
  cluster_arrive(); cluster_wait();
  if (thread_rank() == 0) { send(s.a); send(s.b); send(s.c); send(s.d); send(s.e); send(s.f); send(s.g); send(s.h); }
  cluster_arrive(); cluster_wait();
  const u32 right = is_right(s.a) + is_right(s.b) + is_right(s.c) + is_right(s.d) + is_right(s.e) + is_right(s.f) +
                    is_right(s.g) + is_right(s.h);
  store_global<CacheHint::normal>(static_cast<u32*>(arguments.output) + block_rank() * 32 + thread_rank(), right);
})");
  DeviceArray<u32> out(device_, 64);
  for (u64 seed = 0; seed < 30; ++seed) {
    run(*module, {.grid_blocks = 2, .block_threads = 32, .shared_bytes = 128, .cluster_blocks = 2},
        arguments(nullptr, out.data()), seed);
    ASSERT_EQ(std::count(out.data(), out.data() + 64, 99u), 64) << "seed " << seed;
  }
}

TEST_F(Clusters, NameThePeerThatMayNotHaveStarted) {
  EXPECT_THAT(
      problem("if (rank == 0 && thread == 3) store_to_cta(shared.slots, 1, 7u);\n"
              "cluster_arrive(); cluster_wait();"),
      HasSubstr("CTA 0, warp 0, lane 3 stores to a peer that may not have started, before it has waited for the "
                "cluster's barrier: CTA 1 at body.cpp:1"));
}

TEST_F(Clusters, NameThePeerThatHasExited) {
  const std::string text = problem(R"(cluster_arrive(); cluster_wait();
if (rank == 1) return;
while (load_relaxed(out) == 0) {
  for (int i = 0; i < 4000; ++i) load_relaxed(out);
  store_to_cta(shared.slots, 1, 7u);
})");
  EXPECT_THAT(text, HasSubstr("stores to a peer that has exited: CTA 1 at body.cpp:5"));
}

TEST_F(Clusters, NameThePeerThatExitsWhileAStoreIsUnderWay) {
  const auto module = compile_body(R"(cluster_arrive(); cluster_wait();
if (rank == 0) store_to_cta(shared.slots, 1, 7u);
cluster_arrive();
)");
  int caught = 0;
  for (u64 seed = 1; seed <= 50; ++seed) {
    const std::string text = problem(*module, seed);
    EXPECT_TRUE(text.empty() || text.find("CTA 1 at body.cpp:2") != std::string::npos) << text;
    caught += !text.empty();
  }
  EXPECT_GT(caught, 20);
}

TEST_F(Clusters, ReportABarrierThatAThreadNeverReaches) {
  const std::string deadlock = problem(R"(
if (rank == 1 && thread == 5) while (load_relaxed(out) == 0) poll_pause<0>();
cluster_arrive();
cluster_wait();)");
  EXPECT_THAT(deadlock, HasSubstr("deadlock"));
  EXPECT_THAT(deadlock, HasSubstr("CTA 1, warp 0, lanes 0x00000020 wait for polled memory to change at body.cpp:2"));
  EXPECT_THAT(deadlock, HasSubstr("CTA 0, warp 0, lanes 0xffffffff wait for the cluster's barrier, where 1 of 128 "
                                  "threads are missing at body.cpp:4"));
}

TEST_F(Clusters, ReportABarrierThatExitedThreadsCannotReach) {
  const auto module = compile_body("if (rank == 1 && thread == 40) return;\ncluster_arrive();\ncluster_wait();");
  for (u64 seed = 0; seed < 20; ++seed) {
    const std::string text = problem(*module, seed);
    EXPECT_TRUE(text.find("exited while others of its cluster wait at the cluster's barrier") != std::string::npos ||
                text.find("which exited threads of the cluster can never reach, at body.cpp:2") != std::string::npos)
        << text;
  }
}

TEST_F(Clusters, ReportMisuse) {
  const std::string meet = "cluster_arrive(); cluster_wait();";
  EXPECT_THAT(problem("cluster_arrive(); cluster_arrive();"), HasSubstr("for the second time without waiting"));
  EXPECT_THAT(problem("cluster_wait();"), HasSubstr("waits at its cluster's barrier without having arrived there"));
  EXPECT_THAT(problem(meet + "store_to_cta(shared.slots, 2, 7u);" + meet),
              HasSubstr("stores to a CTA that its cluster does not have"));
  EXPECT_THAT(problem(meet + "u32 local = 0; store_to_cta(&local, 1, 7u);" + meet),
              HasSubstr("stores to a peer at no place of its own shared memory"));
  EXPECT_EQ(problem(meet + "store_to_cta(shared.slots, 1, 7u);" + meet), "");
}

// CTA 0 writes to global memory, its peer reads it after the barrier; a third CTA of no such cluster would need more.
TEST_F(Clusters, SeeEachOthersStoresAfterTheBarrier) {
  const auto wrong = [&](const std::string& barrier) {
    const auto module = compile_body(R"(
if (rank == 0) store_global<CacheHint::normal>(out + thread, thread + 7);
)" + barrier + R"(
if (rank == 1) store_global<CacheHint::normal>(out + 64 + thread, load_global<CacheHint::normal>(out + 63 - thread));
)");
    int count = 0;
    DeviceArray<u32> out(device_, 128);
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      out.fill(0);
      run(*module, launch_of(2), arguments(nullptr, out.data()), seed);
      bool right = true;
      for (u32 thread = 0; thread < 64; ++thread) right &= out[64 + thread] == 63 - thread + 7;
      count += !right;
    }
    return count;
  };
  EXPECT_EQ(wrong("cluster_arrive(); cluster_wait();"), 0);
  EXPECT_EQ(wrong("sync_block(); cluster_arrive(); cluster_wait();"), 0);
  EXPECT_GT(wrong("cluster_arrive();"), 200);  // whoever does not wait sees nothing
  EXPECT_GT(wrong("cluster_arrive_relaxed(); cluster_wait();"), 100);
}

// CTA 0 writes a message; CTA 1, after the cluster's barrier, tells the next cluster that it is there.
TEST_F(Clusters, PassOnWhatTheyHaveSeenWithAFence) {
  const auto wrong = [&](const std::string& barrier, const std::string& fence) {
    const auto module = compile_body(R"(
u32* flag = static_cast<u32*>(arguments.workspace);
u32* message = flag + 32;
if (block_rank() == 0) store_global<CacheHint::normal>(message + thread, thread + 7);
)" + barrier + R"(
if (block_rank() == 1 && thread == 0) { )" +
                                     fence + R"( store_relaxed(flag, 1u); }
if (block_rank() == 2) {
  while (load_acquire(flag) == 0) poll_pause<0>();
  store_global<CacheHint::normal>(out + thread, load_global<CacheHint::normal>(message + thread));
}
)");
    int count = 0;
    DeviceArray<u32> out(device_, 64), workspace(device_, 96);
    for (u64 seed = 1; seed <= kSeeds; ++seed) {
      workspace.fill(0);
      Launch launch = launch_of(2, 2);
      launch.dispatch = Dispatch::in_order;
      run(*module, launch, arguments(nullptr, out.data(), workspace.data()), seed);
      bool right = true;
      for (u32 thread = 0; thread < 64; ++thread) right &= out[thread] == thread + 7;
      count += !right;
    }
    return count;
  };
  EXPECT_EQ(wrong("cluster_arrive(); cluster_wait();", "fence();"), 0);
  EXPECT_GT(wrong("cluster_arrive(); cluster_wait();", ""), 20);
  EXPECT_GT(wrong("", "fence();"), 20);
}

// A later store to the same word, ordered by the barrier, is the one that stays.
TEST_F(Clusters, OrderStoresToOnePlace) {
  const auto module = compile_body(R"(
for (u32 turn = 0; turn < peers; ++turn) {
  if (rank == turn) store_global<CacheHint::normal>(out + thread, turn + 1);
  cluster_arrive();
  cluster_wait();
})");
  Launch launch = launch_of(4);
  launch.n = 4;
  DeviceArray<u32> out(device_, kThreads);
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    run(*module, launch, arguments(nullptr, out.data()), seed);
    ASSERT_EQ(std::count(out.data(), out.data() + kThreads, 4u), kThreads) << "seed " << seed;
  }
}

// One thread of the cluster waits for the grid before, and the barrier tells the others.
TEST_F(Clusters, ShareTheWaitForThePredecessor) {
  const auto module = compile_body(R"(
release_dependents();
if (rank == 0 && thread == 0) wait_for_predecessor();
cluster_arrive();
cluster_wait();
if (rank == 0) store_global<CacheHint::normal>(out + thread, load_global<CacheHint::normal>(out + thread) + 1);
wait_for_predecessor();)");
  DeviceArray<u32> out(device_, kThreads);
  Launch launch = launch_of(2);
  launch.pdl = true;
  const HostLaunch one{module.get(), launch, arguments(nullptr, out.data())};
  const HostLaunch both[] = {one, one};
  for (u64 seed = 1; seed <= 100; ++seed) {
    out.fill(0);
    device_.run(both, Schedule::from_seed(seed));
    ASSERT_EQ(std::count(out.data(), out.data() + kThreads, 2u), kThreads) << "seed " << seed;
  }
}

}  // namespace
}  // namespace scantune
