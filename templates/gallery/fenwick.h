// fenwick: a Fenwick tree ("A New Data Structure for Cumulative Frequency Tables", 1994) is built, and every result
// queries its prefix. Node i, from 1, has the sum of the last items up to i, as many as the lowest set bit of i; a
// prefix is one node for each set bit of its length. So the queries alone take about n/2 log2 n operations, and read as
// many values.
//
// Building it is the upward pass of Brent and Kung: one launch builds the nodes of a CTA's threads, and the next one
// continues from there, with nodes as many times further apart. The tutorial's code declares a variable twice, uses an
// undeclared one and reads past n; here is a corrected version.
#pragma once

#include "gallery/blocked.h"

namespace scantune {

// How the first launch reads the items: by the kernel that builds every level, or by one of its own.
enum class FenwickKernels { two, three };
template <>
struct Tokens<FenwickKernels> {
  static constexpr const char* kNames[] = {"two", "three"};
};

struct FenwickConfig {
  int block_threads = 512;  // threads per CTA: the nodes that a launch puts together
  FenwickKernels kernels = FenwickKernels::two;
  int shuffles = 0;  // 1: the first five steps of a launch stay within a warp

  constexpr bool operator==(const FenwickConfig&) const = default;
};

template <>
struct Family<FenwickConfig> {
  static constexpr const char* kName = "fenwick";
  static constexpr const char* kConfigName = "FenwickConfig";
  static constexpr const char* kHeader = "gallery/fenwick.h";
  enum KernelIndex { kBuild, kBuildFromInput, kQuery };
  static constexpr const char* const kKernels[] = {"build", "build_from_input", "query"};
  static constexpr Standing kStanding = Standing::gallery;
  static constexpr int kFewestThreads = 64;

  static constexpr const char* unsupported_reason(const ScanRequest& request, int) {
    if (const char* reason = gallery_reason(request)) return reason;
    if (const char* reason = segmented_reason(request)) return reason;
    if (request.n > kMaxGridBlocks * kFewestThreads) return "more nodes than the CTAs of a grid have threads";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ScanRequest&, int) { return 0; }

  static constexpr FenwickConfig default_config(const ScanRequest&, int) { return {}; }

  static constexpr const char* invalid_reason(const FenwickConfig& config, const ScanRequest&, int) {
    if (const char* reason = invalid_threads_reason(config.block_threads, kFewestThreads)) return reason;
    if (config.shuffles != 0 && config.shuffles != 1) return "shuffles must be 0 or 1";
    return nullptr;
  }

  static constexpr int tile_items(const FenwickConfig& config, const ScanRequest&) { return config.block_threads; }

  static constexpr WorkspaceNeed workspace(const FenwickConfig&, const ScanRequest& request) {
    return {WorkspaceKind::scratch, 0, request.n * static_cast<u64>(request.accumulator_bytes())};
  }

  // The offset of a launch that builds is how far its nodes are apart.
  static constexpr LaunchList launches(const FenwickConfig& config, const ScanRequest& request, Variant) {
    const u64 threads = static_cast<u64>(config.block_threads);
    const u64 values = threads * static_cast<u64>(request.accumulator_bytes());
    LaunchList list;
    const auto add = [&](KernelIndex kernel, u64 apart) {
      list.add({.kernel = kernel,
                .grid_blocks = static_cast<u32>(ceil_div(ceil_div(request.n, apart), threads)),
                .block_threads = config.block_threads,
                .shared_bytes = static_cast<int>(values),
                .n = request.n,
                .extents = {apart}});
    };
    for (u64 apart = 1; apart == 1 || apart < request.n; apart *= threads)
      add(apart == 1 && config.kernels == FenwickKernels::three ? kBuildFromInput : kBuild, apart);
    add(kQuery, 1);
    return list;
  }

