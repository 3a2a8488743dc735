// converted: each kind of scan from the other one. The first launch computes the other kind, the second converts its
// results.
//
// From inclusive to exclusive nothing is added: result i is inclusive result i - 1, and the first is the initial value.
// From exclusive to inclusive every result is combined with its own item, which must be read a second time: a
// subtraction could undo sums, but not maxima. The first item has nothing before it, so without an initial value it is
// the first result. Either way the other kind's results are written to memory and read again, which all other kernels
// here avoid.
#pragma once

#include "gallery/kogge_stone.h"

namespace scantune {

// What a conversion of inclusive results costs: the scan of Hillis and Steele that makes them, and one operation for
// each item that has one before it.
struct ConvertedCost {
  static constexpr int shared_values(int capacity) { return KoggeStone::shared_values(capacity); }
  static constexpr u64 operations(u64 items, int) { return KoggeStone::operations(items) + items - 1; }
  static constexpr u64 steps(u64 items, int) { return items == 1 ? 0 : KoggeStone::steps(items - 1) + 1; }
};

struct ConvertedConfig {
  static constexpr int items_per_thread = 1;
  static constexpr int kMostItemsPerThread = 1;

  int block_threads = 256;  // threads of a CTA, one for each item of its row

  constexpr bool operator==(const ConvertedConfig&) const = default;
};

template <>
struct Family<ConvertedConfig> : BlockedFamily<ConvertedConfig, ConvertedCost> {
  static constexpr const char* kName = "converted";
  static constexpr const char* kConfigName = "ConvertedConfig";
  static constexpr const char* kHeader = "gallery/converted.h";
  static constexpr const char* const kKernels[] = {"scan_to_other_kind", "convert_kind"};

  // The results of the other kind.
  static constexpr WorkspaceNeed workspace(const ConvertedConfig&, const ScanRequest& request) {
    return {WorkspaceKind::scratch, 0, request.n * static_cast<u64>(request.accumulator_bytes())};
  }

  static constexpr LaunchList launches(const ConvertedConfig& config, const ScanRequest& request, Variant variant) {
    LaunchList list = BlockedFamily::launches(config, request, variant);
    Launch convert = list.launches[0];
    convert.kernel = 1;
    convert.shared_bytes = 0;
    list.add(convert);
    return list;
  }

  // Every item is read again, and the other kind's results are written and read, except the first one of each row.
  static constexpr Work work(const ConvertedConfig& config, const ScanRequest& request) {
    const u64 row = row_items(request);
    if (row == 0) return {};
    Work work = BlockedFamily::work(config, request);
    const u64 others = request.n - ceil_div(request.n, row);
    work.bytes += request.n * static_cast<u64>(request.input_bytes()) +
                  2 * others * static_cast<u64>(request.accumulator_bytes());
    return work;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ConvertedConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ConvertedConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
  };
#endif
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

// The other kind's results of the row of this CTA.
template <class Problem>
SCANTUNE_DEVICE typename Problem::Accumulator* other_kind(const KernelArguments& arguments) {
  return static_cast<typename Problem::Accumulator*>(arguments.workspace) + block_rank() * arguments.extents[0];
}

// Phase 1: scan to the kind that was not asked for.
template <class Problem, ConvertedConfig kConfig>
SCANTUNE_DEVICE void scan_to_other_kind(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  struct alignas(16) Shared {
    T values[kConfig.block_threads];
  };
  T* const items = shared_memory<Shared>().values;
  const Row<Problem> row(arguments);
  const u32 item = thread_rank(), count = row.items();
  if (item < count) items[item] = row.load(item);
  sync_block();
  const T* const sums = KoggeStone::scan<Op, kConfig.block_threads>(items, count);
  if (item >= count || (!Problem::kExclusive && !Problem::kHasInit && item == 0)) return;

  T other = Problem::init(arguments);
  if constexpr (Problem::kExclusive)
    other = Problem::kHasInit ? Op::combine(other, sums[item]) : sums[item];
  else if (item > 0)
    other = Problem::kHasInit ? Op::combine(other, sums[item - 1]) : sums[item - 1];
  scantune::store_global<CacheHint::normal>(scantune::other_kind<Problem>(arguments) + item, other);
}

// Phase 2: from inclusive to exclusive, or from exclusive to inclusive.
template <class Problem, ConvertedConfig kConfig>
SCANTUNE_DEVICE void convert_kind(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  const Row<Problem> row(arguments);
  const u32 item = thread_rank();
  if (item >= row.items()) return;
  const T* const other = scantune::other_kind<Problem>(arguments);
  if constexpr (Problem::kExclusive) {
    row.store(item, item == 0 ? Problem::init(arguments) : scantune::load_global<CacheHint::normal>(other + item - 1));
  } else {
    T result = row.load(item);
    if (item > 0 || Problem::kHasInit)
      result = Problem::Op::combine(scantune::load_global<CacheHint::normal>(other + item), result);
    row.store(item, result);
  }
}

}  // namespace scantune

#endif
