// reduce_then_scan: three phases in the other order. Every block is only summed at first; the sums are scanned, level
// by level; then every block is scanned with the prefix of the one before it. Items are read twice and results written
// once, so that it moves 3 n values. The library's three_phase is its optimised form.
#pragma once

#include "gallery/levelled.h"

namespace scantune {

struct ReduceThenScanConfig {
  int block_threads = 256;  // threads per CTA
  BlockScan block_scan = BlockScan::warp_shuffle;

  constexpr bool operator==(const ReduceThenScanConfig&) const = default;
};

template <>
struct Family<ReduceThenScanConfig> : LevelledFamily<ReduceThenScanConfig> {
  static constexpr const char* kName = "reduce_then_scan";
  static constexpr const char* kConfigName = "ReduceThenScanConfig";
  static constexpr const char* kHeader = "gallery/reduce_then_scan.h";
  static constexpr const char* const kKernels[] = {"reduce_input", "reduce_sums", "scan_top", "scan_sums",
                                                   "scan_output"};

  static constexpr Work work(const ReduceThenScanConfig& config, const ScanRequest& request) {
    if (request.n == 0) return {};
    const u64 block = block_items(config), bytes = static_cast<u64>(request.accumulator_bytes());
    const u64 blocks = ceil_div(request.n, block), left = request.n > block ? request.n - block : 0;
    const Work sums = work_of_sums(config, blocks, bytes);
    const u64 moved = 2 * static_cast<u64>(request.input_bytes()) + static_cast<u64>(request.output_bytes());
    return {request.n - blocks + operations_in_blocks(config, request.n) + sums.operations + left,
            steps(config, request.n, request.n, ceil_log2(block)), request.n * moved + sums.bytes};
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ReduceThenScanConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ReduceThenScanConfig, block_threads, primary, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(ReduceThenScanConfig, block_scan, primary, BlockScan::kogge_stone, BlockScan::double_buffer,
                         BlockScan::brent_kung, BlockScan::hybrid, BlockScan::warp_shuffle),
  };
#endif

 private:
  // The work of a level with so many sums, and of those above it: sums are written from below, summed unless they are
  // the top, scanned, and read as carries from below.
  static constexpr Work work_of_sums(const ReduceThenScanConfig& config, u64 sums, u64 bytes) {
    const u64 block = block_items(config), blocks = ceil_div(sums, block);
    const Work work{operations_in_blocks(config, sums), 0, (3 * sums + sums - 1) * bytes};
    if (blocks == 1) return work;
    const Work above = work_of_sums(config, blocks, bytes);
    return {work.operations + above.operations + sums - blocks + sums - block, 0,
            work.bytes + above.bytes + sums * bytes};
  }
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

// Sums the block of this CTA, neighbours first, so that the order is kept.
template <class Problem, auto kConfig, class Item>
SCANTUNE_DEVICE void reduce_block(const KernelArguments& arguments, const Item* input) {
  using B = Block<Problem, kConfig>;
  using T = typename B::T;
  const u32 count = B::count(arguments.n);
  T* const items = B::shared().values;
  B::load(items, input + B::first(), count);
  for (u32 distance = 1; distance < count; distance *= 2) {
    const u32 item = thread_rank() * 2 * distance;
    if (item + distance < count) items[item] = B::Op::combine(items[item], items[item + distance]);
    sync_block();
  }
  if (thread_rank() == 0)
    scantune::store_global<CacheHint::normal>(scantune::values_at<T>(arguments, arguments.scratch[1]) + block_rank(),
                                              items[0]);
}

// Scans the block of this CTA after what is before it, if anything is.
template <class Problem, auto kConfig, bool kExclusive, class Item, class Result>
SCANTUNE_DEVICE void scan_block(const KernelArguments& arguments, const Item* input, Result* output, bool has_carry,
                                typename Problem::Accumulator carry) {
  using B = Block<Problem, kConfig>;
  using T = typename B::T;
  const u32 count = B::count(arguments.n);
  T* items = B::shared().values;
  B::load(items, input + B::first(), count);
  items = B::scan(items, count);
  for (u32 item = thread_rank(); item < count; item += kConfig.block_threads) {
    T result = carry;
    if (!kExclusive || item > 0) {
      result = items[kExclusive ? item - 1 : item];
      if (has_carry) result = B::Op::combine(carry, result);
    }
    scantune::store_global<CacheHint::normal>(output + B::first() + item, scantune::convert<Result>(result));
  }
}

// Phase 1: sum every block of the input, and of the sums below the top.
template <class Problem, ReduceThenScanConfig kConfig>
SCANTUNE_DEVICE void reduce_input(const KernelArguments& arguments) {
  scantune::reduce_block<Problem, kConfig>(arguments, Problem::input(arguments));
}
template <class Problem, ReduceThenScanConfig kConfig>
SCANTUNE_DEVICE void reduce_sums(const KernelArguments& arguments) {
  scantune::reduce_block<Problem, kConfig>(
      arguments, scantune::values_at<typename Problem::Accumulator>(arguments, arguments.scratch[0]));
}

// Phase 2: scan the sums at the top, which one CTA holds.
template <class Problem, ReduceThenScanConfig kConfig>
SCANTUNE_DEVICE void scan_top(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  T* const sums = scantune::values_at<T>(arguments, arguments.scratch[0]);
  scantune::scan_block<Problem, kConfig, false>(arguments, sums, sums, false, Problem::init(arguments));
}

// Phase 3, down again: scan every block after the prefix of the one before.
template <class Problem, ReduceThenScanConfig kConfig>
SCANTUNE_DEVICE void scan_sums(const KernelArguments& arguments) {
  using T = typename Problem::Accumulator;
  T* const sums = scantune::values_at<T>(arguments, arguments.scratch[1]);
  T carry;
  if (block_rank() > 0) carry = Block<Problem, kConfig>::carry(scantune::values_at<T>(arguments, arguments.scratch[0]));
  scantune::scan_block<Problem, kConfig, false>(arguments, sums, sums, block_rank() > 0, carry);
}
template <class Problem, ReduceThenScanConfig kConfig>
SCANTUNE_DEVICE void scan_output(const KernelArguments& arguments) {
  bool has_carry;
  const auto carry = scantune::carry_with_init<Problem, kConfig>(arguments, has_carry);
  scantune::scan_block<Problem, kConfig, Problem::kExclusive>(arguments, Problem::input(arguments),
                                                              Problem::output(arguments), has_carry, carry);
}

}  // namespace scantune

#endif
