#pragma once

#include "core/parts/begin_kernel.h"
#include "core/parts/operators.h"
#include "core/parts/warp_scan.h"
#include "sort/config/sort_fill.h"
#include "sort/parts/digit_counts.h"

namespace scantune {

SCANTUNE_DEVICE DigitCountsLayout layout_of_counts(const KernelArguments& arguments, const SortLaunch& launch) {
  return digit_counts_layout(0, ceil_div(arguments.n, arguments.extents[0]), 1, kByteDigits, launch.count_ctas);
}

// Phase 1: how often each key occurs in each share of a row.
template <class Problem, SortFillConfig kConfig>
SCANTUNE_DEVICE void count_keys(const KernelArguments& arguments) {
  using Counts = DigitCounts<Problem, kConfig.digit_bits, kConfig.count_columns, kConfig.count_hint>;
  const SortLaunch launch = SortLaunch::unpacked(arguments.extents[1]);
  const DigitCountsLayout layout = layout_of_counts(arguments, launch);
  const Counts counts(shared_memory<typename Counts::Shared>(), launch);
  counts.clear();
  sync_block();
  begin_kernel<kConfig.pdl>();
  counts.count_share(arguments);
  sync_block();
  counts.store(arguments, layout);
}

// Phase 2: how often each key occurs in a row.
template <class Problem, SortFillConfig kConfig>
SCANTUNE_DEVICE void add_key_counts(const KernelArguments& arguments) {
  const SortLaunch launch = SortLaunch::unpacked(arguments.extents[1]);
  begin_kernel<kConfig.pdl>();
  scantune::add_up_digits<kConfig.digit_bits>(arguments, layout_of_counts(arguments, launch), 1, launch.count_ctas);
}

// Phase 3: as many of each key as there are. A CTA has a tile of a row's output.
template <class Problem, SortFillConfig kConfig>
SCANTUNE_DEVICE void fill(const KernelArguments& arguments) {
  using Sum = OperatorOf<u64, Operator::sum>;
  constexpr u32 kThreads = kConfig.block_threads, kVectorItems = kVectorAlignmentBytes;
  struct alignas(kVectorAlignmentBytes) Vector {
    u8 keys[kVectorItems];
  };
  struct Shared {
    u64 ends[kByteDigits];  // where the keys up to each one end in the row
    u64 totals[kWarpThreads];
  };
  static_assert(sizeof(Shared) == Family<SortFillConfig>::kSharedBytes);
  auto& shared = shared_memory<Shared>();
  const SortLaunch launch = SortLaunch::unpacked(arguments.extents[1]);
  const u64 row_items = arguments.extents[0];
  const u64 tiles = Family<SortFillConfig>::row_tiles(kConfig, row_items);
  const u64 row = block_rank() / tiles, left = arguments.n - row * row_items;
  const u64 items = left < row_items ? left : row_items;
  begin_kernel<kConfig.pdl>();

  // Add up the counts.
  const u64* const counts = reinterpret_cast<const u64*>(static_cast<const unsigned char*>(arguments.workspace) +
                                                         layout_of_counts(arguments, launch).totals) +
                            row * kByteDigits;
  u64 before = 0;
  constexpr u32 kTurnThreads = kThreads < kByteDigits ? kThreads : static_cast<u32>(kByteDigits);
  for (u32 first = 0; first < kByteDigits; first += kTurnThreads) {
    const u32 key = first + thread_rank(), lane = thread_rank() % kWarpThreads, warp = thread_rank() / kWarpThreads;
    const bool has_key = thread_rank() < kTurnThreads && key < kByteDigits;
    const u64 count = has_key ? scantune::load_global<CacheHint::normal>(counts + key) : 0;
    const u64 through = scantune::scan_by_kogge_stone<Sum, kWarpThreads, 2>(count, static_cast<i32>(lane));
    if (lane == kWarpThreads - 1) shared.totals[warp] = through;
    sync_block();
    const u64 totals = lane < kThreads / kWarpThreads ? shared.totals[lane] : 0;
    const u64 of_warps = scantune::scan_by_kogge_stone<Sum, kWarpThreads, 2>(totals, static_cast<i32>(lane));
    const u64 of_earlier = warp > 0 ? scantune::shuffle_index(of_warps, warp - 1) : 0;
    if (has_key) shared.ends[key] = before + of_earlier + through;
    before += scantune::shuffle_index(of_warps, kWarpThreads - 1);
    sync_block();
  }

  // Find each vector's keys among the ends, and store it. The first and the last one may reach beyond the row.
  auto* const output = reinterpret_cast<u8*>(Problem::output(arguments)) + row * row_items;
  const u64 shift = reinterpret_cast<u64>(output) % kVectorItems;
  const u64 first = (block_rank() % tiles * kConfig.vectors_per_thread * kThreads + thread_rank()) * kVectorItems;
  u32 key = 0;
#pragma unroll 1
  for (u32 step = 0; step < kConfig.vectors_per_thread; ++step) {
    const u64 begin = first + step * kThreads * kVectorItems;  // in the row from the boundary before it on
    if (begin >= items + shift) break;
    const u64 least = begin < shift ? 0 : begin - shift, end = begin + kVectorItems - shift;
    // Keys of earlier vectors come no later.
    u32 upper = kByteDigits - 1;
    while (key < upper) {
      const u32 middle = (key + upper) / 2;
      if (shared.ends[middle] > least)
        upper = middle;
      else
        key = middle + 1;
    }
    Vector vector;
    const u8 stored = Problem::stored_of(key);
    if (shared.ends[key] >= end) {
#pragma unroll
      for (u8& each : vector.keys) each = stored;
    } else {
      u32 found = key;
#pragma unroll
      for (u32 item = 0; item < kVectorItems; ++item) {
        const u64 place = begin + item - shift;
        while (begin + item >= shift && found < kByteDigits - 1 && shared.ends[found] <= place) ++found;
        vector.keys[item] = Problem::stored_of(found);
      }
    }
    if (begin >= shift && end <= items) {
      scantune::store_global<kConfig.store_hint>(reinterpret_cast<Vector*>(output + least), vector);
    } else {
#pragma unroll
      for (u32 item = 0; item < kVectorItems; ++item)
        if (begin + item >= shift && begin + item < items + shift)
          scantune::store_global<kConfig.store_hint>(output + (begin + item - shift), vector.keys[item]);
    }
  }
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                                                       \
  SCANTUNE_KERNEL(count_keys, ::scantune::kCountThreads, 1) { ::scantune::count_keys<Problem, kConfig>(arguments); } \
  SCANTUNE_KERNEL(add_key_counts, ::scantune::kAddThreads, 1) {                                                      \
    ::scantune::add_key_counts<Problem, kConfig>(arguments);                                                         \
  }                                                                                                                  \
  SCANTUNE_KERNEL(fill, kConfig.block_threads, 1) { ::scantune::fill<Problem, kConfig>(arguments); }
