// Plain copies, by vectors and in bulk: the ceiling that a scan's bandwidth is held against. Not a family.
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

template <u32 kStageBytes, u32 kStages>
struct BulkCopyShared {
  alignas(16) unsigned char stages[kStages][kStageBytes];
  Barrier loaded[kStages];
};

// Copies arguments.n bytes, a multiple of 16, stage by stage through a ring in shared memory. Each CTA takes every
// block_count()-th stage; its one working thread issues all copies.
template <u32 kStageBytes, u32 kStages>
SCANTUNE_DEVICE void copy_bulk(const KernelArguments& arguments) {
  static_assert(kStages >= 2, "the store before the last may still be reading its stage");
  auto& shared = shared_memory<BulkCopyShared<kStageBytes, kStages>>();
  if (thread_rank() != 0) return;
  for (Barrier& loaded : shared.loaded) barrier_init(&loaded, 1);
  fence_barrier_init();

  const auto* input = static_cast<const unsigned char*>(arguments.input);
  auto* output = static_cast<unsigned char*>(arguments.output);
  const u64 stride = static_cast<u64>(block_count()) * kStageBytes;
  const u64 begin = static_cast<u64>(block_rank()) * kStageBytes;
  const auto bytes_at = [&](u64 offset) {
    const u64 left = arguments.n - offset;
    return left < kStageBytes ? static_cast<u32>(left) : kStageBytes;
  };
  const auto load = [&](u32 stage, u64 offset) {
    if (offset >= arguments.n) return;
    barrier_arrive_expecting(&shared.loaded[stage], bytes_at(offset));
    bulk_load(shared.stages[stage], input + offset, bytes_at(offset), &shared.loaded[stage]);
  };
  for (u32 stage = 0; stage < kStages; ++stage) load(stage, begin + stage * stride);

  u32 stage = 0, before = kStages - 1, phase = 0;
  for (u64 offset = begin; offset < arguments.n; offset += stride) {
    barrier_wait(&shared.loaded[stage], phase);
    bulk_store(output + offset, shared.stages[stage], bytes_at(offset));
    bulk_commit();
    // The store before the one just issued has had time to read its stage.
    bulk_wait_read<1>();
    if (offset != begin) load(before, offset + (kStages - 1) * stride);
    before = stage;
    if (++stage == kStages) {
      stage = 0;
      phase ^= 1;
    }
  }
  bulk_wait();
}

}  // namespace scantune
