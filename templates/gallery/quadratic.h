// quadratic: one thread for each result, which adds up all items before it. Its only merit is that no thread needs
// another: it takes n²/2 operations and as many reads. It answers "why not simply in parallel".
//
// Results go to the workspace and are copied from there, because input and output may be the same memory, whose items
// other threads still read.
#pragma once

#include "gallery/blocked.h"

namespace scantune {

struct QuadraticConfig {
  int block_threads = 128;  // threads per CTA

  constexpr bool operator==(const QuadraticConfig&) const = default;
};

template <>
struct Family<QuadraticConfig> {
  static constexpr const char* kName = "quadratic";
  static constexpr const char* kConfigName = "QuadraticConfig";
  static constexpr const char* kHeader = "gallery/quadratic.h";
  enum KernelIndex { kAddAllBefore, kCopyResults };
  static constexpr const char* const kKernels[] = {"add_all_before", "copy_results"};
  static constexpr Standing kStanding = Standing::gallery;
  static constexpr u64 kMaxItems = u64{1} << 16;  // 2^31 operations

  static constexpr const char* unsupported_reason(const ScanRequest& request, int) {
    if (const char* reason = gallery_reason(request)) return reason;
    if (const char* reason = segmented_reason(request)) return reason;
    if (request.n > kMaxItems) return "quadratic scans at most 65536 items";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ScanRequest&, int) { return 0; }

  static constexpr QuadraticConfig default_config(const ScanRequest&, int) { return {}; }

  static constexpr const char* invalid_reason(const QuadraticConfig& config, const ScanRequest&, int) {
    return invalid_threads_reason(config.block_threads, kWarpThreads);
  }

  static constexpr int tile_items(const QuadraticConfig& config, const ScanRequest&) { return config.block_threads; }

  static constexpr WorkspaceNeed workspace(const QuadraticConfig&, const ScanRequest& request) {
    return {WorkspaceKind::scratch, 0, request.n * static_cast<u64>(request.output_bytes())};
  }

  static constexpr LaunchList launches(const QuadraticConfig& config, const ScanRequest& request, Variant) {
    LaunchList list;
    const auto add = [&](KernelIndex kernel) {
      list.add({.kernel = kernel,
                .grid_blocks = static_cast<u32>(ceil_div(request.n, static_cast<u64>(config.block_threads))),
                .block_threads = config.block_threads,
                .n = request.n});
    };
    add(kAddAllBefore);
    add(kCopyResults);
    return list;
  }

  static constexpr Work work(const QuadraticConfig&, const ScanRequest& request) {
    const u64 n = request.n, in = static_cast<u64>(request.input_bytes());
    if (n == 0) return {};
    return {n * (n - 1) / 2, n - 1, n * (n + 1) / 2 * in + 3 * n * static_cast<u64>(request.output_bytes())};
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<QuadraticConfig> kParameters[] = {
      SCANTUNE_PARAMETER(QuadraticConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

#include "scan/parts/problem.h"

namespace scantune {

// Phase 1: add up all items before each result.
template <class Problem, QuadraticConfig kConfig>
SCANTUNE_DEVICE void add_all_before(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  using Output = typename Problem::Output;
  const u64 place = static_cast<u64>(block_rank()) * kConfig.block_threads + thread_rank();
  if (place >= arguments.n) return;
  bool has_sum = Problem::kHasInit;
  T sum = Problem::init(arguments);
  for (u64 item = 0; item < (Problem::kExclusive ? place : place + 1); ++item) {
    const T added = scantune::convert<T>(scantune::load_global<CacheHint::normal>(Problem::input(arguments) + item));
    sum = has_sum ? Problem::Op::combine(sum, added) : added;
    has_sum = true;
  }
  scantune::store_global<CacheHint::normal>(static_cast<Output*>(arguments.workspace) + place,
                                            scantune::convert<Output>(sum));
}

// Phase 2: nobody reads the input any more.
template <class Problem, QuadraticConfig kConfig>
SCANTUNE_DEVICE void copy_results(const KernelArguments& arguments) {
  using Output = typename Problem::Output;
  const u64 place = static_cast<u64>(block_rank()) * kConfig.block_threads + thread_rank();
  if (place >= arguments.n) return;
  scantune::store_global<CacheHint::normal>(
      Problem::output(arguments) + place,
      scantune::load_global<CacheHint::normal>(static_cast<const Output*>(arguments.workspace) + place));
}

}  // namespace scantune

#endif
