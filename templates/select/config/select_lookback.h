// select_lookback: selections that read their items once. Each CTA decides on a tile of items and publishes how many it
// keeps. While its first warp looks back for how many are kept before, the CTA compacts the kept items in shared
// memory, and stores them as one run; rejected items that are wanted are another.
//
// Counts of a vector's items are added up in fields of one word where they fit. Where a load brings one item, votes of
// the warp count. Indices and values are staged in the same memory, one after the other. The input is read once: one
// bit per item in registers tells which are kept. Neighbours are compared in registers; the first lane of a warp loads
// the one item that it lacks.
//
// In place, a tile publishes its count only once its items have arrived, since others may overwrite them as soon as
// they know it. Of three parts two are counted, and their counts share the published word, so there are fewer than 2^32
// items. Under Variant::any tiles begin on vector boundaries of the input, so the first tile has places before the
// first item. The last tile writes the count. Without items there is one empty tile, which writes 0.
#pragma once

#include "core/contract/look_back_rules.h"
#include "core/contract/status_layout.h"
#include "select/config/select_tile.h"

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

// After the tile: the number of items counted before it, its index and the epoch.
constexpr int shared_bytes(const SelectLookbackConfig& config, const SelectRequest& request) {
  constexpr u64 kIndexAndEpoch = 2 * sizeof(u32);
  const u64 before = static_cast<u64>(counted_parts(request)) * sizeof(u64);
  return tile_shared_bytes(config, request) +
         static_cast<int>(round_up(before + kIndexAndEpoch, kVectorAlignmentBytes));
}

template <>
struct Family<SelectLookbackConfig> {
  static constexpr const char* kName = "select_lookback";
  static constexpr const char* kConfigName = "SelectLookbackConfig";
  static constexpr const char* kHeader = "select/kernels/select_lookback.h";
  static constexpr const char* const kKernels[] = {"select_lookback"};

  static constexpr const char* unsupported_reason(const SelectRequest& request, int) {
    if (request.n > kMaxGridBlocks * kLeastSelectTileItems) return "more tiles than a grid has CTAs";
    if (request.rejected == Rejected::behind)
      return "the rejected items' place is known only when all items are counted, in one pass more";
    if (request.parts() == 3 && request.n >> 32 != 0)
      return "the counts of two parts share a word, and each has 32 bits of it: 2^32 items are too many";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const SelectRequest&, int) { return 1; }

  // Measured: tests/bench/selections.py. A tile of 32 KiB keeps memory busy while its CTA looks back, which is worth a
  // sleep before; flags, and few bytes of output, want more and smaller CTAs. Few items go to many CTAs.
  static constexpr SelectLookbackConfig default_config(const SelectRequest& request, int sm) {
    SelectLookbackConfig config;
    const int bytes = request.input_bytes();
    const bool flagged = request.reads_flags(), many = request.n >= u64{1} << 22;
    if (kVectorAlignmentBytes % bytes != 0) {
      config.items_per_thread = bytes <= 12 ? 8 : 4;
    } else if (request.n <= u64{1} << 18) {
      config.items_per_thread = bytes == 1 ? 16 : bytes <= 4 ? 8 : bytes == 8 ? 4 : 2;
      if (bytes == 4 && request.n > 2048 && request.n <= 4096) {  // one tile has nothing to look back for
        config.block_threads = 1024;
        config.items_per_thread = 4;
      }
      const int most = (bytes <= 2 ? 32 : 128 / bytes) / (request.keeps_rejected() && bytes > 1 ? 2 : 1);
      // Two polls read what all tiles count. Neighbours are compared across threads, which takes few items each.
      while (tiles(config, request, Variant::any) > 2 * static_cast<u64>(config.window) &&
             config.items_per_thread < most && !compares_neighbours(request.criterion))
        config.items_per_thread *= 2;
    } else if (bytes == 1) {
      config.block_threads = request.keeps_rejected() || !many ? 256 : 128;
      config.items_per_thread = config.block_threads == 256 ? 32 : 64;
      if (many && !flagged && !compares_neighbours(request.criterion))
        config.min_ctas_per_sm = request.keeps_rejected() && request.is_limited() ? 4 : 6;  // 6 would spill
    } else {
      config.items_per_thread = bytes == 2 ? 32 : 128 / bytes;
      if (request.keeps_rejected()) {
        if (!many) config.items_per_thread /= 2;
        if (many && bytes == 4) config.min_ctas_per_sm = 4;
      } else if (flagged && many && bytes == 4) {
        config.block_threads = 128;
        config.min_ctas_per_sm = 6;
      } else if (many && bytes == 8 && (flagged || compares_neighbours(request.criterion))) {
        config.min_ctas_per_sm = 4;
      } else if (many && !flagged) {
        config.first_delay_ns = 400;
      }
    }
    if (request.parts() == 3) {  // each item has two marks
      config.min_ctas_per_sm = 1;
      if (bytes < 4 && config.items_per_thread > 16) config.items_per_thread = 16;
      if (many && bytes == 4) config.items_per_thread = 32;
    }
    if (request.flag_bytes() > 1) {  // they are held beside the items
      config.min_ctas_per_sm = 1;
      while (config.items_per_thread * (bytes + request.flag_bytes()) > kMostHeldBytes) config.items_per_thread /= 2;
    }
    const int most_ctas = limits_of(sm).threads_per_sm / config.block_threads;
    if (config.min_ctas_per_sm > most_ctas) config.min_ctas_per_sm = most_ctas;
    if (request.forward_progress == ForwardProgress::documented) config.tile_order = TileOrder::ticket;
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const SelectLookbackConfig& config, const SelectRequest& request,
                                              int sm) {
    if (const char* reason = invalid_select_tile_reason(config, request, sm)) return reason;
    if (const char* reason = invalid_look_back_reason(config, request.forward_progress)) return reason;
    if (const char* reason = invalid_budget_reason(config.min_ctas_per_sm, config.block_threads, sm)) return reason;
    return invalid_pdl_reason(config.pdl, 2, sm);
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
    Launch launch{.grid_blocks = static_cast<u32>(tiles(config, request, variant)),
                  .block_threads = config.block_threads,
                  .shared_bytes = shared_bytes(config, request),
                  .n = request.n,
                  .pdl = config.pdl != 0,
                  .dispatch = config.tile_order == TileOrder::ticket ? Dispatch::any_order : Dispatch::in_order};
    tell_room(launch, request);
    LaunchList list;
    list.add(launch);
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
