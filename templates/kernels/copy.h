// A plain vectorised copy: the ceiling that a scan's bandwidth is held against. Not a family.
#pragma once

#include "primitives/intrinsics.h"

namespace scantune {

struct alignas(16) CopyVector {
  u64 low, high;
};

// Reads arguments.source_offset vectors and writes arguments.n. Each CTA reads kReads * kBlockThreads of them and
// writes kWrites * kBlockThreads, all loads in flight before the first store. With as many on both sides it copies;
// else every vector read still enters one that is written, or the compiler would drop its load.
template <int kBlockThreads, int kReads, int kWrites, CacheHint kHint>
SCANTUNE_DEVICE void copy_vectors(const KernelArguments& arguments) {
  constexpr int kHeld = kReads < kWrites ? kReads : kWrites;
  const auto* input = static_cast<const CopyVector*>(arguments.input);
  auto* output = static_cast<CopyVector*>(arguments.output);
  const u64 first_read = static_cast<u64>(block_rank()) * (kBlockThreads * kReads) + thread_rank();
  const u64 first_write = static_cast<u64>(block_rank()) * (kBlockThreads * kWrites) + thread_rank();

  CopyVector held[kHeld] = {};
#pragma unroll
  for (int step = 0; step < kReads; ++step)
    if (const u64 index = first_read + step * kBlockThreads; index < arguments.source_offset) {
      const CopyVector vector = load_global<kHint>(input + index);
      held[step % kHeld].low ^= vector.low;
      held[step % kHeld].high ^= vector.high;
    }
#pragma unroll
  for (int step = 0; step < kWrites; ++step)
    if (const u64 index = first_write + step * kBlockThreads; index < arguments.n)
      store_global<kHint>(output + index, held[step % kHeld]);
}

}  // namespace scantune
