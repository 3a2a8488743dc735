// naive_global: the scan of Hillis and Steele ("Data Parallel Algorithms", 1986) in its simplest form: in global
// memory. In step k every item adds the value 2^k places before it.
//
// All items of a step must be read before any is written. So each step has two barriers; the tutorial's first version
// has one, and a race.
#pragma once

#include "gallery/blocked.h"

namespace scantune {

struct NaiveGlobalConfig {
  static constexpr int items_per_thread = 1;
  static constexpr int kMostItemsPerThread = 1;

  int block_threads = 256;  // threads of a CTA, one for each item of its row

  constexpr bool operator==(const NaiveGlobalConfig&) const = default;
};

struct NaiveGlobal : HillisSteeleCost {
  static constexpr int shared_values(int) { return 0; }
};

template <>
struct Family<NaiveGlobalConfig> : BlockedFamily<NaiveGlobalConfig, NaiveGlobal> {
  static constexpr const char* kName = "naive_global";
  static constexpr const char* kConfigName = "NaiveGlobalConfig";
  static constexpr const char* kHeader = "gallery/naive_global.h";
  static constexpr const char* const kKernels[] = {"naive_global"};

  static constexpr const char* unsupported_reason(const ScanRequest& request, int sm) {
    if (request.output_type != request.accumulator_type)
      return "naive_global keeps its sums in the output, whose type must be the accumulator's";
    return BlockedFamily::unsupported_reason(request, sm);
  }

  // Every operation reads two values and writes one, and the row is copied first. An exclusive scan moves the results
  // by one place besides.
  static constexpr Work work(const NaiveGlobalConfig& config, const ScanRequest& request) {
    Work work = BlockedFamily::work(config, request);
    work.bytes += work.operations * 3 * static_cast<u64>(request.accumulator_bytes());
    return work;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<NaiveGlobalConfig> kParameters[] = {
      SCANTUNE_PARAMETER(NaiveGlobalConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

template <class Problem, NaiveGlobalConfig kConfig>
SCANTUNE_DEVICE void naive_global(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  const Row<Problem> row(arguments);
  const u32 item = thread_rank();
  const auto scanned = [&](u32 place) { return scantune::load_global<CacheHint::normal>(row.output() + place); };

  scantune::scan_by_count<kConfig.block_threads>(row.items(), [&](auto count) {
    const bool exists = scantune::has_item(item, count);

    // Copy the row to the output.
    if (exists) row.store(item, row.load(item));
    sync_block();

    // Take what is twice as far away in every step.
#pragma unroll
    for (u32 distance = 1; distance < count; distance *= 2) {
      const bool reaches = exists && item >= distance;
      T sum;
      if (reaches) sum = Problem::Op::combine(scanned(item - distance), scanned(item));
      sync_block();
      if (reaches) row.store(item, sum);
      sync_block();
    }

    // Make it the kind that is asked for.
    if constexpr (Problem::kHasInit) {
      T result;
      if (exists)
        result = scantune::result_of<Problem>(item == 0, scanned(item == 0 ? 0 : item - 1), scanned(item), arguments);
      sync_block();
      if (exists) row.store(item, result);
    }
  });
}

}  // namespace scantune

#endif
