// Finds the first wrong offset.
#pragma once

#include "core/contract/offset_check.h"
#include "core/machine/status.h"
#include "core/parts/warp_reduce.h"

namespace scantune {

// Raises the word to that, unless it is more.
SCANTUNE_DEVICE void raise_word(u64* word, u64 to) {
  for (u64 found = scantune::load_relaxed_wide(word); found < to;) {
    const u64 before = compare_exchange(word, found, to);
    if (before == found) return;
    found = before;
  }
}

// Raises the workspace's word, which was 0, to how many of `count` there are from the first wrong one on.
// is_right(index) is asked about the first `checked`.
SCANTUNE_DEVICE void find_first_wrong(const KernelArguments& arguments, u64 count, u64 checked, const auto& is_right) {
  u64 index = static_cast<u64>(block_rank()) * kOffsetCheckThreads + thread_rank();
  while (index < checked && is_right(index)) index += static_cast<u64>(block_count()) * kOffsetCheckThreads;
  const u64 from_wrong = index < checked ? count - index : 0;
  const u64 most = scantune::warp_reduce<OperatorOf<u64, Operator::max>>(from_wrong, thread_rank() % kWarpThreads);
  if (most == 0 || thread_rank() % kWarpThreads != 0) return;
  raise_word(static_cast<u64*>(arguments.workspace), most);
}

}  // namespace scantune
