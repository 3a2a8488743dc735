// A plain vectorised copy: the ceiling that a scan's bandwidth is held against. Not a family.
#pragma once

#include "primitives/intrinsics.h"

namespace scantune {

struct alignas(16) CopyVector {
  u64 low, high;
};

// Copies arguments.n vectors. Each CTA copies kUnroll * kBlockThreads of them, all loads in flight before the first
// store.
template <int kBlockThreads, int kUnroll, CacheHint kHint>
SCANTUNE_DEVICE void copy_vectors(const KernelArguments& arguments) {
  const auto* input = static_cast<const CopyVector*>(arguments.input);
  auto* output = static_cast<CopyVector*>(arguments.output);
  const u64 first = static_cast<u64>(block_rank()) * (kBlockThreads * kUnroll) + thread_rank();

  CopyVector vectors[kUnroll];
#pragma unroll
  for (int step = 0; step < kUnroll; ++step)
    if (const u64 index = first + step * kBlockThreads; index < arguments.n)
      vectors[step] = load_global<kHint>(input + index);
#pragma unroll
  for (int step = 0; step < kUnroll; ++step)
    if (const u64 index = first + step * kBlockThreads; index < arguments.n)
      store_global<kHint>(output + index, vectors[step]);
}

}  // namespace scantune
