// select_ring: selections of many items by persistent CTAs, on sm_90 and newer. Loads are under way while a CTA decides
// on a tile and while it stores one.
//
// One warp draws tiles from an atomic ticket and fills a ring of stages in shared memory by bulk copies, of items and
// of their flags. The others take a tile from its stage to registers, which frees the stage, decide, count, publish the
// count and compact the kept items in a buffer. Another warp adds up the counts of the tiles since the CTA's own last
// one. With look_ahead, later tiles are compacted in further buffers before the first of them is stored, so the CTA
// waits for others only where these are that much later.
//
// Only counts of single tiles travel between CTAs, and a CTA publishes one before it waits for any: a tile waits for
// lower ones alone, and the CTA of the lowest one that is not counted waits for none.
//
// Tiles begin on the boundaries of bulk copies, so the first one may have places before the first item. What fills no
// 16 bytes at either end of an array is loaded item by item. Where neighbours are compared, the vector before a tile
// comes along. A count is known only after its items are in shared memory, so the output may be the input.
#pragma once

#include "core/contract/pdl.h"
#include "core/contract/status_layout.h"
#include "select/config/select_tile.h"

namespace scantune {

struct SelectRingConfig {
  static constexpr StatusLayout status_layout = StatusLayout::packed;
  static constexpr CacheHint load_hint = CacheHint::normal;  // of values; items and flags come in bulk

  int block_threads = 384;    // threads that decide, compact and store; two more warps load and look back
  int items_per_thread = 16;  // items each of them decides on (batchSize)
  int vector_bytes = 16;      // width of a read from a stage; where it holds one item, votes count instead of shuffles
  int stages = 4;             // tiles in shared memory that are loaded, or being loaded
  int look_ahead = 3;         // tiles that are compacted before the one that is stored
  int ctas_per_sm = 1;        // persistent CTAs on each SM; the register budget lets as many fit
  int window = 192;           // counts of other tiles that one warp reads at once
  int poll_delay_ns = 0;      // sleep between unsuccessful polls
  CacheHint store_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains

  constexpr u64 tile_items() const { return static_cast<u64>(block_threads) * static_cast<u64>(items_per_thread); }

  constexpr bool operator==(const SelectRingConfig&) const = default;
};

// Bulk copies need boundaries of their own, whatever the width of a read.
constexpr int boundary_items(const SelectRingConfig&, const SelectRequest& request, Variant) {
  const int bytes = request.input_bytes();
  return kVectorAlignmentBytes % bytes == 0 ? kVectorAlignmentBytes / bytes : 1;
}

// Bytes of a stage where items are, after the vector before them where that is needed, and where flags are, which may
// begin between two boundaries.
constexpr u64 staged_item_bytes(const SelectRingConfig& config, const SelectRequest& request) {
  if (request.reads_flags() && !request.writes_items()) return 0;
  return config.tile_items() * static_cast<u64>(request.input_bytes()) +
         (compares_neighbours(request.criterion) ? u64{kVectorAlignmentBytes} : 0);
}
constexpr u64 stage_bytes(const SelectRingConfig& config, const SelectRequest& request) {
  const u64 flags =
      request.reads_flags() ? config.tile_items() * static_cast<u64>(request.flag_bytes()) + kVectorAlignmentBytes : 0;
  return staged_item_bytes(config, request) + flags;
}

// Stages, each with two barriers and an index; buffers, each with a tile, a barrier, an index, and the index and the
// counts of a tile to store; and the epoch.
constexpr int shared_bytes(const SelectRingConfig& config, const SelectRequest& request) {
  const u64 stages = static_cast<u64>(config.stages), buffers = static_cast<u64>(config.look_ahead) + 1;
  const u64 counted = static_cast<u64>(counted_parts(request));
  const u64 to_store = round_up(counted * (sizeof(u64) + sizeof(u32)) + sizeof(u32), sizeof(u64));
  const u64 of_stages = stage_bytes(config, request) + 2 * sizeof(u64) + sizeof(u32);
  const u64 of_buffers = static_cast<u64>(tile_shared_bytes(config, request)) + to_store + sizeof(u64) + sizeof(u32);
  return static_cast<int>(round_up(stages * of_stages + buffers * of_buffers + sizeof(u32), kVectorAlignmentBytes));
}

template <>
struct Family<SelectRingConfig> {
  static constexpr const char* kName = "select_ring";
  static constexpr const char* kConfigName = "SelectRingConfig";
  static constexpr const char* kHeader = "select/kernels/select_ring.h";
  static constexpr const char* const kKernels[] = {"select_ring"};
  static constexpr int kMostWindow = 640;  // so many still fit the registers

  // With the warps that load and look back.
  static constexpr int all_threads(const SelectRingConfig& config) { return config.block_threads + 2 * kWarpThreads; }

  static constexpr const char* unsupported_reason(const SelectRequest& request, int sm) {
    if (!limits_of(sm).has_bulk_copy) return "bulk copies need sm_90 or newer";
    if (request.load != Load::none) return "bulk copies bring items as they are in memory: no map of them";
    if (request.n > kMaxGridBlocks * kLeastSelectTileItems) return "more tiles than a grid has CTAs";
    if (request.rejected == Rejected::behind)
      return "the rejected items' place is known only when all items are counted, in one pass more";
    if (const char* reason = scantune::unsupported_reason(request)) return reason;
    const int bytes = request.input_bytes();
    if (kVectorAlignmentBytes % bytes != 0) return "items must fill 16-byte vectors";
    if (request.alignment_of(request.input_type) != bytes)
      return "items that are aligned to less than their size may cross the boundaries of bulk copies";
    return nullptr;
  }

