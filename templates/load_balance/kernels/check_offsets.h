// Finds the first invalid offset of a load balance: offsets[0, segments] must ascend from 0 to n. A check, not a
// family.
#pragma once

#include "core/parts/first_wrong.h"
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

  SCANTUNE_DEVICE static void check_offsets(const KernelArguments& arguments) {
    const u64 count = Problem::segments(arguments) + 1;
    scantune::find_first_wrong(arguments, count, count, [&](u64 index) { return is_right(arguments, index); });
  }
};

}  // namespace scantune

#define SCANTUNE_INSTANTIATE_CHECK(Problem)                            \
  SCANTUNE_KERNEL(check_offsets, ::scantune::kOffsetCheckThreads, 1) { \
    ::scantune::OffsetsCheck<Problem>::check_offsets(arguments);       \
  }
