// A kernel whose CTAs send each other values as one_shot's do, for the tests that compile it and those that run it.
#pragma once

#include <array>
#include <string>

#include "instantiation/instantiation.h"

namespace scantune {

// CTA b reads item b of the input. Each of its threads outputs the sum, byte by byte, of the items that the CTAs before
// it in its cluster read. The first CTA of a cluster outputs zeros.
struct ClusterAggregatesKernel {
  int value_bytes = 4;
  int value_alignment = 4;
  int cluster_blocks = 8;
  bool tells_its_size = true;  // whether the compiler knows the size of the cluster
  static constexpr int kThreads = 64;
  static constexpr int kMostBlocks = 16;
  static constexpr int kMostValueBytes = 32;
  static constexpr int kSharedBytes = kMostBlocks * kMostValueBytes + 16;

  // The sums that the kernel must output, computed on the CPU.
  template <std::size_t kBytes>
  using Bytes = std::array<unsigned char, kBytes>;
  template <std::size_t kBytes>
  static Bytes<kBytes> sum(Bytes<kBytes> a, const Bytes<kBytes>& b) {
    for (std::size_t byte = 0; byte < kBytes; ++byte) a[byte] = static_cast<unsigned char>(a[byte] + b[byte]);
    return a;
  }

  Instantiation instantiation() const {
    const std::string blocks = std::to_string(cluster_blocks), bytes = std::to_string(value_bytes);
    const std::string item =
        "struct alignas(" + std::to_string(value_alignment) + ") Item { unsigned char bytes[" + bytes + "]; };\n";
    const std::string cluster = "using Cluster = ClusterAggregates<Sum, " + blocks + ">;\n";
    const std::string head =
        tells_its_size ? "SCANTUNE_CLUSTER_KERNEL(kernel, 64, 1, " + blocks + ")" : "SCANTUNE_KERNEL(kernel, 64, 1)";
    return {kIncludes + item + kSum + cluster + head + kBody,
            {"scan/parts/cluster_aggregates.h"},
            {"kernel"},
            "aggregates of " + bytes + " bytes in clusters of " + blocks};
  }

 private:
  static constexpr const char* kIncludes = "#include \"scan/parts/cluster_aggregates.h\"\nusing namespace scantune;\n";
  static constexpr const char* kSum = R"(struct Sum {
  using Value = Item;
  SCANTUNE_DEVICE static Item combine(Item a, const Item& b) {
    for (u32 byte = 0; byte < sizeof(Item); ++byte) a.bytes[byte] += b.bytes[byte];
    return a;
  }
};
)";
  static constexpr const char* kBody = R"( {
  Cluster::Shared& shared = shared_memory<Cluster::Shared>();
  Cluster::start(shared, true);
  const Item own = load_global<CacheHint::normal>(arguments.operand<const Item>(OperandRole::input) + block_rank());
  Cluster::send(shared, own, ~0u);
  Item before{};
  if (cluster_rank() > 0) before = Cluster::gather(shared, cluster_rank());
  const u32 place = block_rank() * 64 + thread_rank();
  store_global<CacheHint::normal>(arguments.operand<Item>(OperandRole::output) + place, before);
})";
};

}  // namespace scantune
