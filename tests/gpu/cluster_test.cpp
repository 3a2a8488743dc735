// Clusters on a GPU: launched, captured and replayed, and what their CTAs tell each other.
#include <algorithm>
#include <string>
#include <vector>

#include "config/arch.h"
#include "gpu_test.h"

namespace scantune {
namespace {

constexpr int kThreads = 64;
constexpr u32 kClusters = 40;

constexpr const char* kByStores = R"(
  cluster_arrive_relaxed();
  cluster_wait();
  if (thread < peers) store_to_cta(&shared.slots[rank], thread, block_rank() + 1);
  cluster_arrive();
  cluster_wait();
)";
constexpr const char* kBySends = R"(
  if (thread == 0) {
    barrier_init(&shared.barrier, 1);
    fence_barrier_init();
    barrier_arrive_expecting(&shared.barrier, peers * 4);
  }
  cluster_arrive_relaxed();
  cluster_wait();
  if (thread < peers) send_to_cta(&shared.slots[rank], thread, block_rank() + 1, &shared.barrier);
  barrier_wait(&shared.barrier, 0);
)";

// Every CTA tells its cluster its rank in the grid, and every thread adds up what its CTA was told.
Instantiation exchange(const std::string& macro, const std::string& cluster, const std::string& body) {
  return {
      "#include \"primitives/intrinsics.h\"\nusing namespace scantune;\n"
      "struct Shared { Barrier barrier; u32 slots[16]; };\n" +
          macro + "(kernel, 64, 1" + cluster + R"() {
  Shared& shared = shared_memory<Shared>();
  const u32 rank = cluster_rank(), thread = thread_rank(), peers = static_cast<u32>(arguments.n);
)" + body +
          R"(
  u32 sum = 0;
  for (u32 peer = 0; peer < peers; ++peer) sum += shared.slots[peer];
  store_global<CacheHint::normal>(static_cast<u32*>(arguments.output) + block_rank() * 64 + thread, sum);
})",
      {"kernel"},
      "an exchange in clusters"};
}

class ClustersOnGpu : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    if (limits_of(device_->identity().sm).cluster_blocks == 1) GTEST_SKIP() << "needs a GPU with clusters";
  }

  void exchanges(const Instantiation& kernel, int size) {
    const int shared_bytes[] = {kSharedBytes};
    const auto module =
        device_->load(device_->compiler().compile(kernel, device_->identity().arch), kernel.kernels, shared_bytes);
    const u32 peers = static_cast<u32>(size), ctas = kClusters * peers;
    const Launch launch{.grid_blocks = ctas,
                        .block_threads = kThreads,
                        .shared_bytes = kSharedBytes,
                        .n = peers,
                        .pdl = false,
                        .cluster_blocks = size};
    const runtime::Buffer<std::int32_t> out(ctas * kThreads);
    KernelArguments arguments{};
    arguments.output = out.data();
    const TestStream stream;
    const TestGraph graph(stream, [&] { device_->launch(*module, launch, arguments, stream); });
    for (const bool replayed : {false, true}) {
      device_->zero(out.data(), out.size() * sizeof(std::int32_t));
      if (replayed) {
        graph.launch(stream);
      } else {
        device_->launch(*module, launch, arguments, stream);
      }
      stream.synchronize();
      const std::vector<std::int32_t> sums = downloaded(out);
      for (u32 cta = 0; cta < ctas; ++cta) {
        const u32 first = cta / peers * peers;
        const auto sum = static_cast<std::int32_t>(peers * (2 * first + peers + 1) / 2);
        ASSERT_EQ(std::count(&sums[cta * kThreads], &sums[cta * kThreads] + kThreads, sum), kThreads)
            << "CTA " << cta << (replayed ? ", replayed" : "") << ", clusters of " << size;
      }
    }
  }

  static constexpr int kSharedBytes = 128;
};

TEST_F(ClustersOnGpu, ExchangeValuesByStores) {
  for (const int size : {2, 8})
    exchanges(exchange("SCANTUNE_CLUSTER_KERNEL", ", " + std::to_string(size), kByStores), size);
}

TEST_F(ClustersOnGpu, ExchangeValuesBySends) {
  for (const int size : {2, 8})
    exchanges(exchange("SCANTUNE_CLUSTER_KERNEL", ", " + std::to_string(size), kBySends), size);
}

TEST_F(ClustersOnGpu, MayHaveASizeThatTheKernelDoesNotKnow) {
  for (const int size : {1, 4, 8}) exchanges(exchange("SCANTUNE_KERNEL", "", kByStores), size);
}

TEST_F(ClustersOnGpu, AreAsLargeAsTheArchitectureAllows) {
  const int most = limits_of(device_->identity().sm).cluster_blocks;
  exchanges(exchange("SCANTUNE_CLUSTER_KERNEL", ", " + std::to_string(most), kBySends), most);
  exchanges(exchange("SCANTUNE_KERNEL", "", kByStores), most);
}

TEST_F(ClustersOnGpu, OfOneCtaNeedNoAttribute) { exchanges(exchange("SCANTUNE_CLUSTER_KERNEL", ", 1", kBySends), 1); }

}  // namespace
}  // namespace scantune
