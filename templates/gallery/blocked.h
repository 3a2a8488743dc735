// The skeleton of the blocked scans: each CTA scans one row of the input, which must fit it. A request without rows is
// one row.
#pragma once

#include "core/contract/family.h"
#include "core/contract/work.h"
#include "scan/config/tile.h"

namespace scantune {

// Null, or why no family of the gallery has CTAs of so many threads.
constexpr const char* invalid_threads_reason(int threads, int fewest) {
  if (threads >= fewest && threads <= kMaxBlockThreads && (threads & (threads - 1)) == 0) return nullptr;
  return fewest == kWarpThreads ? "block_threads must be a power of two from 32 to 1024"
                                : "block_threads must be a power of two from 64 to 1024";
}

// What the scan of Hillis and Steele costs: in every step all items but the first ones are combined.
struct HillisSteeleCost {
  static constexpr u64 operations(u64 items, int = 1) {
    u64 count = 0;
    for (u64 distance = 1; distance < items; distance *= 2) count += items - distance;
    return count;
  }
  static constexpr u64 steps(u64 items, int = 1) { return ceil_log2(items); }
};

// Items that one thread can have of a request, of values that registers hold.
constexpr int most_items_per_thread(int most, const ScanRequest& request) {
  const int fitting = 128 / register_bytes(request);
  return most < fitting ? most : fitting;
}

template <class Config>
constexpr u64 row_capacity(const Config& config) {
  return static_cast<u64>(config.block_threads) * static_cast<u64>(config.items_per_thread);
}

// What the families have in common. Config has block_threads, items_per_thread and kMostItemsPerThread; Scan says how
// many values it keeps in shared memory, and what it costs.
template <class Config, class Scan>
struct BlockedFamily {
  static constexpr Standing kStanding = Standing::gallery;

  static constexpr const char* unsupported_reason(const ScanRequest& request, int) {
    if (const char* reason = gallery_reason(request)) return reason;
    if (request.segments > Segments::rows) return "each CTA scans one row, and the request has other segments";
    const int items_per_thread = most_items_per_thread(Config::kMostItemsPerThread, request);
    if (row_items(request) > static_cast<u64>(kMaxBlockThreads) * static_cast<u64>(items_per_thread))
      return "each CTA scans one row, and the rows are longer than a CTA holds: cut the items into rows";
    if (blocks(request) > kMaxGridBlocks) return "more rows than a grid has CTAs";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ScanRequest&, int) { return 0; }

  // The fewest threads that hold a row; more items for each where the most threads do not.
  static constexpr Config default_config(const ScanRequest& request, int) {
    Config config;
    config.block_threads = kWarpThreads;
    while (config.block_threads < kMaxBlockThreads && row_capacity(config) < row_items(request))
      config.block_threads *= 2;
    if constexpr (Config::kMostItemsPerThread > Config{}.items_per_thread)
      while (row_capacity(config) < row_items(request)) config.items_per_thread *= 2;
    const int most = most_items_per_thread(Config::kMostItemsPerThread, request);
    if constexpr (Config::kMostItemsPerThread > Config{}.items_per_thread)
      if (config.items_per_thread > most) config.items_per_thread = most;
    return config;
  }

  static constexpr const char* invalid_reason(const Config& config, const ScanRequest& request, int sm) {
    if (const char* reason = invalid_threads_reason(config.block_threads, kWarpThreads)) return reason;
    const int items = config.items_per_thread;
    if (items < 1 || items > most_items_per_thread(Config::kMostItemsPerThread, request))
      return "items_per_thread would not fit the registers of a thread";
    if (row_capacity(config) < row_items(request)) return "the CTA holds fewer items than a row has";
    if (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block)
      return "the row does not fit in shared memory";
    return nullptr;
  }

  static constexpr int tile_items(const Config& config, const ScanRequest&) {
    return config.block_threads * config.items_per_thread;
  }

  static constexpr WorkspaceNeed workspace(const Config&, const ScanRequest&) { return {}; }

  static constexpr int shared_bytes(const Config& config, const ScanRequest& request) {
    const int values = Scan::shared_values(static_cast<int>(row_capacity(config)));
    return static_cast<int>(
        round_up(static_cast<u64>(values) * static_cast<u64>(request.accumulator_bytes()), u64{16}));
  }

