// Clusters: their barrier, and values sent into the shared memory of peers.
#include <gmock/gmock.h>

#include <algorithm>

#include "cluster_aggregates_kernel.h"
#include "kernel_fixture.h"
#include "prepared_kernels.h"

namespace scantune::cluster_test {
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

  // Compiles a kernel; `body` may use rank, peers (the CTAs of the cluster), shared.slots and out.
  std::unique_ptr<Module> compile_body(const std::string& body) {
    return compile(R"(struct Shared { Barrier arrived; u32 slots[16]; u32 rest[32]; };
SCANTUNE_KERNEL(kernel, 64, 1) {
  Shared& shared = shared_memory<Shared>();
  const u32 rank = cluster_rank(), thread = thread_rank(), peers = static_cast<u32>(arguments.n);
  u32* out = arguments.operand<u32>(OperandRole::output);
#line 1 "body.cpp"
)" + body + "\n}");
  }

  const std::string kInit = "if (thread == 0) { barrier_init(&shared.arrived, 1); fence_barrier_init(); } ";
  const std::string kMeet = "cluster_arrive_relaxed(); cluster_wait();";

  // The device's report about a cluster of two.
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
  const auto module = compile_body("cluster_arrive_relaxed(); cluster_wait();");
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

TEST_F(Clusters, AreRefusedWhereTheKernelIsCompiledForOthers) {
  const auto module = compile("SCANTUNE_CLUSTER_KERNEL(kernel, 64, 1, 4) {}");
  EXPECT_THAT(report(*module, launch_of(8), {}), HasSubstr("kernel is compiled for clusters of 4 CTAs, not of 8"));
  EXPECT_THAT(report(*module, launch_of(1), {}), HasSubstr("kernel is compiled for clusters of 4 CTAs, not of 1"));
  EXPECT_EQ(report(*module, launch_of(4), {}), "");
}

// Every CTA sends all others its block's rank, and adds up what it received.
class Sends : public Clusters {
 protected:
  // The number of runs with wrong results; reports go to reports_.
  int wrong(const std::string& init, const std::string& meet, const std::string& wait, int size = 4) {
    const auto module = compile(R"(struct Shared { Barrier arrived; u32 slots[16]; };
SCANTUNE_CLUSTER_KERNEL(kernel, 64, 1, )" +
                                std::to_string(size) +
                                R"() {
  Shared& shared = shared_memory<Shared>();
  const u32 thread = thread_rank(), peers = static_cast<u32>(arguments.n);
#line 1 "body.cpp"
)" + init + "\n" + meet + R"(
if (thread < peers) send_to_cta(&shared.slots[cluster_rank()], thread, block_rank() + 1, &shared.arrived);
)" + wait + R"(
u32 sum = 0;
for (u32 peer = 0; peer < peers; ++peer) sum += shared.slots[peer];
store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output) + block_rank() * 64 + thread, sum);
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

