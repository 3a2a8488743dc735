// The copy in bulk: one thread of a CTA issues asynchronous copies into shared memory and out of it.
#pragma once

#include "config/copy_bulk.h"
#include "primitives/copy_problem.h"

namespace scantune {

template <u32 kStageBytes, u32 kStages>
struct BulkCopyShared {
  alignas(16) unsigned char stages[kStages][kStageBytes];
  Barrier loaded[kStages];
};

// Copies `bytes`, a multiple of 16, stage by stage through a ring in shared memory. Each CTA takes every
// block_count()-th stage.
template <u32 kStageBytes, u32 kStages>
SCANTUNE_DEVICE void copy_stages(const unsigned char* input, unsigned char* output, u64 bytes) {
  static_assert(kStages >= 2, "the store before the last may still be reading its stage");
  auto& shared = shared_memory<BulkCopyShared<kStageBytes, kStages>>();
  for (Barrier& loaded : shared.loaded) barrier_init(&loaded, 1);
  fence_barrier_init();

  const u64 stride = static_cast<u64>(block_count()) * kStageBytes;
  const u64 begin = static_cast<u64>(block_rank()) * kStageBytes;
  const auto bytes_at = [&](u64 offset) {
    const u64 left = bytes - offset;
    return left < kStageBytes ? static_cast<u32>(left) : kStageBytes;
  };
  const auto load = [&](u32 stage, u64 offset) {
    if (offset >= bytes) return;
    barrier_arrive_expecting(&shared.loaded[stage], bytes_at(offset));
    bulk_load(shared.stages[stage], input + offset, bytes_at(offset), &shared.loaded[stage]);
  };
  for (u32 stage = 0; stage < kStages; ++stage) load(stage, begin + stage * stride);

  u32 stage = 0, before = kStages - 1, phase = 0;
  for (u64 offset = begin; offset < bytes; offset += stride) {
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

// Copies units by whole warps, from `first` on: what no bulk copy can.
template <class Problem>
SCANTUNE_DEVICE void copy_units(const KernelArguments& arguments, u64 first, u32 warp, u32 warps) {
  const u64 units = arguments.n / sizeof(typename Problem::Input);
  for (u64 index = first + warp * kWarpThreads + thread_rank(); index < units; index += u64{warps} * kWarpThreads)
    store_global<CacheHint::normal>(Problem::output(arguments) + index,
                                    load_global<CacheHint::normal>(Problem::input(arguments) + index));
}

// arguments.n: bytes.
template <class Problem, CopyBulkConfig kConfig>
SCANTUNE_DEVICE void copy_bulk(const KernelArguments& arguments) {
  if constexpr (Problem::kVariant == Variant::any) {
    scantune::copy_units<Problem>(arguments, 0, block_rank(), block_count());
  } else {
    const u64 whole = arguments.n / kVectorAlignmentBytes * kVectorAlignmentBytes;
    if (block_rank() == 0) scantune::copy_units<Problem>(arguments, whole / sizeof(typename Problem::Input), 0, 1);
    if (thread_rank() == 0)
      scantune::copy_stages<kConfig.stage_bytes, kConfig.stages>(static_cast<const unsigned char*>(arguments.input),
                                                                 static_cast<unsigned char*>(arguments.output), whole);
  }
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig) \
  SCANTUNE_KERNEL(copy_bulk, ::scantune::kWarpThreads, 1) { ::scantune::copy_bulk<Problem, kConfig>(arguments); }
