// Clusters on a GPU: launched, captured and replayed, with CTAs that send each other values.
#include <bit>
#include <numeric>
#include <vector>

#include "cluster_aggregates_kernel.h"
#include "core/contract/arch.h"
#include "gpu_test.h"

namespace scantune {
namespace {

constexpr u32 kThreads = ClusterAggregatesKernel::kThreads;
constexpr u32 kClusters = 40;

class ClustersOnGpu : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    most_blocks_ = limits_of(device_->identity().sm).cluster_blocks;
    if (most_blocks_ == 1) GTEST_SKIP() << "needs a GPU with clusters";
  }

  void run(int cluster_blocks) {
    const Instantiation kernel = ClusterAggregatesKernel{.cluster_blocks = cluster_blocks}.instantiation();
    const int shared_bytes[] = {ClusterAggregatesKernel::kSharedBytes};
    const auto module =
        device_->load(device_->compiler().compile(kernel, device_->identity().arch), kernel.kernels, shared_bytes);
    const u32 blocks = kClusters * static_cast<u32>(cluster_blocks);
    std::vector<std::int32_t> items(blocks);
    std::iota(items.begin(), items.end(), 1);
    const runtime::Buffer<std::int32_t> in(items), out(blocks * kThreads);
    const Launch launch{.grid_blocks = blocks,
                        .block_threads = kThreads,
                        .shared_bytes = ClusterAggregatesKernel::kSharedBytes,
                        .cluster_blocks = cluster_blocks};
    KernelArguments arguments{};
    arguments.set_operand(OperandRole::input, in.data());
    arguments.set_operand(OperandRole::output, out.data());
    const TestStream stream;
    const auto enqueue = [&] { device_->launch(*module, launch, arguments, stream); };
    const TestGraph graph(stream, enqueue);
    for (const bool replayed : {false, true}) {
      device_->zero(out.data(), out.size() * sizeof(std::int32_t));
      replayed ? graph.launch(stream) : enqueue();
      stream.synchronize();
      expect_sums(downloaded(out), static_cast<u32>(cluster_blocks), replayed);
    }
  }

  int most_blocks_ = 1;

 private:
  static void expect_sums(const std::vector<std::int32_t>& out, u32 peers, bool replayed) {
    ClusterAggregatesKernel::Bytes<4> before{};
    for (u32 cta = 0; cta < kClusters * peers; ++cta) {
      if (cta % peers == 0) before = {};
      for (u32 thread = 0; thread < kThreads; ++thread)
        ASSERT_EQ(out[cta * kThreads + thread], std::bit_cast<std::int32_t>(before))
            << "CTA " << cta << ", thread " << thread << ", clusters of " << peers << (replayed ? ", replayed" : "");
      before = ClusterAggregatesKernel::sum(before, std::bit_cast<ClusterAggregatesKernel::Bytes<4>>(cta + 1));
    }
  }
};

TEST_F(ClustersOnGpu, TellTheirCtasWhatThoseBeforeThemHave) {
  for (const int blocks : {2, 8}) run(blocks);
}

TEST_F(ClustersOnGpu, AreAsLargeAsTheArchitectureAllows) { run(most_blocks_); }

}  // namespace
}  // namespace scantune