  static constexpr const char* kInitExpecting =
      "if (thread == 0) { barrier_init(&shared.arrived, 1); fence_barrier_init(); "
      "barrier_arrive_expecting(&shared.arrived, 4 * peers); }";
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
  for (const int size : {1, 2, 8, 16}) EXPECT_EQ(wrong(kInitExpecting, kMeet, kWait, size), 0) << size << " CTAs";
  EXPECT_THAT(reports_, testing::IsEmpty());
}

TEST_F(Sends, AreSeenOnlyOnceTheirPhaseHasEnded) {
  const int unwaited = wrong(kInitExpecting, kMeet, "sync_block();");
  EXPECT_GT(unwaited + static_cast<int>(reports_.size()), 280);
  EXPECT_THAT(reports_, testing::Contains(HasSubstr("sends to a peer that exits without waiting for it: CTA ")));
}

TEST_F(Sends, AreReportedWhereTheirBarrierMayNotBeThere) {
  EXPECT_EQ(wrong(kInitExpecting, "", kWait), 0);
  EXPECT_EQ(reports_.size(), kSeeds);
  // Other warps of the CTA itself may be too early as well.
  EXPECT_THAT(reports_, testing::Each(testing::AnyOf(HasSubstr("sends to a peer that may not have started"),
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
    wrong(kInitExpecting, kMeet, wait);
    EXPECT_THAT(reports_, testing::Each(HasSubstr("without barrier_wait_for_sends, at a barrier that takes sends")));
    EXPECT_EQ(reports_.size(), kSeeds);
  }
}

TEST_F(Clusters, ExchangeValuesOfAnySize) {
  constexpr int kValues[][2] = {{1, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {12, 4}, {16, 16}, {24, 8}, {32, 16}};
  for (const auto& [bytes, alignment] : kValues) {
    const ClusterAggregatesKernel kernel{.value_bytes = bytes, .value_alignment = alignment, .cluster_blocks = 4};
    const Instantiation instantiation = kernel.instantiation();
    const auto module = device_.load(device_.compiler().compile(instantiation, "host"), instantiation.kernels, {});
    constexpr u32 kCtas = 8;
    if (is_rehearsal()) continue;  // the first wrong item would end the test
    const u32 width = static_cast<u32>(bytes);
    DeviceArray<unsigned char> in(device_, kCtas * width), out(device_, kCtas * kThreads * width);
    for (u32 byte = 0; byte < in.size(); ++byte) in[byte] = static_cast<unsigned char>(byte + 1);
    Launch launch = launch_of(4, 2);
    for (u64 seed = 0; seed < 30; ++seed) {
      run(*module, launch, arguments(in.data(), out.data()), seed);
      for (u32 place = 0; place < out.size(); ++place) {
        const u32 cta = place / width / kThreads, byte = place % width;
        unsigned char before = 0;
        for (u32 peer = cta / 4 * 4; peer < cta; ++peer)
          before = static_cast<unsigned char>(before + in[peer * width + byte]);
        ASSERT_EQ(out[place], before) << bytes << " bytes, CTA " << cta << ", seed " << seed;
      }
    }
  }
}

TEST_F(Clusters, NameThePeerThatMayNotHaveStarted) {
  EXPECT_THAT(problem("if (rank == 0 && thread == 3) send_to_cta(shared.slots, 1, 7u, &shared.arrived);\n" + kMeet),
              HasSubstr("CTA 0, warp 0, lane 3 sends to a peer that may not have started, before it has waited for the "
                        "cluster's barrier: CTA 1 at body.cpp:1"));
}

TEST_F(Clusters, NameThePeerThatHasExited) {
  const std::string text = problem(kInit + kMeet + R"(
if (rank == 1) return;
for (int i = 0; i < 4000; ++i) load_relaxed(out);
send_to_cta(shared.slots, 1, 7u, &shared.arrived);
)");
  EXPECT_THAT(text, HasSubstr("sends to a peer that has exited: CTA 1 at body.cpp:4"));
}

TEST_F(Clusters, NameThePeerThatExitsWhileAValueIsUnderWay) {
  const auto module = compile_body(kInit + kMeet + R"(
if (rank == 0 && thread == 0) send_to_cta(shared.slots, 1, 7u, &shared.arrived);)");
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
cluster_arrive_relaxed();
cluster_wait();)");
  EXPECT_THAT(deadlock, HasSubstr("deadlock"));
  EXPECT_THAT(deadlock, HasSubstr("CTA 1, warp 0, lanes 0x00000020 wait for polled memory to change at body.cpp:2"));
  EXPECT_THAT(deadlock, HasSubstr("CTA 0, warp 0, lanes 0xffffffff wait for the cluster's barrier, where 1 of 128 "
                                  "threads are missing at body.cpp:4"));
}

TEST_F(Clusters, ReportABarrierThatExitedThreadsCannotReach) {
  const auto module =
      compile_body("if (rank == 1 && thread == 40) return;\ncluster_arrive_relaxed();\ncluster_wait();");
  for (u64 seed = 0; seed < 20; ++seed) {
    const std::string text = problem(*module, seed);
    EXPECT_TRUE(text.find("exited while others of its cluster wait at the cluster's barrier") != std::string::npos ||
                text.find("which exited threads of the cluster can never reach, at body.cpp:2") != std::string::npos)
        << text;
  }
}

TEST_F(Clusters, ReportMisuse) {
  EXPECT_THAT(problem("cluster_arrive_relaxed(); cluster_arrive_relaxed();"),
              HasSubstr("for the second time without waiting"));
  EXPECT_THAT(problem("cluster_wait();"), HasSubstr("waits at its cluster's barrier without having arrived there"));
  EXPECT_THAT(problem(kMeet + "send_to_cta(shared.slots, 2, 7u, &shared.arrived);"),
              HasSubstr("sends to a CTA that its cluster does not have"));
  EXPECT_THAT(problem(kMeet + "u32 local = 0; send_to_cta(&local, 1, 7u, &shared.arrived);"),
              HasSubstr("sends to a peer at no place of its own shared memory"));
}

// CTA 0 writes to global memory, and its peer reads it after their barrier, which does not make stores visible.
TEST_F(Clusters, DoNotSeeEachOthersStoresByTheirBarrier) {
  const auto module =
      compile_body("if (rank == 0) store_global<CacheHint::normal>(out + thread, thread + 7);\n" + kMeet +
                   R"(
if (rank == 1) store_global<CacheHint::normal>(out + 64 + thread, load_global<CacheHint::normal>(out + 63 - thread));
)");
  int wrong = 0;
  DeviceArray<u32> out(device_, 128);
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    out.fill(0);
    run(*module, launch_of(2), arguments(nullptr, out.data()), seed);
    bool right = true;
    for (u32 thread = 0; thread < 64; ++thread) right &= out[64 + thread] == 63 - thread + 7;
    wrong += !right;
  }
  EXPECT_GT(wrong, 100);
}

// The first cluster writes a message and a flag. A CTA of the second one polls the flag and meets its peer at a
// barrier, and the peer reads the message. The barrier is no acquire of what other clusters have written.
TEST_F(Clusters, DoNotSeeStoresOfOtherClustersByTheirBarrier) {
  const auto wrong = [&](const std::string& acquire) {
    const auto module = compile_body(R"(
u32* flag = static_cast<u32*>(arguments.workspace);
u32* message = flag + 32;
if (block_rank() == 0) store_global<CacheHint::normal>(message + thread, thread + 7);
sync_block();
if (block_rank() == 0 && thread == 0) store_release(flag, 1u);
if (block_rank() == 3) load_global<CacheHint::normal>(message + thread);
if (block_rank() == 2) while (load_relaxed(flag) == 0) poll_pause<0>();
)" + kMeet + "\nif (block_rank() == 3) {\n" +
                                     acquire + R"(
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
  EXPECT_EQ(wrong("load_acquire(flag);"), 0);
  EXPECT_GT(wrong(""), 20);
}

// Every thread waits for the grid before by itself.
TEST_F(Clusters, DoNotShareTheWaitForThePredecessorByTheirBarrier) {
  const auto module = compile_body("release_dependents();\nif (rank == 0) wait_for_predecessor();\n" + kMeet + R"(
if (rank == 1) store_global<CacheHint::normal>(out + thread, 1u);
wait_for_predecessor();)");
  DeviceArray<u32> out(device_, kThreads);
  Launch launch = launch_of(2);
  launch.pdl = true;
  EXPECT_THAT(report(*module, launch, arguments(nullptr, out.data())),
              HasSubstr("accesses global memory before wait_for_predecessor"));
}

}  // namespace
}  // namespace scantune::cluster_test
