// select_two_pass: partitions into one array, and three parts of any number of items. One launch counts the parts of
// equal shares of the items. In a second one each CTA adds up the counts of the shares before its own, and of all, and
// stores its share tile by tile. No CTA waits for another, and each knows from the start how many items every part has,
// so the parts can be contiguous.
//
// A share is stored from its last tile on, which may still be in the L2 cache. Nothing is done in place: other shares
// would be overwritten before they are read. The first CTA writes the counts. Without items there is one empty tile,
// one launch, and counts of 0.
#pragma once

#include "select/config/select_tile.h"

namespace scantune {

struct SelectTwoPassConfig {
  int block_threads = 256;    // threads of a CTA
  int items_per_thread = 16;  // items each thread decides on at a time (batchSize)
  int vector_bytes = 16;      // width of a load; where it holds one item, votes count instead of shuffles
  int ctas_per_sm = 4;        // at most, each with one share; the register budget lets as many fit
  CacheHint count_hint = CacheHint::normal;  // of the loads of the first pass
  CacheHint load_hint = CacheHint::normal;   // of those of the second
  CacheHint store_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains

  constexpr u64 tile_items() const { return static_cast<u64>(block_threads) * static_cast<u64>(items_per_thread); }

  constexpr bool operator==(const SelectTwoPassConfig&) const = default;
};

// The most shares: every CTA reads the counts of all.
inline constexpr u64 kMostShares = 4096;

// After the tile: the totals of the warps for each counted part, and the items of each part up to the end of the share
// and in all.
constexpr int shared_bytes(const SelectTwoPassConfig& config, const SelectRequest& request) {
  return tile_shared_bytes(config, request) + counted_parts(request) * kWarpThreads * static_cast<int>(sizeof(u64)) +
         counted_parts(request) * kVectorAlignmentBytes;
}

template <>
struct Family<SelectTwoPassConfig> {
  static constexpr const char* kName = "select_two_pass";
  static constexpr const char* kConfigName = "SelectTwoPassConfig";
  static constexpr const char* kHeader = "select/kernels/select_two_pass.h";
  enum KernelIndex { kCountParts, kStoreParts };
  static constexpr const char* const kKernels[] = {"count_parts", "store_parts"};

  static constexpr const char* unsupported_reason(const SelectRequest& request, int) {
    if (request.may_be_in_place()) return "in place, a share's items would be written over before all are read";
    if (request.n > kMaxGridBlocks * kLeastSelectTileItems) return "more tiles than 31 bits count";
    return scantune::unsupported_reason(request);
  }

  // Lower than that of the family that reads the items only once.
  static constexpr int preference(const SelectRequest&, int) { return 0; }

  // Measured: tests/bench/selections.py. Few items are one tile, which needs one launch; some more go to many CTAs.
  static constexpr SelectTwoPassConfig default_config(const SelectRequest& request, int sm) {
    SelectTwoPassConfig config;
    const int bytes = request.input_bytes();
    config.items_per_thread = bytes <= 4 ? 16 : bytes == 8 ? 8 : bytes <= 16 ? 4 : 2;
    const bool is_simple = request.parts() == 2 && !request.reads_flags() && !compares_neighbours(request.criterion);
    const bool one_tile = request.n <= u64{16384} / static_cast<u64>(bytes), large = request.n > u64{1} << 18;
    if (!is_simple || kVectorAlignmentBytes % bytes != 0 || bytes > 8) {
      config.ctas_per_sm = 2;
    } else if (one_tile || (large && (bytes == 1 || (bytes >= 4 && request.n <= u64{1} << 22)))) {
      config.block_threads = 1024;
      config.items_per_thread = 16 / bytes;
      config.ctas_per_sm = bytes == 8 || (bytes == 1 && request.n > u64{1} << 21) ? 2 : 1;
    } else if (!large) {
      config.items_per_thread = 16 / bytes;
      config.ctas_per_sm = bytes == 4 || bytes == 8 ? 8 : 4;
    } else if (bytes == 2) {
      config.items_per_thread = 32;
    } else {
      config.block_threads = 512;
      config.ctas_per_sm = 2;
      config.load_hint = config.store_hint = CacheHint::streaming;
    }
    const int most_ctas = limits_of(sm).threads_per_sm / config.block_threads;
    if (config.ctas_per_sm > most_ctas) config.ctas_per_sm = most_ctas;
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const SelectTwoPassConfig& config, const SelectRequest& request, int sm) {
    if (const char* reason = invalid_select_tile_reason(config, request, sm)) return reason;
    if (config.ctas_per_sm < 1 || config.ctas_per_sm > limits_of(sm).threads_per_sm / config.block_threads)
      return "ctas_per_sm CTAs of block_threads threads do not fit one SM";
    return invalid_pdl_reason(config.pdl, 1, sm);
  }

  static constexpr int tile_items(const SelectTwoPassConfig& config, const SelectRequest&) {
    return config.block_threads * config.items_per_thread;
  }

  static constexpr u64 shares(const SelectTwoPassConfig& config, const SelectRequest& request, Variant variant) {
    const u64 count = tiles(config, request, variant);
    return count < kMostShares ? count : kMostShares;
  }

  // The counts of all shares. A single one needs no other's.
  static constexpr WorkspaceNeed workspace(const SelectTwoPassConfig& config, const SelectRequest& request) {
    const u64 count = shares(config, request, Variant::any);
    if (count == 1) return {};
    return {WorkspaceKind::scratch, 0, count * static_cast<u64>(counted_parts(request)) * sizeof(u64)};
  }

  static constexpr LaunchList launches(const SelectTwoPassConfig& config, const SelectRequest& request,
                                       Variant variant) {
    Launch launch{.grid_blocks = static_cast<u32>(shares(config, request, variant)),
                  .block_threads = config.block_threads,
                  .shared_bytes = shared_bytes(config, request),
                  .n = request.n,
                  .extents = {tiles(config, request, variant)},
                  .pdl = config.pdl != 0,
                  .persistent_ctas_per_sm = config.ctas_per_sm};
    tell_room(launch, request);
    LaunchList list;
    for (launch.kernel = launch.grid_blocks > 1 ? kCountParts : kStoreParts; launch.kernel <= kStoreParts;
         ++launch.kernel)
      list.add(launch);
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SelectTwoPassConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SelectTwoPassConfig, block_threads, primary, 64, 128, 256, 512, 1024).from_default_only(64),
      SCANTUNE_PARAMETER(SelectTwoPassConfig, items_per_thread, primary, 2, 4, 8, 12, 16, 24, 32, 64)
          .from_default_only(64),
      SCANTUNE_PARAMETER(SelectTwoPassConfig, vector_bytes, primary, 4, 8, 16),
      SCANTUNE_PARAMETER(SelectTwoPassConfig, ctas_per_sm, primary, 1, 2, 4, 6, 8),
      SCANTUNE_PARAMETER(SelectTwoPassConfig, count_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(SelectTwoPassConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(SelectTwoPassConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(SelectTwoPassConfig, pdl, secondary, 0, 1),
  };
#endif
};

}  // namespace scantune
