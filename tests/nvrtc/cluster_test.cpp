// The intrinsics of clusters assemble wherever there are clusters.
#include <gtest/gtest.h>

#include <string>

#include "config/arch.h"
#include "cubin.h"
#include "jit/nvrtc_compiler.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

constexpr int kClusterSms[] = {90, 100, 103, 120};

// One kernel for values of these bytes and alignment. Its exchange may use value, shared, rank and thread.
Instantiation exchange_of(int bytes, int alignment, const std::string& exchange) {
  const std::string value = "Value<" + std::to_string(bytes) + ", " + std::to_string(alignment) + ">";
  return {
      "#include \"primitives/intrinsics.h\"\nusing namespace scantune;\n"
      "template <int kBytes, int kAlignment>\nstruct alignas(kAlignment) Value { unsigned char bytes[kBytes]; };\n"
      "struct Shared { Barrier barrier; alignas(16) " +
          value + " slots[16]; };\nSCANTUNE_CLUSTER_KERNEL(kernel, 64, 1, 8) {\n" +
          "  Shared& shared = shared_memory<Shared>();\n"
          "  const u32 rank = cluster_rank(), thread = thread_rank();\n"
          "  const auto value = load_global<CacheHint::normal>(static_cast<const " +
          value + "*>(arguments.input) + thread);\n" + exchange + "  store_global<CacheHint::normal>(static_cast<" +
          value + "*>(arguments.output) + thread, shared.slots[thread % 8]);\n}\n",
      {"kernel"},
      "an exchange of " + value + " in a cluster"};
}

constexpr const char* kByStores = R"(
  cluster_arrive_relaxed();
  cluster_wait();
  store_to_cta(&shared.slots[rank], thread % 8, value);
  cluster_arrive();
  cluster_wait();
)";
constexpr const char* kBySends = R"(
  if (thread == 0) {
    barrier_init(&shared.barrier, 1);
    fence_barrier_init();
    barrier_arrive_expecting(&shared.barrier, 8 * sizeof value);
  }
  cluster_arrive_relaxed();
  cluster_wait();
  if (thread < 8) send_to_cta(&shared.slots[rank], thread, value, &shared.barrier);
  barrier_wait(&shared.barrier, 0);
)";

std::vector<char> cubin_of(const Instantiation& kernel, int sm) {
  return NvrtcCompiler().compile(kernel, "sm_" + std::to_string(sm)).image;
}

TEST(ClusterIntrinsics, StoreValuesOf1To32Bytes) {
  constexpr int kValues[][2] = {{1, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {12, 4}, {16, 16}, {24, 8}, {32, 16}};
  for (const int sm : kClusterSms)
    for (const auto& [bytes, alignment] : kValues)
      EXPECT_NO_THROW(cubin_of(exchange_of(bytes, alignment, kByStores), sm));
}

TEST(ClusterIntrinsics, SendValuesOf4To32Bytes) {
  constexpr int kValues[][2] = {{4, 4}, {8, 8}, {12, 4}, {16, 16}, {24, 8}, {32, 16}};
  for (const int sm : kClusterSms)
    for (const auto& [bytes, alignment] : kValues)
      EXPECT_NO_THROW(cubin_of(exchange_of(bytes, alignment, kBySends), sm));
}

// 32 bytes go in two instructions where they are aligned to 16, in eight where to 4.
TEST(ClusterIntrinsics, UseTheWidestWordsThatTheAlignmentAllows) {
  for (const char* exchange : {kByStores, kBySends})
    EXPECT_LT(code_of(cubin_of(exchange_of(32, 16, exchange), 90)).size(),
              code_of(cubin_of(exchange_of(32, 4, exchange), 90)).size());
}

TEST(ClusterIntrinsics, AreRefusedWhereThereAreNoClusters) {
  ASSERT_EQ(limits_of(89).cluster_blocks, 1);
  EXPECT_THROW(cubin_of(exchange_of(4, 4, kByStores), 89), Error);
}

}  // namespace
}  // namespace scantune
