// The start of each digit among all items, from the counts of digits.
#pragma once

#include "core/parts/operators.h"
#include "core/parts/warp_scan.h"

namespace scantune {

// Returns each of the first kDigits threads of the CTA how many items have lower digits than its own, of which `count`
// items have it. Every thread calls, and the CTA's barrier comes before totals are used again.
template <u32 kDigits, class T>
SCANTUNE_DEVICE T items_of_lower_digits(T (&totals)[kWarpThreads], T count) {
  using Sum = OperatorOf<T, Operator::sum>;
  constexpr u32 kWarps = ceil_div(kDigits, u32{kWarpThreads});
  const u32 lane = thread_rank() % kWarpThreads, warp = thread_rank() / kWarpThreads;
  if (thread_rank() >= kDigits) count = 0;
  const T through = scantune::scan_by_kogge_stone<Sum, kWarpThreads, 2>(count, static_cast<i32>(lane));
  if constexpr (kWarps == 1) return through - count;
  if (lane == kWarpThreads - 1) totals[warp] = through;
  sync_block();
  T before = through - count;
#pragma unroll
  for (u32 other = 0; other + 1 < kWarps; ++other)
    if (other < warp) before += totals[other];
  return before;
}

}  // namespace scantune