  static constexpr int preference(const SelectRequest&, int) { return 0; }

  static constexpr SelectRingConfig default_config(const SelectRequest& request, int sm) {
    SelectRingConfig config;
    const int bytes = request.input_bytes();
    config.items_per_thread = bytes <= 2 ? 32 : bytes == 4 ? 16 : bytes == 8 ? 8 : 4;
    // Flags, and what is written beside items, take shared memory, too.
    if (!fits(config, request, sm)) {
      config.stages = 3;
      config.look_ahead = 2;
    }
    while (!fits(config, request, sm))
      config.block_threads = config.block_threads == 384 ? 256 : config.block_threads / 2;
    return config;
  }

  static constexpr const char* invalid_reason(const SelectRingConfig& config, const SelectRequest& request, int sm) {
    if (config.stages < 2 || config.stages > 8) return "stages must be between 2 and 8";
    // A stage is counted again only after its last tile was stored, so the warp that looks back has seen its count: a
    // barrier tells two phases apart, not three.
    if (config.look_ahead < 0 || config.look_ahead >= config.stages || config.look_ahead > 3)
      return "look_ahead must be between 0 and 3, and less than stages";
    if (const char* reason = invalid_select_tile_reason(config, request, sm)) return reason;
    if (all_threads(config) > kMaxBlockThreads)
      return "block_threads, and 64 that load and look back, must be at most 1024";
    if (config.window < kWarpThreads || config.window > kMostWindow || config.window % kWarpThreads != 0)
      return "window must be a multiple of 32 up to 640";
    if (config.poll_delay_ns < 0 || config.poll_delay_ns > 2000) return "poll_delay_ns must be between 0 and 2000";
    if (config.ctas_per_sm < 1 || config.ctas_per_sm > 4) return "ctas_per_sm must be between 1 and 4";
    if (config.ctas_per_sm * all_threads(config) > limits_of(sm).threads_per_sm)
      return "ctas_per_sm CTAs do not fit the threads of one SM";
    if (!fits(config, request, sm)) return "ctas_per_sm CTAs do not fit the shared memory of one SM";
    if (100 * descriptor_bytes(config.status_layout, published_bytes(request)) >
        config.tile_items() * static_cast<u64>(request.input_bytes()))
      return "a tile must hold 100 times the bytes of its status descriptor";
    return invalid_pdl_reason(config.pdl, 1, sm);
  }

  static constexpr int tile_items(const SelectRingConfig& config, const SelectRequest&) {
    return config.block_threads * config.items_per_thread;
  }

  // A count that others read: 32 bits of each part.
  static constexpr int published_bytes(const SelectRequest& request) {
    return counted_parts(request) * static_cast<int>(sizeof(u32));
  }

  static constexpr WorkspaceNeed workspace(const SelectRingConfig& config, const SelectRequest& request) {
    const int bytes = published_bytes(request);
    return {
        WorkspaceKind::packed_status, bytes,
        sizeof(WorkspaceHeader) + tiles(config, request, Variant::any) * descriptor_bytes(config.status_layout, bytes)};
  }

  // The first extent is the number of tiles.
  static constexpr LaunchList launches(const SelectRingConfig& config, const SelectRequest& request, Variant variant) {
    const u64 count = tiles(config, request, variant);
    Launch launch{.grid_blocks = static_cast<u32>(count),
                  .block_threads = all_threads(config),
                  .shared_bytes = shared_bytes(config, request),
                  .n = request.n,
                  .extents = {count},
                  .pdl = config.pdl != 0,
                  .persistent_ctas_per_sm = config.ctas_per_sm};
    tell_room(launch, request);
    LaunchList list;
    list.add(launch);
    return list;
  }

  // 1 KiB of each CTA's shared memory is the system's.
  static constexpr bool fits(const SelectRingConfig& config, const SelectRequest& request, int sm) {
    constexpr int kOfSystem = 1024;
    return config.ctas_per_sm * (shared_bytes(config, request) + kOfSystem) <=
           limits_of(sm).shared_bytes_per_block + kOfSystem;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SelectRingConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SelectRingConfig, block_threads, primary, 64, 128, 256, 384, 512, 768)
          .from_default_only(64, 128),
      SCANTUNE_PARAMETER(SelectRingConfig, items_per_thread, primary, 4, 8, 12, 16, 24, 32),
      SCANTUNE_PARAMETER(SelectRingConfig, vector_bytes, primary, 4, 8, 16).from_default_only(8),
      SCANTUNE_PARAMETER(SelectRingConfig, stages, primary, 3, 4, 6),
      SCANTUNE_PARAMETER(SelectRingConfig, look_ahead, primary, 0, 1, 2, 3),
      SCANTUNE_PARAMETER(SelectRingConfig, ctas_per_sm, primary, 1, 2, 3, 4),
      SCANTUNE_PARAMETER(SelectRingConfig, window, secondary, 128, 192, 320, 448, 576)
          .from_default_only(128, 192, 448, 576),
      SCANTUNE_PARAMETER(SelectRingConfig, poll_delay_ns, secondary, 0, 50, 200).from_default_only(50, 200),
      SCANTUNE_PARAMETER(SelectRingConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(SelectRingConfig, pdl, secondary, 0, 1).from_default_only(0),
  };
#endif
};

}  // namespace scantune
