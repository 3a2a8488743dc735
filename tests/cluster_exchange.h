// A kernel whose CTAs exchange values within their cluster, for the tests that compile it and those that run it.
#pragma once

#include <string>

#include "instantiation/instantiation.h"

namespace scantune {

// With 64 threads to a CTA. Thread t of a CTA outputs what thread r of the CTA of rank t modulo n in its cluster has
// read, r being its own CTA's rank; n is the size of the cluster.
struct ClusterExchange {
  std::string value = "u32";  // type of the values
  int cluster_blocks = 0;     // that the kernel knows of; 0: none
  bool by_sends = false;      // to barriers in shared memory, instead of stores between barriers of the cluster
  static constexpr int kThreads = 64;
  static constexpr int kMostValueBytes = 32;
  static constexpr int kSharedBytes = 16 + 16 * kMostValueBytes;

  Instantiation instantiation() const {
    const std::string head = cluster_blocks == 0
                                 ? "SCANTUNE_KERNEL(kernel, 64, 1)"
                                 : "SCANTUNE_CLUSTER_KERNEL(kernel, 64, 1, " + std::to_string(cluster_blocks) + ")";
    return {
        "#include \"primitives/intrinsics.h\"\nusing namespace scantune;\n"
        "template <int kBytes, int kAlignment>\n"
        "struct alignas(kAlignment) Value { unsigned char bytes[kBytes]; };\n"
        "using Item = " +
            value + ";\nstruct Shared { Barrier barrier; alignas(16) Item slots[16]; };\n" + head + R"( {
  Shared& shared = shared_memory<Shared>();
  const u32 rank = cluster_rank(), thread = thread_rank(), peers = static_cast<u32>(arguments.n);
  const u32 place = block_rank() * 64 + thread;
)" + (by_sends ? kBySends : kByStores) +
            R"(
  store_global<CacheHint::normal>(static_cast<Item*>(arguments.output) + place, shared.slots[thread % peers]);
})",
        {"kernel"},
        "an exchange of " + value + " in clusters"};
  }

 private:
  static constexpr const char* kByStores = R"(
  cluster_arrive_relaxed();
  const Item value = load_global<CacheHint::normal>(static_cast<const Item*>(arguments.input) + place);
  cluster_wait();
  if (thread < peers) store_to_cta(&shared.slots[rank], thread, value);
  cluster_arrive();
  cluster_wait();
)";
  static constexpr const char* kBySends = R"(
  if (thread == 0) {
    barrier_init(&shared.barrier, 1);
    fence_barrier_init();
    barrier_arrive_expecting(&shared.barrier, peers * sizeof(Item));
  }
  cluster_arrive_relaxed();
  const Item value = load_global<CacheHint::normal>(static_cast<const Item*>(arguments.input) + place);
  cluster_wait();
  if (thread < peers) send_to_cta(&shared.slots[rank], thread, value, &shared.barrier);
  barrier_wait_for_sends(&shared.barrier, 0);
)";
};

}  // namespace scantune
