// scan_then_add: three phases. Every block is scanned and its total kept; the totals are scanned, level by level; every
// block but the first gets the prefix of the one before it added. Items are read once, and results are written, read
// and written again, so that it moves 4 n values; one pass moves 2 n.
//
// The tutorial adds S[block - 1] and calls S exclusive. Prefixes are inclusive here, and the first block gets none.
#pragma once

#include "gallery/levelled.h"

namespace scantune {

struct ScanThenAddConfig {
  int block_threads = 256;  // threads per CTA
  BlockScan block_scan = BlockScan::warp_shuffle;

  constexpr bool operator==(const ScanThenAddConfig&) const = default;
};

template <>
struct Family<ScanThenAddConfig> : LevelledFamily<ScanThenAddConfig> {
  static constexpr const char* kName = "scan_then_add";
  static constexpr const char* kConfigName = "ScanThenAddConfig";
  static constexpr const char* kHeader = "gallery/scan_then_add.h";
  static constexpr const char* const kKernels[] = {"scan_input", "scan_sums", "scan_top", "add_to_sums",
                                                   "add_to_output"};

  static constexpr const char* unsupported_reason(const ScanRequest& request, int sm) {
    if (request.output_type != request.accumulator_type)
      return "scan_then_add keeps its sums in the output, whose type must be the accumulator's";
    return LevelledFamily::unsupported_reason(request, sm);
  }

  static constexpr Work work(const ScanThenAddConfig& config, const ScanRequest& request) {
    if (request.n == 0) return {};
    const u64 block = block_items(config), bytes = static_cast<u64>(request.accumulator_bytes());
    const u64 left = request.n > block ? request.n - block : 0;
    const Work sums = work_of_sums(config, ceil_div(request.n, block), bytes);
    return {operations_in_blocks(config, request.n) + sums.operations + left,
            steps(config, request.n, request.n, steps_of_total(config)),
            request.n * (static_cast<u64>(request.input_bytes()) + bytes) + sums.bytes + 2 * left * bytes};
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ScanThenAddConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ScanThenAddConfig, block_threads, primary, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(ScanThenAddConfig, block_scan, primary, BlockScan::kogge_stone, BlockScan::double_buffer,
                         BlockScan::brent_kung, BlockScan::hybrid, BlockScan::warp_shuffle),
  };
#endif

 private:
  // The work of a level with so many sums, and of those above it: sums are written from below, scanned, and read as
  // carries from below.
  static constexpr Work work_of_sums(const ScanThenAddConfig& config, u64 sums, u64 bytes) {
    const u64 block = block_items(config), blocks = ceil_div(sums, block);
    Work work{operations_in_blocks(config, sums), 0, (3 * sums + sums - 1) * bytes};
    if (blocks == 1) {
      work.bytes += bytes;  // the total that nobody needs
      return work;
    }
    const Work above = work_of_sums(config, blocks, bytes);
    return {work.operations + above.operations + sums - block, 0,
            work.bytes + above.bytes + 2 * (sums - block) * bytes};
  }
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

// Scans the block of this CTA and keeps its total. Exclusive results leave out the first of each block, which only has
// the carry before it.
template <class Problem, auto kConfig, bool kExclusive, class Item, class Result>
SCANTUNE_DEVICE void scan_and_keep_total(const KernelArguments& arguments, const Item* input, Result* output) {
  using B = Block<Problem, kConfig>;
  using T = typename B::T;
  const u32 count = B::count(arguments.n);
  T* items = B::shared().values;
  B::load(items, input + B::first(), count);
  items = B::scan(items, count);
  for (u32 item = thread_rank(); item < count; item += kConfig.block_threads)
    if (!kExclusive || item > 0)
      scantune::store_global<CacheHint::normal>(output + B::first() + item,
                                                scantune::convert<Result>(items[kExclusive ? item - 1 : item]));
  if (thread_rank() == 0)
    scantune::store_global<CacheHint::normal>(scantune::values_at<T>(arguments, arguments.scratch[1]) + block_rank(),
                                              items[count - 1]);
}

// Phase 1: scan every block of the input.
template <class Problem, ScanThenAddConfig kConfig>
SCANTUNE_DEVICE void scan_input(const KernelArguments& arguments) {
  scantune::scan_and_keep_total<Problem, kConfig, Problem::kExclusive>(arguments, Problem::input(arguments),
                                                                       Problem::output(arguments));
}

// Phase 2: scan the totals, in place, and so on up.
template <class Problem, ScanThenAddConfig kConfig>
SCANTUNE_DEVICE void scan_sums(const KernelArguments& arguments) {
  auto* const sums = scantune::values_at<typename Problem::Accumulator>(arguments, arguments.scratch[0]);
  scantune::scan_and_keep_total<Problem, kConfig, false>(arguments, sums, sums);
}
template <class Problem, ScanThenAddConfig kConfig>
SCANTUNE_DEVICE void scan_top(const KernelArguments& arguments) {
  scantune::scan_sums<Problem, kConfig>(arguments);
}

// Phase 3, down again: add the prefix of the block before.
template <class Problem, ScanThenAddConfig kConfig>
SCANTUNE_DEVICE void add_to_sums(const KernelArguments& arguments) {
  using B = Block<Problem, kConfig>;
  using T = typename B::T;
  if (block_rank() == 0) return;
  const T carry = B::carry(scantune::values_at<T>(arguments, arguments.scratch[0]));
  T* const sums = scantune::values_at<T>(arguments, arguments.scratch[1]) + B::first();
  for (u32 item = thread_rank(); item < B::count(arguments.n); item += kConfig.block_threads)
    scantune::store_global<CacheHint::normal>(
        sums + item, B::Op::combine(carry, scantune::load_global<CacheHint::normal>(sums + item)));
}
template <class Problem, ScanThenAddConfig kConfig>
SCANTUNE_DEVICE void add_to_output(const KernelArguments& arguments) {
  using B = Block<Problem, kConfig>;
  using T = typename B::T;
  bool has_carry;
  const T carry = scantune::carry_with_init<Problem, kConfig>(arguments, has_carry);
  if (!has_carry) return;
  auto* const output = Problem::output(arguments) + B::first();
  for (u32 item = thread_rank(); item < B::count(arguments.n); item += kConfig.block_threads) {
    T result = carry;
    if (!Problem::kExclusive || item > 0)
      result = B::Op::combine(carry, scantune::load_global<CacheHint::normal>(output + item));
    scantune::store_global<CacheHint::normal>(output + item, result);
  }
}

}  // namespace scantune

#endif
