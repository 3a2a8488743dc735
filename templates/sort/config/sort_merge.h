// sort_merge: stable sorts by a comparison of the caller's, which is all that is known of keys. Each CTA of sort_tiles
// sorts a tile: every thread its own keys in registers, by transpositions of neighbours, and then pairs of runs are
// merged through shared memory, where each thread finds its share by merge path (Green, McColl and Bader, "GPU merge
// path: a GPU merging algorithm", 2012). merge_runs merges pairs of runs likewise, from one copy of the keys into
// another, once for every doubling of the runs: two warps of a CTA find where its tile of the result begins and ends in
// both runs, each lane at a place of its own.
//
// No CTA waits for another. A payload moves once in each kernel: threads carry the places of keys in a tile, by which
// payloads are stored. The copies alternate so that the last merge writes the output; of an input that is consumed one
// copy is the input itself. A list of launches is short, so the first merging CTAs of very many keys merge groups of
// several tiles by themselves, one doubling after the other.
//
// Whatever less() says, a merge takes as many keys of each run as there are. If it is not an order, as < of NaNs,
// results are unspecified, and no access is out of bounds.
#pragma once

#include "core/contract/cta.h"
#include "core/contract/family.h"
#include "core/contract/work.h"
#include "sort/config/sort.h"

namespace scantune {

struct SortMergeConfig {
  int block_threads = 512;    // threads of a CTA that sorts a tile
  int items_per_thread = 17;  // keys of each of them (batchSize); odd: threads then use different banks
  int merge_threads = 256;    // threads of a CTA that merges
  int merge_items = 17;       // keys of each of them
  int local_doublings = 1;    // doublings of runs that a CTA of the first merge makes by itself
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int min_ctas_per_sm = 2;    // register budget: so many CTAs that sort must fit one SM
  int merge_ctas_per_sm = 4;  // the same for CTAs that merge
  int pdl = 1;                // programmatic dependent launch: starts while the kernel before it drains

  constexpr u64 tile_items() const { return static_cast<u64>(block_threads) * static_cast<u64>(items_per_thread); }
  constexpr u64 merge_tile_items() const { return static_cast<u64>(merge_threads) * static_cast<u64>(merge_items); }

  constexpr bool operator==(const SortMergeConfig&) const = default;
};

// Keys, and one more that is read and not used, or payloads that are loaded after them; and the places of keys.
constexpr u64 merged_tile_bytes(u64 items, const SortRequest& request) {
  const u64 keys = (items + 1) * static_cast<u64>(request.input_bytes());
  const u64 values = request.has_payload() ? items * static_cast<u64>(request.value_bytes()) : 0;
  const u64 places = request.has_payload() ? items * sizeof(u16) : sizeof(u16);
  return round_up(round_up(keys > values ? keys : values, kVectorAlignmentBytes) + places, kVectorAlignmentBytes);
}

// Where the runs of both keys begin and end in a tile that is merged.
inline constexpr u64 kSplitBytes = kVectorAlignmentBytes;

constexpr u64 tile_shared_bytes(const SortMergeConfig& config, const SortRequest& request) {
  return merged_tile_bytes(config.tile_items(), request);
}
constexpr u64 merge_shared_bytes(const SortMergeConfig& config, const SortRequest& request) {
  return merged_tile_bytes(config.merge_tile_items(), request) + kSplitBytes;
}

// What a launch is told, in the 64 bits of one extent. The other one is the length of the runs that it merges.
struct MergeLaunch {
  u32 doublings;  // of the runs in this launch; 0 in the one that makes runs
  u32 left;       // in later ones. Where it is even, the output's copy is written

  constexpr u64 packed() const { return u64{left} << 32 | doublings; }
  static constexpr MergeLaunch unpacked(u64 bits) { return {static_cast<u32>(bits), static_cast<u32>(bits >> 32)}; }
};

// Copies in the workspace, in bytes from its start. Where keys are not put out, one that stands for the output comes
// first. A copy that the sort does not have here takes no bytes.
struct MergeLayout {
  u64 other_keys;
  u64 payload;
  u64 end;
};

template <>
struct Family<SortMergeConfig> {
  static constexpr const char* kName = "sort_merge";
  static constexpr const char* kConfigName = "SortMergeConfig";
  static constexpr const char* kHeader = "sort/kernels/sort_merge.h";
  enum KernelIndex { kSortTiles, kMergeRuns };
  static constexpr const char* const kKernels[] = {"sort_tiles", "merge_runs"};
  static constexpr u64 kLeastTileItems = 128;  // of every default config
  static constexpr u64 kMostMerges = LaunchList::kCapacity - 1;