  static constexpr Work work(const FenwickConfig& config, const ScanRequest& request) {
    const u64 n = request.n, bytes = static_cast<u64>(request.accumulator_bytes());
    if (n == 0) return {};
    // The nodes take n less the bits of n; the queries one for each bit of each prefix but its lowest.
    const u64 queried = bits_up_to(n);
    Work work{n - bit_count(n) + queried - n, ceil_log2(n), 0};
    work.bytes = n * (static_cast<u64>(request.input_bytes()) + static_cast<u64>(request.output_bytes())) +
                 (n + queried) * bytes;
    // Later launches read the nodes again, and write them back.
    const u64 threads = static_cast<u64>(config.block_threads);
    for (u64 apart = threads; apart != 0 && apart < n; apart *= threads) work.bytes += 2 * (n / apart) * bytes;
    return work;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<FenwickConfig> kParameters[] = {
      SCANTUNE_PARAMETER(FenwickConfig, block_threads, primary, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(FenwickConfig, kernels, primary, FenwickKernels::two, FenwickKernels::three),
      SCANTUNE_PARAMETER(FenwickConfig, shuffles, primary, 0, 1),
  };
#endif

 private:
  // The bits that are set in the numbers from 1 to n, all together.
  static constexpr u64 bits_up_to(u64 n) {
    u64 bits = 0;
    for (u64 bit = 1; bit <= n; bit *= 2) {
      const u64 left = (n + 1) % (2 * bit);
      bits += (n + 1) / (2 * bit) * bit + (left > bit ? left - bit : 0);
    }
    return bits;
  }
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

// Puts together the nodes of this CTA's threads, of which the first `count` have one. Returns each thread its own.
// nodes: a value of shared memory for each thread.
template <class Op, FenwickConfig kConfig, class T>
SCANTUNE_DEVICE T build_nodes(T node, u32 count, T* nodes) {
  const u32 index = thread_rank() + 1;  // of the node, from 1
  u32 distance = 1;
  if constexpr (kConfig.shuffles != 0) {
    for (; distance < kWarpThreads; distance *= 2) {
      const T earlier = scantune::shuffle_up(node, distance);
      if (index <= count && index % (2 * distance) == 0) node = Op::combine(earlier, node);
    }
  }
  nodes[thread_rank()] = node;
  sync_block();
  for (; distance < count; distance *= 2) {
    if (index <= count && index % (2 * distance) == 0)
      nodes[thread_rank()] = Op::combine(nodes[thread_rank() - distance], nodes[thread_rank()]);
    sync_block();
  }
  return nodes[thread_rank()];
}

// Builds the nodes of this CTA whose indices are multiples of `apart`. Nodes that are closer together exist already;
// the closest are the items.
template <class Problem, FenwickConfig kConfig, bool kFromInput>
SCANTUNE_DEVICE void build_level(const KernelArguments& arguments, u64 apart) {
  using T = typename Problem::Accumulator;
  struct alignas(16) Shared {
    T nodes[kConfig.block_threads];
  };
  T* const tree = static_cast<T*>(arguments.workspace);
  const u64 first = static_cast<u64>(block_rank()) * kConfig.block_threads, all = arguments.n / apart;
  const u64 left = all > first ? all - first : 0;
  const u32 count = left < kConfig.block_threads ? static_cast<u32>(left) : kConfig.block_threads;
  const u64 place = (first + thread_rank() + 1) * apart - 1;

  T node;
  if (thread_rank() < count) {
    if (kFromInput || (kConfig.kernels == FenwickKernels::two && apart == 1))
      node = scantune::convert<T>(scantune::load_global<CacheHint::normal>(Problem::input(arguments) + place));
    else
      node = scantune::load_global<CacheHint::normal>(tree + place);
  }
  node = scantune::build_nodes<typename Problem::Op, kConfig>(node, count, shared_memory<Shared>().nodes);
  if (thread_rank() < count) scantune::store_global<CacheHint::normal>(tree + place, node);
}

// Phase 1: build the tree, launch by launch.
template <class Problem, FenwickConfig kConfig>
SCANTUNE_DEVICE void build(const KernelArguments& arguments) {
  scantune::build_level<Problem, kConfig, false>(arguments, arguments.extents[0]);
}
template <class Problem, FenwickConfig kConfig>
SCANTUNE_DEVICE void build_from_input(const KernelArguments& arguments) {
  scantune::build_level<Problem, kConfig, true>(arguments, 1);
}

// Phase 2: put every prefix together from the nodes for the bits of its length, the lowest first.
template <class Problem, FenwickConfig kConfig>
SCANTUNE_DEVICE void query(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  const T* const tree = static_cast<const T*>(arguments.workspace);
  const u64 item = static_cast<u64>(block_rank()) * kConfig.block_threads + thread_rank();
  if (item >= arguments.n) return;
  u64 length = Problem::kExclusive ? item : item + 1;
  T prefix = Problem::init(arguments);
  if (length > 0) {
    prefix = scantune::load_global<CacheHint::normal>(tree + length - 1);
    for (length &= length - 1; length > 0; length &= length - 1)
      prefix = Op::combine(scantune::load_global<CacheHint::normal>(tree + length - 1), prefix);
    if constexpr (Problem::kHasInit) prefix = Op::combine(Problem::init(arguments), prefix);
  }
  scantune::store_global<CacheHint::normal>(Problem::output(arguments) + item,
                                            scantune::convert<typename Problem::Output>(prefix));
}

}  // namespace scantune

#endif
