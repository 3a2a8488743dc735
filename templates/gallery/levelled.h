// The skeleton of the scans by levels: the items are divided into blocks, the sums of the blocks are scanned in the
// same way, level by level until they fit one block, and every block gets the prefix of the block before it. Any scan
// across a CTA serves within the blocks. No CTA waits for another: where all must be done, a launch ends.
#pragma once

#include "gallery/blocked.h"
#include "gallery/hybrid.h"
#include "gallery/kogge_stone.h"
#include "gallery/shared_double.h"
#include "gallery/warp_shuffle.h"

namespace scantune {

// The scan within a block.
enum class BlockScan { kogge_stone, double_buffer, brent_kung, hybrid, warp_shuffle };
template <>
struct Tokens<BlockScan> {
  static constexpr const char* kNames[] = {"kogge_stone", "double_buffer", "brent_kung", "hybrid", "warp_shuffle"};
};

// Calls use(scan) with the struct that a name stands for.
template <class Use>
constexpr auto with_block_scan(BlockScan name, const Use& use) {
  if (name == BlockScan::kogge_stone) return use(KoggeStone{});
  if (name == BlockScan::double_buffer) return use(SharedDouble{});
  if (name == BlockScan::brent_kung) return use(BrentKung{});
  if (name == BlockScan::hybrid) return use(Hybrid{});
  return use(WarpShuffle{});
}

// Items of a block: the trees have two for each thread.
template <class Config>
constexpr u64 block_items(const Config& config) {
  const bool is_tree = config.block_scan == BlockScan::brent_kung || config.block_scan == BlockScan::hybrid;
  return static_cast<u64>(config.block_threads) * (is_tree ? 2 : 1);
}

// The sums of the levels in the workspace, each aligned. The last one has one block, whose own sum nobody needs.
struct SumLevels {
  static constexpr int kCapacity = 7;
  u64 items[kCapacity] = {};
  u64 offset[kCapacity] = {};  // bytes into the workspace
  u64 bytes = 0;
  int count = 0;

  constexpr SumLevels(u64 n, u64 block, int value_bytes) {
    for (u64 sums = ceil_div(n, block);; sums = ceil_div(sums, block)) {
      items[count] = sums;
      offset[count++] = bytes;
      bytes += round_up(sums * static_cast<u64>(value_bytes), u64{16});
      if (sums <= block) break;
    }
    offset[count] = bytes;
    bytes += round_up(static_cast<u64>(value_bytes), u64{16});
  }
};

// What the families have in common. Up is done from the items to the top, Down back again.
template <class Config>
struct LevelledFamily {
  static constexpr Standing kStanding = Standing::gallery;
  enum KernelIndex { kUpInput, kUpSums, kTopSums, kDownSums, kDownOutput };

  static constexpr const char* unsupported_reason(const ScanRequest& request, int) {
    if (const char* reason = gallery_reason(request)) return reason;
    if (const char* reason = segmented_reason(request)) return reason;
    if (request.n > kMaxGridBlocks * kFewestThreads) return "more blocks than a grid has CTAs";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ScanRequest&, int) { return 0; }

  static constexpr Config default_config(const ScanRequest&, int) { return {}; }

  static constexpr const char* invalid_reason(const Config& config, const ScanRequest& request, int sm) {
    if (const char* reason = invalid_threads_reason(config.block_threads, kFewestThreads)) return reason;
    if (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block)
      return "the block does not fit in shared memory";
    return nullptr;
  }

  static constexpr int tile_items(const Config& config, const ScanRequest&) {
    return static_cast<int>(block_items(config));
  }

  static constexpr WorkspaceNeed workspace(const Config& config, const ScanRequest& request) {
    return {WorkspaceKind::scratch, 0, levels(config, request).bytes};
  }

  static constexpr int shared_bytes(const Config& config, const ScanRequest& request) {
    const int values = shared_values(config) + 1;  // and the carry
    return static_cast<int>(
        round_up(static_cast<u64>(values) * static_cast<u64>(request.accumulator_bytes()), u64{16}));
  }

  static constexpr int shared_values(const Config& config) {
    const int capacity = static_cast<int>(block_items(config));
    const int scanned = with_block_scan(config.block_scan, [&](auto scan) { return scan.shared_values(capacity); });
    return config.block_scan == BlockScan::warp_shuffle ? capacity + scanned : scanned;
  }

  static constexpr LaunchList launches(const Config& config, const ScanRequest& request, Variant) {
    const SumLevels sums = levels(config, request);
    LaunchList list;
    const auto add = [&](KernelIndex kernel, u64 items, u64 source, u64 destination) {
      list.add({.kernel = kernel,
                .grid_blocks = static_cast<u32>(ceil_div(items, block_items(config))),
                .block_threads = config.block_threads,
                .shared_bytes = shared_bytes(config, request),
                .n = items,
                .scratch = {source, destination}});
    };
    const int top = sums.count - 1;
    add(kUpInput, request.n, 0, sums.offset[0]);
    for (int level = 0; level < top; ++level)
      add(kUpSums, sums.items[level], sums.offset[level], sums.offset[level + 1]);
    add(kTopSums, sums.items[top], sums.offset[top], sums.offset[top + 1]);
    for (int level = top - 1; level >= 0; --level)
      add(kDownSums, sums.items[level], sums.offset[level + 1], sums.offset[level]);
    add(kDownOutput, request.n, sums.offset[0], 0);
    return list;
  }

 protected:
  static constexpr int kFewestThreads = 64;

