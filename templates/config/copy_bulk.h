// copy_bulk: persistent CTAs copy through a ring of stages in shared memory, asynchronously.
#pragma once

#include "config/copy.h"
#include "config/family.h"
#include "config/tile.h"

namespace scantune {

struct CopyBulkConfig {
  int stage_bytes = 16384;
  int stages = 12;
  int ctas_per_sm = 1;

  constexpr bool operator==(const CopyBulkConfig&) const = default;
};

constexpr int shared_bytes(const CopyBulkConfig& config) {
  constexpr int kBarrierBytes = 8;
  return config.stages * (config.stage_bytes + kBarrierBytes);
}

template <>
struct Family<CopyBulkConfig> {
  static constexpr const char* kName = "copy_bulk";
  static constexpr const char* kConfigName = "CopyBulkConfig";
  static constexpr const char* kHeader = "kernels/copy_bulk.h";
  static constexpr const char* const kKernels[] = {"copy_bulk"};
  static constexpr u64 kManyBytes = u64{1} << 25;  // from here on it is faster than copies by vectors, on an H200

  static constexpr const char* unsupported_reason(const CopyRequest& request, int sm) {
    if (!limits_of(sm).has_bulk_copy) return "bulk copies need sm_90 or newer";
    if (request.converts()) return "bulk copies convert nothing";
    if (request.n > (kMaxGridBlocks << 8) / kMaxValueBytes) return "more bytes than a grid has stages";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const CopyRequest& request, int) {
    return request.n * static_cast<u64>(request.input_bytes()) >= kManyBytes ? 2 : 0;
  }

  static constexpr CopyBulkConfig default_config(const CopyRequest&, int sm) {
    CopyBulkConfig config;
    while (invalid_reason(config, {}, sm) != nullptr) config.stages -= 2;
    return config;
  }

  static constexpr const char* invalid_reason(const CopyBulkConfig& config, const CopyRequest&, int sm) {
    constexpr int kReservedBytes = 1024;  // of each CTA, by the system
    if (config.stage_bytes < 256 || config.stage_bytes > 65536 || config.stage_bytes % kVectorAlignmentBytes != 0)
      return "stage_bytes must be a multiple of 16 from 256 to 65536";
    if (config.stages < 2 || config.stages > 32) return "stages must be between 2 and 32";
    if (config.ctas_per_sm < 1 || config.ctas_per_sm > 16) return "ctas_per_sm must be between 1 and 16";
    if (config.ctas_per_sm * (shared_bytes(config) + kReservedBytes) >
        limits_of(sm).shared_bytes_per_block + kReservedBytes)
      return "so many stages of so many CTAs do not fit in the shared memory of an SM";
    return nullptr;
  }

  static constexpr int tile_items(const CopyBulkConfig& config, const CopyRequest& request) {
    return ceil_div(config.stage_bytes, request.input_bytes());
  }

  static constexpr WorkspaceNeed workspace(const CopyBulkConfig&, const CopyRequest&) { return {}; }

  static constexpr LaunchList launches(const CopyBulkConfig& config, const CopyRequest& request, Variant) {
    const u64 bytes = request.n * static_cast<u64>(request.input_bytes());
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(ceil_div(bytes, static_cast<u64>(config.stage_bytes))),
              .block_threads = kWarpThreads,
              .shared_bytes = shared_bytes(config),
              .n = bytes,
              .persistent_ctas_per_sm = config.ctas_per_sm});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<CopyBulkConfig> kParameters[] = {
      SCANTUNE_PARAMETER(CopyBulkConfig, stage_bytes, primary, 4096, 8192, 16384, 32768),
      SCANTUNE_PARAMETER(CopyBulkConfig, stages, primary, 6, 12),
      SCANTUNE_PARAMETER(CopyBulkConfig, ctas_per_sm, primary, 1, 2, 4),
  };
#endif
};

}  // namespace scantune
