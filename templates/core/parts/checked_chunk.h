// The chunk of an output that a thread checks, and its place in the workspace of the check.
#pragma once

#include "core/contract/check.h"
#include "core/machine/memory.h"

namespace scantune {

struct CheckedChunk {
  u64 index;
  u64 first;  // item
  u64 end;    // one past the last; no more than first where the thread has no chunk

  SCANTUNE_DEVICE static CheckedChunk of_thread(const KernelArguments& arguments) {
    const u64 index = static_cast<u64>(block_rank()) * kCheckThreads + thread_rank();
    const u64 first = index * kCheckedItems, end = first + kCheckedItems;
    return {index, first, end < arguments.n ? end : arguments.n};
  }

  SCANTUNE_DEVICE bool exists() const { return first < end; }

  // `wrong` is the index of the chunk's first wrong item, or its end.
  SCANTUNE_DEVICE void report(const KernelArguments& arguments, u64 wrong) const {
    auto* const counts = static_cast<unsigned char*>(arguments.workspace) + CheckWorkspace::of(arguments.n).counts();
    scantune::store_global<CacheHint::normal>(reinterpret_cast<u32*>(counts) + index, static_cast<u32>(wrong - first));
  }
};

template <class T>
SCANTUNE_DEVICE bool have_equal_bits(const T& one, const T& other) {
  unsigned char ones[sizeof(T)], others[sizeof(T)];
  scantune::copy_bytes(ones, __builtin_addressof(one), sizeof(T));
  scantune::copy_bytes(others, __builtin_addressof(other), sizeof(T));
  bool equal = true;
#pragma unroll
  for (u32 byte = 0; byte < sizeof(T); ++byte) equal = equal && ones[byte] == others[byte];
  return equal;
}

}  // namespace scantune
