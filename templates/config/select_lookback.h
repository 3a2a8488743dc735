// select_lookback: one pass over the data. Each CTA decides on a tile of items, publishes how many it keeps, puts these
// together in shared memory while it looks back for how many are kept before, and stores them as one run.
#pragma once

#include "config/family.h"
#include "config/look_back.h"
#include "config/select.h"
#include "config/status_layout.h"
#include "config/tile.h"

namespace scantune {

struct SelectLookbackConfig {
  static constexpr StatusLayout status_layout = StatusLayout::packed;

  int block_threads = 256;    // threads of a CTA
  int items_per_thread = 16;  // items each thread decides on (batchSize)
  int vector_bytes = 16;      // width of a load; where it holds one item, votes count instead of shuffles
  int window = 32;            // descriptors read per poll of the look-back
  int first_delay_ns = 0;     // sleep before the first poll, so that it finds a prefix at once
  int poll_delay_ns = 0;      // sleep between unsuccessful polls
  TileOrder tile_order = TileOrder::block_index;
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int min_ctas_per_sm = 1;  // register budget: this many CTAs must fit one SM
  int pdl = 1;              // programmatic dependent launch: starts while the kernel before it drains

  constexpr u64 tile_items() const { return static_cast<u64>(block_threads) * static_cast<u64>(items_per_thread); }

  constexpr bool operator==(const SelectLookbackConfig&) const = default;
};

// Items that one load brings. Vectors begin on boundaries of the input; items that may lie across these come alone.
constexpr int vector_items(const SelectLookbackConfig& config, const SelectRequest& request, Variant variant) {
  const int bytes = request.input_bytes();
  const bool on_boundaries = variant == Variant::aligned || request.alignment_of(request.input_type) == bytes;
  return on_boundaries && config.vector_bytes % bytes == 0 ? config.vector_bytes / bytes : 1;
}

// Tiles of n items and at least one, which writes the count. Where vectors begin before the input, so does the first.
constexpr u64 tiles(const SelectLookbackConfig& config, const SelectRequest& request, Variant variant) {
  const int before = variant == Variant::aligned ? 0 : vector_items(config, request, variant) - 1;
  const u64 count = ceil_div(request.n + static_cast<u64>(before), config.tile_items());
  return count > 0 ? count : 1;
}

// The widest of what is put together of an item: the item itself, its index in the tile, or its value.
constexpr u64 staged_item_bytes(const SelectRequest& request) {
  u64 bytes = request.writes_items() ? static_cast<u64>(request.input_bytes()) : sizeof(u32);
  if (request.writes_indices() && bytes < sizeof(u32)) bytes = sizeof(u32);
  const u64 value = static_cast<u64>(request.value_bytes());
  return bytes < value ? value : bytes;
}

// Bytes of shared memory where a tile's kept items are put together, or their indices or values after them, and behind
// them the others, from a vector boundary on.
constexpr u64 staged_bytes(const SelectLookbackConfig& config, const SelectRequest& request) {
  return round_up(config.tile_items() * staged_item_bytes(request), kVectorAlignmentBytes) + kVectorAlignmentBytes;
}

constexpr int shared_bytes(const SelectLookbackConfig& config, const SelectRequest& request) {
  // How many each warp keeps, the items kept before, the tile's index and the epoch lie behind the staged items.
  return static_cast<int>(staged_bytes(config, request)) + kWarpThreads * static_cast<int>(sizeof(u32)) + 16;
}

template <>
struct Family<SelectLookbackConfig> {
  static constexpr const char* kName = "select_lookback";
  static constexpr const char* kConfigName = "SelectLookbackConfig";
  static constexpr const char* kHeader = "kernels/select_lookback.h";
  static constexpr const char* const kKernels[] = {"select_lookback"};
  static constexpr u64 kLeastTileItems = 64;
  static constexpr u64 kMostStagedByDefault = u64{32} << 10;

  static constexpr const char* unsupported_reason(const SelectRequest& request, int) {
    if (request.n > kMaxGridBlocks * kLeastTileItems) return "more tiles than a grid has CTAs";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const SelectRequest&, int) { return 1; }

