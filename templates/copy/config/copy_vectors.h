// copy_vectors: every thread reads some vectors before it writes any, so that its reads are under way together. Where
// input and output differ in type it converts.
#pragma once

#include "copy/config/copy.h"
#include "core/contract/cta.h"
#include "core/contract/family.h"

namespace scantune {

struct CopyVectorsConfig {
  int block_threads = 256;  // threads per CTA
  int unroll = 4;           // vectors that a thread reads
  CacheHint hint = CacheHint::normal;

  constexpr bool operator==(const CopyVectorsConfig&) const = default;
};

// Units that one access moves: as many as fill a vector on the wider side.
constexpr int vector_units(const CopyRequest& request, Variant variant) {
  if (variant == Variant::any) return 1;
  if (!request.converts()) return kVectorAlignmentBytes / request.unit_bytes();
  const int in = request.input_bytes(), out = request.output_bytes();
  return kVectorAlignmentBytes / (in > out ? in : out);
}

// Units of a request. A unit is an item, or a part of one where nothing is converted.
constexpr u64 copied_units(const CopyRequest& request) {
  return request.converts() ? request.n : request.n * static_cast<u64>(request.input_bytes() / request.unit_bytes());
}

template <>
struct Family<CopyVectorsConfig> {
  static constexpr const char* kName = "copy_vectors";
  static constexpr const char* kConfigName = "CopyVectorsConfig";
  static constexpr const char* kHeader = "copy/kernels/copy_vectors.h";
  static constexpr const char* const kKernels[] = {"copy_vectors"};

  static constexpr const char* unsupported_reason(const CopyRequest& request, int) {
    if (request.layout.is_strided()) return "copy_vectors copies contiguous items, and these have strides";
    if (copied_units(request) > kMaxGridBlocks * kWarpThreads) return "more items than a grid has threads";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const CopyRequest&, int) { return 1; }

  // These values come from the winners on an H200. Data that L2 does not keep until it is read again need not stay
  // there.
  static constexpr CopyVectorsConfig default_config(const CopyRequest& request, int) {
    const u64 bytes = request.n * static_cast<u64>(request.input_bytes() + request.output_bytes());
    if (bytes < (u64{1} << 20)) return {.block_threads = 128, .unroll = 2};
    if (bytes <= (u64{1} << 24)) return {.block_threads = 128, .unroll = 4, .hint = CacheHint::streaming};
    return {.block_threads = request.converts() ? 128 : 256, .unroll = 1, .hint = CacheHint::streaming};
  }

  static constexpr const char* invalid_reason(const CopyVectorsConfig& config, const CopyRequest&, int) {
    if (const char* reason = invalid_threads_reason(config.block_threads)) return reason;
    if (config.unroll < 1 || config.unroll > 16) return "unroll must be between 1 and 16";
    return nullptr;
  }

  static constexpr int tile_items(const CopyVectorsConfig& config, const CopyRequest& request) {
    return config.block_threads * config.unroll * vector_units(request, Variant::aligned);
  }

  static constexpr WorkspaceNeed workspace(const CopyVectorsConfig&, const CopyRequest&) { return {}; }

  static constexpr LaunchList launches(const CopyVectorsConfig& config, const CopyRequest& request, Variant variant) {
    const u64 units = copied_units(request);
    const int units_per_block = config.block_threads * config.unroll * vector_units(request, variant);
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(ceil_div(units, static_cast<u64>(units_per_block))),
              .block_threads = config.block_threads,
              .n = units});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<CopyVectorsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(CopyVectorsConfig, block_threads, primary, 128, 256, 512),
      SCANTUNE_PARAMETER(CopyVectorsConfig, unroll, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(CopyVectorsConfig, hint, primary, CacheHint::normal, CacheHint::streaming),
  };
#endif
};

}  // namespace scantune