  static constexpr const char* unsupported_reason(const SortRequest& request, int) {
    if (!request.is_by_source()) return "its kernels compare keys by a less of the caller's: pass one";
    if (const char* reason = scantune::unsupported_reason(request)) return reason;
    if (request.n / kLeastTileItems > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    return nullptr;
  }

  static constexpr int preference(const SortRequest&, int) { return 1; }

  static constexpr SortMergeConfig default_config(const SortRequest& request, int sm) {
    SortMergeConfig config;
    // So many that registers hold them, of which bytes take one each, and that shared memory has room for several CTAs.
    const int key_bytes = request.input_bytes(), value_bytes = request.has_payload() ? request.value_bytes() : 0;
    const bool is_in_bytes = request.input_type == ValueType::custom && request.custom_alignment < 4;
    int items = key_bytes <= 4 ? 17 : key_bytes <= 8 ? 11 : key_bytes <= 16 ? 7 : 5;
    if (is_in_bytes && key_bytes > 4) items = key_bytes <= 8 ? 7 : key_bytes <= 16 ? 3 : 1;
    const int most = value_bytes <= 8 ? 17 : value_bytes <= 16 ? 11 : 7;
    if (items > most) items = most;
    // Few keys go to many CTAs. This and the threads of merges were measured on an H200.
    const int few = request.n <= u64{1} << 15 ? 5 : request.n <= u64{1} << 18 ? 7 : request.n <= u64{1} << 21 ? 11 : 17;
    config.items_per_thread = config.merge_items = items < few ? items : few;
    if (request.n <= u64{1} << 18) config.block_threads = 256;
    if (request.n <= u64{1} << 18 || items == 17) {
      config.merge_threads = 128;
      config.merge_ctas_per_sm = 8;
    } else if (!is_in_bytes && value_bytes == 0 && key_bytes == 8 && request.n > u64{1} << 21) {
      config.items_per_thread = config.merge_items = 15;
      config.merge_threads = 256;
      config.merge_ctas_per_sm = 6;
    } else if (!is_in_bytes && key_bytes <= 12 && value_bytes <= 8 && request.n > u64{1} << 21) {
      config.merge_ctas_per_sm = 6;
    }
    if (!is_in_bytes && value_bytes == 0 && key_bytes <= 4 && request.n > u64{1} << 21) {
      if (limits_of(sm).threads_per_sm >= 2048) config.block_threads = 1024;
      config.merge_threads = 256;
      config.merge_items = 15;
    }
    const u64 most_bytes = static_cast<u64>(limits_of(sm).shared_bytes_per_block);
    while (tile_shared_bytes(config, request) > most_bytes) config.block_threads /= 2;
    while (merge_shared_bytes(config, request) > most_bytes) config.merge_threads /= 2;
    const int most_ctas = limits_of(sm).threads_per_sm / config.merge_threads;
    if (config.merge_ctas_per_sm > most_ctas) config.merge_ctas_per_sm = most_ctas;
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const SortMergeConfig& config, const SortRequest& request, int sm) {
    if (const char* reason = invalid_threads_reason(config.block_threads)) return reason;
    if (config.merge_threads < kWarpThreads || config.merge_threads > kMaxBlockThreads ||
        config.merge_threads % kWarpThreads != 0)
      return "merge_threads must be a multiple of 32 up to 1024";
    if (config.items_per_thread < 1 || config.items_per_thread > 32) return "items_per_thread must be between 1 and 32";
    if (config.merge_items < 1 || config.merge_items > 32) return "merge_items must be between 1 and 32";
    if (config.local_doublings < 1 || config.local_doublings > 16) return "local_doublings must be between 1 and 16";
    if (const char* reason = invalid_budget_reason(config.min_ctas_per_sm, config.block_threads, sm)) return reason;
    if (config.merge_ctas_per_sm < 1 || config.merge_ctas_per_sm > limits_of(sm).threads_per_sm / config.merge_threads)
      return "merge_ctas_per_sm CTAs of merge_threads threads do not fit one SM";
    if (const char* reason = invalid_pdl_reason(config.pdl, 1, sm)) return reason;
    const u64 least = config.tile_items() < config.merge_tile_items() ? config.tile_items() : config.merge_tile_items();
    if (ceil_div(request.n, least) > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    const u64 most = static_cast<u64>(limits_of(sm).shared_bytes_per_block);
    if (tile_shared_bytes(config, request) > most) return "the tile does not fit in shared memory";
    if (merge_shared_bytes(config, request) > most) return "the tile that is merged does not fit in shared memory";
    return nullptr;
  }

  static constexpr int tile_items(const SortMergeConfig& config, const SortRequest&) {
    return static_cast<int>(config.tile_items());
  }

  static constexpr u64 doublings(const SortMergeConfig& config, const SortRequest& request) {
    return ceil_log2(ceil_div(request.n, config.tile_items()));
  }

  static constexpr MergeLayout layout(const SortMergeConfig& config, const SortRequest& request) {
    const u64 all = doublings(config, request);
    if (all == 0) return {};
    const u64 key_bytes = round_up(request.n * static_cast<u64>(request.input_bytes()), kVectorAlignmentBytes);
    MergeLayout layout{};
    layout.other_keys = request.writes_keys() || all == 1 ? 0 : key_bytes;
    layout.payload = layout.other_keys + (request.consumes_input() ? 0 : key_bytes);
    layout.end = layout.payload;
    if (request.has_payload() && !(request.has_values() && request.consumes_input()))
      layout.end += request.n * static_cast<u64>(request.value_bytes());
    return layout;
  }

  static constexpr WorkspaceNeed workspace(const SortMergeConfig& config, const SortRequest& request) {
    const u64 bytes = layout(config, request).end;
    if (bytes == 0) return {};
    return {WorkspaceKind::scratch, 0, bytes};
  }

  static constexpr LaunchList launches(const SortMergeConfig& config, const SortRequest& request, Variant) {
    const MergeLayout copies = layout(config, request);
    const u64 all = doublings(config, request), tile = config.tile_items();
    MergeLaunch told{.doublings = 0, .left = static_cast<u32>(all)};
    LaunchList list;
    list.add({.kernel = kSortTiles,
              .grid_blocks = static_cast<u32>(ceil_div(request.n, tile)),
              .block_threads = config.block_threads,
              .shared_bytes = static_cast<int>(tile_shared_bytes(config, request)),
              .n = request.n,
              .extents = {tile, told.packed()},
              .scratch = {copies.other_keys, copies.payload},
              .pdl = config.pdl != 0});
    u64 run = tile;
    // The list has room for so many merges, whatever the config.
    u64 next = static_cast<u64>(config.local_doublings);
    if (all > kMostMerges && next <= all - kMostMerges) next = all - kMostMerges + 1;
    for (u64 left = all; left > 0 && list.count < LaunchList::kCapacity; next = 1) {
      if (next > left) next = left;
      left -= next;
      told = {static_cast<u32>(next), static_cast<u32>(left)};
      list.add({.kernel = kMergeRuns,
                .grid_blocks = static_cast<u32>(merging_ctas(config, request.n, run, next)),
                .block_threads = config.merge_threads,
                .shared_bytes = static_cast<int>(merge_shared_bytes(config, request)),
                .n = request.n,
                .extents = {run, told.packed()},
                .scratch = {copies.other_keys, copies.payload},
                .pdl = config.pdl != 0});
      run <<= next;
    }
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SortMergeConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SortMergeConfig, block_threads, primary, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(SortMergeConfig, items_per_thread, primary, 1, 3, 5, 7, 11, 15, 17, 21),
      SCANTUNE_PARAMETER(SortMergeConfig, merge_threads, primary, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(SortMergeConfig, merge_items, secondary, 1, 3, 5, 7, 11, 15, 17, 21),
      SCANTUNE_PARAMETER(SortMergeConfig, local_doublings, secondary, 1, 2, 3, 4),
      SCANTUNE_PARAMETER(SortMergeConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(SortMergeConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(SortMergeConfig, min_ctas_per_sm, secondary, 1, 2, 3, 4),
      SCANTUNE_PARAMETER(SortMergeConfig, merge_ctas_per_sm, secondary, 1, 2, 3, 4, 5, 6, 8),
      SCANTUNE_PARAMETER(SortMergeConfig, pdl, secondary, 0, 1),
  };
#endif

 private:
  // A CTA has a tile of a merge, or where it makes several doublings a group of runs.
  static constexpr u64 merging_ctas(const SortMergeConfig& config, u64 n, u64 run, u64 doublings) {
    const u64 group = run << doublings, tile = config.merge_tile_items();
    return doublings > 1 ? ceil_div(n, group) : n / group * ceil_div(group, tile) + ceil_div(n % group, tile);
  }
};

}  // namespace scantune