  // A tile of some 16 KiB lets several CTAs of an SM load while others look back. Few items go to many CTAs.
  static constexpr SelectLookbackConfig default_config(const SelectRequest& request, int sm) {
    SelectLookbackConfig config;
    const int bytes = request.input_bytes();
    const bool few = request.n <= (u64{1} << 18);
    if (kVectorAlignmentBytes % bytes == 0) {
      config.items_per_thread = bytes == 1 ? 32 : bytes == 2 ? 24 : bytes == 4 ? 16 : bytes == 8 ? 8 : 4;
      if (few) config.items_per_thread = bytes == 1 ? 16 : bytes <= 4 ? 8 : bytes == 8 ? 4 : 2;
    } else {
      config.items_per_thread = bytes <= 12 ? 8 : 4;
    }
    // Wide values beside narrow items would leave no room for a second CTA, or on sm_75 for one.
    const int vector = vector_items(config, request, Variant::aligned);
    while (config.items_per_thread > vector && config.tile_items() * staged_item_bytes(request) > kMostStagedByDefault)
      config.items_per_thread -= vector;
    if (request.forward_progress == ForwardProgress::documented) config.tile_order = TileOrder::ticket;
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const SelectLookbackConfig& config, const SelectRequest& request,
                                              int sm) {
    const int threads = config.block_threads, items = config.items_per_thread, bytes = config.vector_bytes;
    if (threads < kWarpThreads || threads > kMaxBlockThreads || threads % kWarpThreads != 0)
      return "block_threads must be a multiple of 32 up to 1024";
    if (items < 1 || items > 64) return "items_per_thread must be between 1 and 64";
    if (items * (request.input_bytes() + request.value_bytes()) > 256)
      return "items_per_thread items, with their values, would not fit the registers of a thread";
    if (bytes != 4 && bytes != 8 && bytes != 16) return "vector_bytes must be 4, 8 or 16";
    if (items % vector_items(config, request, Variant::aligned) != 0)
      return "items_per_thread must be a multiple of the items in a vector";
    if (config.tile_items() < kLeastTileItems) return "a tile must hold at least 64 items";
    if (tiles(config, request, Variant::any) > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    if (const char* reason = invalid_look_back_reason(config, request.forward_progress)) return reason;
    if (config.min_ctas_per_sm < 1 || config.min_ctas_per_sm > limits_of(sm).threads_per_sm / threads)
      return "min_ctas_per_sm CTAs of block_threads threads do not fit one SM";
    if (config.pdl < 0 || config.pdl > 2) return "pdl must be 0, 1 or 2";
    if (config.pdl != 0 && !limits_of(sm).has_pdl) return "pdl needs sm_90 or newer";
    if (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block)
      return "the tile does not fit in shared memory";
    return nullptr;
  }

  static constexpr int tile_items(const SelectLookbackConfig& config, const SelectRequest&) {
    return config.block_threads * config.items_per_thread;
  }

  // A single tile waits for none, and publishes nothing.
  static constexpr WorkspaceNeed workspace(const SelectLookbackConfig& config, const SelectRequest& request) {
    const u64 most_tiles = tiles(config, request, Variant::any);
    if (most_tiles == 1) return {};
    return {WorkspaceKind::packed_status, sizeof(u64),
            sizeof(WorkspaceHeader) + most_tiles * descriptor_bytes(config.status_layout, sizeof(u64))};
  }

  static constexpr LaunchList launches(const SelectLookbackConfig& config, const SelectRequest& request,
                                       Variant variant) {
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(tiles(config, request, variant)),
              .block_threads = config.block_threads,
              .shared_bytes = shared_bytes(config, request),
              .n = request.n,
              .pdl = config.pdl != 0,
              .dispatch = config.tile_order == TileOrder::ticket ? Dispatch::any_order : Dispatch::in_order});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SelectLookbackConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SelectLookbackConfig, block_threads, primary, 64, 128, 256, 384, 512, 1024)
          .from_default_only(64, 1024),
      SCANTUNE_PARAMETER(SelectLookbackConfig, items_per_thread, primary, 2, 4, 8, 12, 16, 24, 32, 64)
          .from_default_only(64),
      SCANTUNE_PARAMETER(SelectLookbackConfig, vector_bytes, primary, 4, 8, 16),
      SCANTUNE_PARAMETER(SelectLookbackConfig, window, secondary, 8, 16, 32, 64),
      SCANTUNE_PARAMETER(SelectLookbackConfig, first_delay_ns, secondary, 0, 400, 1000, 1600),
      SCANTUNE_PARAMETER(SelectLookbackConfig, poll_delay_ns, secondary, 0, 300, 700),
      SCANTUNE_PARAMETER(SelectLookbackConfig, tile_order, primary, TileOrder::block_index, TileOrder::ticket),
      SCANTUNE_PARAMETER(SelectLookbackConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(SelectLookbackConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(SelectLookbackConfig, min_ctas_per_sm, secondary, 1, 2, 3, 4, 6),
      SCANTUNE_PARAMETER(SelectLookbackConfig, pdl, secondary, 0, 1, 2),
  };
#endif
};

}  // namespace scantune
