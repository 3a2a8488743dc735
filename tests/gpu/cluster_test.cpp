// Clusters on a GPU: launched, captured and replayed, and what their CTAs tell each other.
#include <numeric>
#include <vector>

#include "cluster_exchange.h"
#include "config/arch.h"
#include "gpu_test.h"

namespace scantune {
namespace {

constexpr u32 kThreads = ClusterExchange::kThreads;
constexpr u32 kClusters = 40;

class ClustersOnGpu : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    most_blocks_ = limits_of(device_->identity().sm).cluster_blocks;
    if (most_blocks_ == 1) GTEST_SKIP() << "needs a GPU with clusters";
  }

  void run(const ClusterExchange& exchange, int cluster_blocks) {
    const Instantiation kernel = exchange.instantiation();
    const int shared_bytes[] = {ClusterExchange::kSharedBytes};
    const auto module =
        device_->load(device_->compiler().compile(kernel, device_->identity().arch), kernel.kernels, shared_bytes);
    const u32 peers = static_cast<u32>(cluster_blocks);
    std::vector<std::int32_t> items(kClusters * peers * kThreads);
    std::iota(items.begin(), items.end(), 1);
    const runtime::Buffer<std::int32_t> in(items.size()), out(items.size());
    device_->upload(in.data(), items.data(), items.size() * sizeof(std::int32_t));
    const Launch launch{.grid_blocks = kClusters * peers,
                        .block_threads = kThreads,
                        .shared_bytes = ClusterExchange::kSharedBytes,
                        .n = peers,
                        .cluster_blocks = cluster_blocks};
    KernelArguments arguments{};
    arguments.input = in.data();
    arguments.output = out.data();
    const TestStream stream;
    const auto enqueue = [&] { device_->launch(*module, launch, arguments, stream); };
    const TestGraph graph(stream, enqueue);
    for (const bool replayed : {false, true}) {
      device_->zero(out.data(), out.size() * sizeof(std::int32_t));
      replayed ? graph.launch(stream) : enqueue();
      stream.synchronize();
      expect_exchanged(downloaded(out), peers, replayed);
    }
  }

  int most_blocks_ = 1;

 private:
  static void expect_exchanged(const std::vector<std::int32_t>& out, u32 peers, bool replayed) {
    for (u32 place = 0; place < out.size(); ++place) {
      const u32 cta = place / kThreads, rank = cta % peers;
      const u32 sender = cta - rank + place % kThreads % peers;
      ASSERT_EQ(out[place], static_cast<std::int32_t>(sender * kThreads + rank + 1))
          << "CTA " << cta << ", thread " << place % kThreads << ", clusters of " << peers
          << (replayed ? ", replayed" : "");
    }
  }
};

TEST_F(ClustersOnGpu, ExchangeValuesByStores) {
  for (const int blocks : {2, 8}) run({.cluster_blocks = blocks}, blocks);
}

TEST_F(ClustersOnGpu, ExchangeValuesBySends) {
  for (const int blocks : {2, 8}) run({.cluster_blocks = blocks, .by_sends = true}, blocks);
}

TEST_F(ClustersOnGpu, MayHaveASizeThatTheKernelDoesNotKnow) {
  for (const int blocks : {1, 4, 8}) run({}, blocks);
}

TEST_F(ClustersOnGpu, AreAsLargeAsTheArchitectureAllows) {
  run({.cluster_blocks = most_blocks_, .by_sends = true}, most_blocks_);
  run({}, most_blocks_);
}

// By stores: memcheck of CUDA 13.0 takes a send within a cluster of one for an invalid write.
TEST_F(ClustersOnGpu, MayBeOfOneCta) { run({.cluster_blocks = 1}, 1); }

}  // namespace
}  // namespace scantune
