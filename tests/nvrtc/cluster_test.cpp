// The intrinsics of clusters assemble wherever there are clusters.
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <vector>

#include "cluster_aggregates_kernel.h"
#include "core/contract/arch.h"
#include "cubin.h"
#include "kept_compiler.h"
#include "machine_headers.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr int kClusterSms[] = {90, 100, 103, 120};

std::vector<char> cubin_of(const ClusterAggregatesKernel& kernel, int sm) {
  return compile_with_nvrtc(kernel.instantiation(), "sm_" + std::to_string(sm)).image;
}

TEST(ClusterIntrinsics, SendValuesOf1To32Bytes) {
  constexpr int kValues[][2] = {{1, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {12, 4}, {16, 16}, {24, 8}, {32, 16}};
  std::size_t turn = 0;  // what is sent does not depend on the architecture
  for (const auto& [bytes, alignment] : kValues)
    EXPECT_NO_THROW(
        cubin_of({.value_bytes = bytes, .value_alignment = alignment}, kClusterSms[turn++ % std::size(kClusterSms)]));
}

// 32 bytes take two instructions where they are aligned to 16, and eight where they are aligned to 4.
TEST(ClusterIntrinsics, UseTheWidestWordsThatTheAlignmentAllows) {
  const auto code_bytes = [](int alignment) {
    return code_of(cubin_of({.value_bytes = 32, .value_alignment = alignment}, 90)).size();
  };
  EXPECT_LT(code_bytes(16), code_bytes(4));
}

// Otherwise every barrier begins with a test of whether there is a cluster.
TEST(ClusterIntrinsics, AreFewerInstructionsWhereTheKernelTellsTheSizeOfItsCluster) {
  EXPECT_LT(code_of(cubin_of({}, 90)).size(), code_of(cubin_of({.tells_its_size = false}, 90)).size());
}

// What other CTAs have sent is released to the cluster: a wait of the CTA's scope need not show it.
TEST(ClusterIntrinsics, WaitForSendsInTheScopeOfTheCluster) {
  const auto code_with = [](const std::string& wait, int sm) {
    const Instantiation kernel{
        machine_includes() +
            "using namespace scantune;\n"
            "struct Shared { Barrier arrived; u32 sent; };\nSCANTUNE_CLUSTER_KERNEL(kernel, 32, 1, 8) {\n"
            "Shared& shared = shared_memory<Shared>();\n" +
            wait +
            "(&shared.arrived, 0);\n"
            "store_global<CacheHint::normal>(arguments.operand<u32>(OperandRole::output), shared.sent);\n}",
        machine_headers(),
        {"kernel"},
        "a wait for a send"};
    return code_of(compile_with_nvrtc(kernel, "sm_" + std::to_string(sm)).image);
  };
  for (const int sm : kClusterSms)
    EXPECT_NE(code_with("barrier_wait_for_sends", sm), code_with("barrier_wait", sm)) << "sm_" << sm;
}

TEST(ClusterIntrinsics, AllowTheLargestCluster) {
  for (const int sm : kClusterSms) EXPECT_NO_THROW(cubin_of({.cluster_blocks = limits_of(sm).cluster_blocks}, sm));
}

TEST(ClusterIntrinsics, AreRefusedWhereThereAreNoClusters) {
  ASSERT_EQ(limits_of(89).cluster_blocks, 1);
  EXPECT_THROW(cubin_of({}, 89), Error);
}

}  // namespace
}  // namespace scantune
