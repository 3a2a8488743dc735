// serial: the sequential loop, run by one thread. It takes n - 1 operations, the minimum, one after another; the thread
// waits for memory at every item, and the rest of the GPU for the thread.
#pragma once

#include "core/contract/family.h"
#include "core/contract/work.h"
#include "scan/config/scan.h"
#include "scan/config/tile.h"

namespace scantune {

struct SerialConfig {
  static constexpr int block_threads = 1;

  int unroll = 1;  // items that are loaded before any is added, so that their latencies overlap

  constexpr bool operator==(const SerialConfig&) const = default;
};

template <>
struct Family<SerialConfig> {
  static constexpr const char* kName = "serial";
  static constexpr const char* kConfigName = "SerialConfig";
  static constexpr const char* kHeader = "gallery/serial.h";
  static constexpr const char* const kKernels[] = {"serial"};
  static constexpr Standing kStanding = Standing::gallery;
  static constexpr u64 kMaxItems = u64{1} << 20;  // which take a tenth of a second

  static constexpr const char* unsupported_reason(const ScanRequest& request, int) {
    if (const char* reason = gallery_reason(request)) return reason;
    if (const char* reason = segmented_reason(request)) return reason;
    if (request.n > kMaxItems) return "serial scans at most 1048576 items";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ScanRequest&, int) { return 0; }

  static constexpr SerialConfig default_config(const ScanRequest&, int) { return {}; }

  static constexpr const char* invalid_reason(const SerialConfig& config, const ScanRequest& request, int) {
    if (config.unroll < 1 || config.unroll > 128 / register_bytes(request))
      return "unroll would not fit the registers of a thread";
    return nullptr;
  }

  static constexpr int tile_items(const SerialConfig& config, const ScanRequest&) { return config.unroll; }

  static constexpr WorkspaceNeed workspace(const SerialConfig&, const ScanRequest&) { return {}; }

  static constexpr LaunchList launches(const SerialConfig&, const ScanRequest& request, Variant) {
    LaunchList list;
    list.add({.n = request.n});
    return list;
  }

  static constexpr Work work(const SerialConfig&, const ScanRequest& request) {
    if (request.n == 0) return {};
    const u64 moved = static_cast<u64>(request.input_bytes()) + static_cast<u64>(request.output_bytes());
    return {request.n - 1, request.n - 1, request.n * moved};
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SerialConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SerialConfig, unroll, primary, 1, 2, 4, 8, 16),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

#include "scan/parts/problem.h"

namespace scantune {

template <class Problem, SerialConfig kConfig>
SCANTUNE_DEVICE void serial(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  using Output = typename Problem::Output;
  bool has_sum = Problem::kHasInit;
  T sum = Problem::init(arguments);
  for (u64 first = 0; first < arguments.n; first += kConfig.unroll) {
    // Load some items.
    T items[kConfig.unroll];
#pragma unroll
    for (int item = 0; item < kConfig.unroll; ++item) {
      if (first + item >= arguments.n) break;
      items[item] =
          scantune::convert<T>(scantune::load_global<CacheHint::normal>(Problem::input(arguments) + first + item));
    }

    // Add the items in order, and store the sum before or after each.
#pragma unroll
    for (int item = 0; item < kConfig.unroll; ++item) {
      if (first + item >= arguments.n) break;
      const T before = sum;
      sum = has_sum ? Problem::Op::combine(sum, items[item]) : items[item];
      has_sum = true;
      scantune::store_global<CacheHint::normal>(Problem::output(arguments) + first + item,
                                                scantune::convert<Output>(Problem::kExclusive ? before : sum));
    }
  }
}

}  // namespace scantune

#endif