  static constexpr SumLevels levels(const Config& config, const ScanRequest& request) {
    return {request.n, block_items(config), request.accumulator_bytes()};
  }

  // The operations of a scan within a block, and of all blocks that so many items are cut into.
  static constexpr u64 operations_in_block(const Config& config, u64 items) {
    return with_block_scan(config.block_scan, [&](auto scan) { return scan.operations(items, 1); });
  }
  static constexpr u64 operations_in_blocks(const Config& config, u64 items) {
    const u64 block = block_items(config), left = items % block;
    return items / block * operations_in_block(config, block) + (left > 0 ? operations_in_block(config, left) : 0);
  }
  // The steps until the first `results` of the items in a block are scanned.
  static constexpr u64 steps_in_block(const Config& config, u64 results, u64 items) {
    return with_block_scan(config.block_scan, [&](auto scan) {
      if constexpr (requires { scan.steps_of_first(results, items); }) return scan.steps_of_first(results, items);
      return scan.steps(results, 1);
    });
  }
  // The steps until the total of a whole block is there.
  static constexpr u64 steps_of_total(const Config& config) {
    if (config.block_scan == BlockScan::warp_shuffle) return WarpShuffle::steps(block_items(config), 1);
    return ceil_log2(block_items(config));
  }

  // The steps until the first `results` of so many items are there, where the sum of a block takes steps_of_sum.
  static constexpr u64 steps(const Config& config, u64 results, u64 items, u64 steps_of_sum) {
    const u64 block = block_items(config), blocks = ceil_div(results, block);
    const auto of_block = [&](u64 index) {
      const u64 first = index * block, of_results = results - first, of_items = items - first;
      return steps_in_block(config, of_results < block ? of_results : block, of_items < block ? of_items : block);
    };
    const u64 first = of_block(0);
    if (blocks <= 1) return first;
    const u64 carry = steps_of_sum + steps(config, blocks - 1, ceil_div(items, block), steps_of_sum);
    const u64 others = larger(blocks > 2 ? first : 0, of_block(blocks - 1));
    return larger(first, 1 + larger(others, carry));
  }
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

// How a kernel of these families scans the block of its CTA.
template <class Problem, auto kConfig>
struct Block {
  using T = typename Problem::Accumulator;
  using Op = typename Problem::Op;
  static constexpr u32 kItems = block_items(kConfig);
  static constexpr BlockScan kScan = kConfig.block_scan;
  struct alignas(16) Shared {
    T values[LevelledFamily<decltype(kConfig)>::shared_values(kConfig)];
    T carry;
  };

  SCANTUNE_DEVICE static Shared& shared() { return shared_memory<Shared>(); }

  // Scans items[0] to items[count - 1] of shared memory. Returns the address of the results.
  SCANTUNE_DEVICE static T* scan(T* items, u32 count) {
    if constexpr (kScan == BlockScan::kogge_stone) {
      return KoggeStone::scan<Op, kItems>(items, count);
    } else if constexpr (kScan == BlockScan::double_buffer) {
      return SharedDouble::scan<Op, kItems>(items, count);
    } else if constexpr (kScan == BlockScan::brent_kung) {
      return BrentKung::scan<Op, kItems>(items, count);
    } else if constexpr (kScan == BlockScan::hybrid) {
      return Hybrid::scan<Op, kItems>(items, count);
    } else {
      T value;
      if (thread_rank() < count) value = items[thread_rank()];
      value = WarpShuffle::scan_values<Op>(value, count, items + kItems);
      if (thread_rank() < count) items[thread_rank()] = value;
      sync_block();
      return items;
    }
  }

  // Loads values of a block into shared memory.
  template <class Item>
  SCANTUNE_DEVICE static void load(T* items, const Item* from, u32 count) {
    for (u32 item = thread_rank(); item < count; item += kConfig.block_threads)
      items[item] = scantune::convert<T>(scantune::load_global<CacheHint::normal>(from + item));
    sync_block();
  }

  // The block that this CTA has of n items: where it begins, and how many there are.
  SCANTUNE_DEVICE static u64 first() { return static_cast<u64>(block_rank()) * kItems; }
  SCANTUNE_DEVICE static u32 count(u64 n) {
    const u64 left = n - first();
    return static_cast<u32>(left < kItems ? left : kItems);
  }

  // The prefix of the block before this one, from the level above; one thread gets it for all. Not for the first block.
  SCANTUNE_DEVICE static T carry(const T* prefixes) {
    if (thread_rank() == 0) shared().carry = scantune::load_global<CacheHint::normal>(prefixes + block_rank() - 1);
    sync_block();
    return shared().carry;
  }
};

// A place in the workspace.
template <class T>
SCANTUNE_DEVICE T* values_at(const KernelArguments& arguments, u64 offset) {
  return reinterpret_cast<T*>(static_cast<unsigned char*>(arguments.workspace) + offset);
}

// What is before the block of this CTA, the initial value first; `exists` says whether anything is.
template <class Problem, auto kConfig>
SCANTUNE_DEVICE typename Problem::Accumulator carry_with_init(const KernelArguments& arguments, bool& exists) {
  using T = typename Problem::Accumulator;
  exists = Problem::kHasInit || block_rank() > 0;
  if (block_rank() == 0) return Problem::init(arguments);
  const T carry = Block<Problem, kConfig>::carry(scantune::values_at<T>(arguments, arguments.scratch[0]));
  if constexpr (Problem::kHasInit) return Problem::Op::combine(Problem::init(arguments), carry);
  return carry;
}

}  // namespace scantune

#endif
