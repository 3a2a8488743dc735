// A kernel like those that a program runs between its scans, to time an isolated scan: it neither waits early nor lets
// its successor start early. It belongs to no family.
#pragma once

#include "core/machine/memory.h"

namespace scantune {

// Adds 1 to a word of each thread of the output.
template <int kBlockThreads>
SCANTUNE_DEVICE void touch_words(const KernelArguments& arguments) {
  u32* word =
      arguments.operand<u32>(OperandRole::output) + static_cast<u64>(block_rank()) * kBlockThreads + thread_rank();
  scantune::store_global<CacheHint::normal>(word, scantune::load_global<CacheHint::normal>(word) + 1u);
}

}  // namespace scantune
