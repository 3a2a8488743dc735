// Finds the first invalid offset of a load balance: offsets[0, segments] must ascend from 0 to n. A check, not a
// family.
#pragma once

#include "core/machine/status.h"
#include "core/parts/warp_reduce.h"
#include "load_balance/config/check_offsets.h"
#include "load_balance/parts/load_balance_problem.h"

namespace scantune {

template <class Problem>
struct OffsetsCheck {
  using Offset = typename Problem::Offset;

  SCANTUNE_DEVICE static u64 offset_at(const KernelArguments& arguments, u64 index) {
    return scantune::load_global<CacheHint::normal>(Problem::offsets(arguments) + index);
  }

  SCANTUNE_DEVICE static bool is_right(const KernelArguments& arguments, u64 index) {
    const u64 offset = offset_at(arguments, index);
    if (offset > arguments.n) return false;
    if (index == Problem::segments(arguments) && offset != arguments.n) return false;
    return index == 0 ? offset == 0 : offset_at(arguments, index - 1) <= offset;
  }

  // Raises the workspace's word, which was 0, to how many offsets there are from the first wrong one on.
  SCANTUNE_DEVICE static void check_offsets(const KernelArguments& arguments) {
    const u64 count = Problem::segments(arguments) + 1;
    u64 index = static_cast<u64>(block_rank()) * kOffsetCheckThreads + thread_rank();
    while (index < count && is_right(arguments, index)) index += static_cast<u64>(block_count()) * kOffsetCheckThreads;
    const u64 from_wrong = index < count ? count - index : 0;
    const u64 most = scantune::warp_reduce<OperatorOf<u64, Operator::max>>(from_wrong, thread_rank() % kWarpThreads);
    if (most == 0 || thread_rank() % kWarpThreads != 0) return;
    auto* const word = static_cast<u64*>(arguments.workspace);
    for (u64 found = scantune::load_relaxed_wide(word); found < most;) {
      const u64 before = compare_exchange(word, found, most);
      if (before == found) return;
      found = before;
    }
  }
};

}  // namespace scantune

#define SCANTUNE_INSTANTIATE_CHECK(Problem)                            \
  SCANTUNE_KERNEL(check_offsets, ::scantune::kOffsetCheckThreads, 1) { \
    ::scantune::OffsetsCheck<Problem>::check_offsets(arguments);       \
  }