  // The extent is the items of a row.
  static constexpr LaunchList launches(const Config& config, const ScanRequest& request, Variant) {
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(blocks(request)),
              .block_threads = config.block_threads,
              .shared_bytes = shared_bytes(config, request),
              .n = request.n,
              .extents = {row_items(request)}});
    return list;
  }

  // Every row costs the same, except a shorter last one.
  static constexpr Work work(const Config& config, const ScanRequest& request) {
    const u64 items = row_items(request);
    if (items == 0) return {};
    const Work row = work_of_row(config, request, items);
    const u64 full = request.n / items, left = request.n % items;
    const Work all = {row.operations * full, full > 0 ? row.steps : 0, row.bytes * full};
    return left == 0 ? all : beside(all, work_of_row(config, request, left));
  }

 private:
  static constexpr u64 blocks(const ScanRequest& request) {
    return row_items(request) == 0 ? 0 : ceil_div(request.n, row_items(request));
  }

  static constexpr Work work_of_row(const Config& config, const ScanRequest& request, u64 items) {
    const u64 moved = items * (static_cast<u64>(request.input_bytes()) + static_cast<u64>(request.output_bytes()));
    return {Scan::operations(items, config.items_per_thread), Scan::steps(items, config.items_per_thread), moved};
  }
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

#include "core/machine/warp.h"
#include "scan/parts/problem.h"

namespace scantune {

// A row of the input, that of the running CTA if no other is named.
template <class Problem>
class Row {
  using T = typename Problem::Accumulator;

 public:
  SCANTUNE_DEVICE explicit Row(const KernelArguments& arguments, u32 index = block_rank()) {
    const u64 row_items = arguments.extents[0], first = index * row_items, left = arguments.n - first;
    input_ = Problem::input(arguments) + first;
    output_ = Problem::output(arguments) + first;
    items_ = static_cast<u32>(left < row_items ? left : row_items);
  }

  SCANTUNE_DEVICE u32 items() const { return items_; }
  SCANTUNE_DEVICE const typename Problem::Input* input() const { return input_; }
  SCANTUNE_DEVICE typename Problem::Output* output() const { return output_; }

  SCANTUNE_DEVICE T load(u32 item) const {
    return scantune::convert<T>(scantune::load_global<CacheHint::normal>(input_ + item));
  }
  SCANTUNE_DEVICE void store(u32 item, T value) const {
    scantune::store_global<CacheHint::normal>(output_ + item, scantune::convert<typename Problem::Output>(value));
  }

 private:
  const typename Problem::Input* input_;
  typename Problem::Output* output_;
  u32 items_;
};

// How many items a full row has, which the compiler knows: loops over its steps unroll, and each thread has its items.
template <u32 kItems>
struct FullRow {
  SCANTUNE_DEVICE constexpr operator u32() const { return kItems; }
};

// Whether a thread of a CTA has the item, of a row of `count` items that the CTA holds.
SCANTUNE_DEVICE constexpr bool has_item(u32 item, u32 count) { return item < count; }
template <u32 kItems>
SCANTUNE_DEVICE constexpr bool has_item(u32, FullRow<kItems>) {
  return true;
}

// Calls scan(count) once, with a FullRow for the rows that fill a CTA and a number for others. A request of rows that
// fill none, or whose last row is shorter, costs a comparison.
template <u32 kCapacity, class Scan>
SCANTUNE_DEVICE void scan_by_count(u32 items, const Scan& scan) {
  if (items == kCapacity)
    scan(FullRow<kCapacity>());
  else
    scan(items);
}

// From an inclusive scan to the requested kind: an exclusive result is the value before the item, the initial value
// first. `before` counts only if there is an item before.
template <class Problem>
SCANTUNE_DEVICE typename Problem::Accumulator result_of(bool is_first, typename Problem::Accumulator before,
                                                        typename Problem::Accumulator inclusive,
                                                        const KernelArguments& arguments) {
  using Op = typename Problem::Op;
  if constexpr (Problem::kExclusive)
    return is_first ? Problem::init(arguments) : Op::combine(Problem::init(arguments), before);
  else if constexpr (Problem::kHasInit)
    return Op::combine(Problem::init(arguments), inclusive);
  else
    return inclusive;
}

// The scan of a row in shared memory by a block scan.
template <class Problem, auto kConfig, class Scan>
SCANTUNE_DEVICE void scan_row_in_shared_memory(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  constexpr int kCapacity = kConfig.block_threads * kConfig.items_per_thread;
  struct alignas(16) Shared {
    T values[Scan::shared_values(kCapacity)];
  };
  T* items = shared_memory<Shared>().values;
  const Row<Problem> row(arguments);

  scantune::scan_by_count<kCapacity>(row.items(), [&](auto count) {
  // Load the row.
#pragma unroll
    for (u32 place = 0; place < kCapacity; place += kConfig.block_threads)
      if (has_item(place + thread_rank(), count)) items[place + thread_rank()] = row.load(place + thread_rank());
    sync_block();

    // Scan it, inclusively.
    const T* const results = Scan::template scan<typename Problem::Op, kCapacity>(items, count);

    // Store the results.
#pragma unroll
    for (u32 place = 0; place < kCapacity; place += kConfig.block_threads) {
      const u32 item = place + thread_rank();
      if (!has_item(item, count)) break;
      row.store(item,
                scantune::result_of<Problem>(item == 0, results[item == 0 ? 0 : item - 1], results[item], arguments));
    }
  });
}

}  // namespace scantune

#endif
