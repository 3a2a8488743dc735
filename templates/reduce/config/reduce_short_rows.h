// reduce_short_rows: each CTA takes a tile of neighbouring whole rows, as many as fit, and brings all of it into shared
// memory at once, whatever the length of a row. There a group of neighbouring threads reduces each row. No workspace.
//
// Built-in operators commute: threads of a group read parts of a row in turn, each of as many items as divide the row,
// so that neighbouring groups read different banks. A custom operator sees its items in order: each thread takes a
// run of them.
#pragma once

#include "core/contract/arch.h"
#include "core/contract/cta.h"
#include "core/contract/family.h"
#include "reduce/config/reduce.h"

namespace scantune {

struct ReduceShortRowsConfig {
  int block_threads = 128;     // threads per CTA
  int vectors_per_thread = 4;  // that a thread loads before it puts any into shared memory; all of them are the tile
  int threads_per_row = 1;     // neighbouring threads that reduce a row
  int items_per_read = 1;      // that a thread reads at once from shared memory; they divide the row
  CacheHint load_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains; 2: lets the next kernel
                // start before that one has ended

  constexpr bool operator==(const ReduceShortRowsConfig&) const = default;
};

constexpr u64 tile_bytes(const ReduceShortRowsConfig& config) {
  return static_cast<u64>(config.block_threads) * static_cast<u64>(config.vectors_per_thread) * kVectorAlignmentBytes;
}

// Items of the longest row that fits a tile.
constexpr u64 most_row_items(const ReduceShortRowsConfig& config, const ReduceRequest& request) {
  return tile_bytes(config) / static_cast<u64>(request.input_bytes());
}

// The rows of a tile, at least one: so many that tiles are whole vectors, where there is room. Rows without items have
// a thread each, or a group. Kernels compute this, too, in 32 bits, which divide faster.
constexpr u32 rows_of_tile(const ReduceShortRowsConfig& config, const ReduceRequest& request, u64 row_items) {
  const u64 most_items = most_row_items(config, request);
  if (row_items == 0) return static_cast<u32>(config.block_threads / config.threads_per_row);
  if (row_items > most_items) return 1;
  const u32 rows = static_cast<u32>(most_items) / static_cast<u32>(row_items);
  const u32 bytes = static_cast<u32>(row_items) * static_cast<u32>(request.input_bytes());
  // Such a number of rows, a power of two, is whole vectors.
  const u32 whole = bytes % 16 == 0 ? 1 : bytes % 8 == 0 ? 2 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 8 : 16;
  return rows < whole ? rows : rows & (0 - whole);
}

// Whether vectors of the input are whole items, and items begin where vectors may. A map makes its items one by one.
constexpr bool fills_vectors(const ReduceRequest& request) {
  return request.load == Load::none && kVectorAlignmentBytes % request.input_bytes() == 0 &&
         request.alignment_of(request.input_type) == request.input_bytes();
}

// Items are as far past a vector boundary in shared memory as in global memory.
constexpr int shared_bytes(const ReduceShortRowsConfig& config, const ReduceRequest& request) {
  return static_cast<int>(tile_bytes(config)) + (fills_vectors(request) ? kVectorAlignmentBytes : 0);
}

template <>
struct Family<ReduceShortRowsConfig> {
  static constexpr const char* kName = "reduce_short_rows";
  static constexpr const char* kConfigName = "ReduceShortRowsConfig";
  static constexpr const char* kHeader = "reduce/kernels/reduce_short_rows.h";
  static constexpr const char* const kKernels[] = {"reduce_short_rows"};
  static constexpr u64 kMostRowItems = 2048;

  static constexpr const char* unsupported_reason(const ReduceRequest& request, int sm) {
    if (request.segments != Segments::rows)
      return "reduce_short_rows reduces rows, and the request is not divided into rows";
    if (request.layout.is_strided()) return "reduce_short_rows takes tiles of contiguous rows, and these have strides";
    if (row_items(request) > kMostRowItems) return "reduce_short_rows takes rows of up to 2048 items";
    if (const char* reason = scantune::unsupported_reason(request)) return reason;
    return invalid_reason(default_config(request, sm), request, sm);
  }

  // A CTA for each row takes twice as long for rows of 4000 bytes on an H200, and 140 times for rows of 24.
  static constexpr int preference(const ReduceRequest& request, int) {
    return row_items(request) * static_cast<u64>(request.input_bytes()) <= 4096 && request.rows >= 256 ? 2 : 0;
  }

  // On an H200 larger tiles are faster only where positions are compared. Where SMs would get none, tiles are smaller.
  // The smallest groups are taken that read different banks and leave few threads idle.
  static constexpr ReduceShortRowsConfig default_config(const ReduceRequest& request, int sm) {
    ReduceShortRowsConfig config{.vectors_per_thread = request.has_position() ? kMostVectors : 4,
                                 .pdl = limits_of(sm).has_pdl ? 1 : 0};
    const u64 length = row_items(request);
    while (most_row_items(config, request) < length && config.vectors_per_thread < kMostVectors)
      config.vectors_per_thread *= 2;
    while (most_row_items(config, request) < length && config.block_threads < 512) config.block_threads *= 2;
    const auto are_few = [&] { return tiles(config, request) < kEnoughTiles; };
    const auto fit_half = [&] { return most_row_items(config, request) >= 2 * length; };
    while (config.vectors_per_thread > 1 && are_few() && fit_half()) config.vectors_per_thread /= 2;
    while (config.block_threads > 64 && are_few() && fit_half()) config.block_threads /= 2;

    config.items_per_read = most_items_per_read(request);
    const u64 reads = length / static_cast<u64>(config.items_per_read);
    const u64 rows = rows_of_tile(config, request, length);
    const auto threads = [&] { return static_cast<u64>(config.threads_per_row); };
    // Groups whose rows begin in the same banks take turns. Two turns cost less than larger groups, and four cost less
    // than combining positions across lanes.
    const u64 turns = request.has_position() ? 4 : 2;
    const auto shares_banks = [&] { return turns * threads() < 8 && reads % (2 * turns * threads()) == 0; };
    const auto leaves_idle = [&] { return 2 * threads() * rows <= static_cast<u64>(config.block_threads); };
    while (config.threads_per_row < kWarpThreads && 2 * threads() <= reads && (shares_banks() || leaves_idle()))
      config.threads_per_row *= 2;
    return config;
  }

  static constexpr const char* invalid_reason(const ReduceShortRowsConfig& config, const ReduceRequest& request,
                                              int sm) {
    if (const char* reason = invalid_threads_reason(config.block_threads)) return reason;
    if (config.vectors_per_thread < 1 || config.vectors_per_thread > kMostVectors)
      return "vectors_per_thread must be between 1 and 8";
    const int threads = config.threads_per_row;
    if (threads < 1 || threads > kWarpThreads || (threads & (threads - 1)) != 0)
      return "threads_per_row must be a power of two up to 32";
    if (const char* reason = invalid_read_reason(config.items_per_read, request)) return reason;
    if (most_row_items(config, request) < row_items(request))
      return "block_threads and vectors_per_thread must hold a row";
    if (tiles(config, request) > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    if (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block)
      return "the tile does not fit in shared memory";
    return invalid_pdl_reason(config.pdl, 2, sm);
  }

  static constexpr int tile_items(const ReduceShortRowsConfig& config, const ReduceRequest& request) {
    return static_cast<int>(most_row_items(config, request));
  }

  static constexpr WorkspaceNeed workspace(const ReduceShortRowsConfig&, const ReduceRequest&) { return {}; }

  // The extents are the items of a row, and the rows.
  static constexpr LaunchList launches(const ReduceShortRowsConfig& config, const ReduceRequest& request, Variant) {
    LaunchList list;
    list.add({.grid_blocks = grid_for(tiles(config, request)),
              .block_threads = config.block_threads,
              .shared_bytes = shared_bytes(config, request),
              .n = request.n,
              .extents = {row_items(request), request.rows},
              .pdl = config.pdl != 0});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ReduceShortRowsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ReduceShortRowsConfig, block_threads, primary, 64, 128, 256, 512),
      SCANTUNE_PARAMETER(ReduceShortRowsConfig, vectors_per_thread, primary, 1, 2, 3, 4, 6, 8).from_default_only(3, 6),
      SCANTUNE_PARAMETER(ReduceShortRowsConfig, threads_per_row, primary, 1, 2, 4, 8, 16, 32),
      SCANTUNE_PARAMETER(ReduceShortRowsConfig, items_per_read, primary, 1, 2, 4, 8, 16),
      SCANTUNE_PARAMETER(ReduceShortRowsConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ReduceShortRowsConfig, pdl, secondary, 0, 1, 2),
  };
#endif

 private:
  static constexpr int kMostVectors = 8;        // of registers for what a thread loads at once
  static constexpr u64 kEnoughTiles = 2 * 132;  // for every SM of a large GPU to have some

  static constexpr u64 tiles(const ReduceShortRowsConfig& config, const ReduceRequest& request) {
    return ceil_div(request.rows, u64{rows_of_tile(config, request, row_items(request))});
  }

  // The rules of items that are read at once, as words of shared memory.
  static constexpr const char* invalid_read_reason(int items, const ReduceRequest& request) {
    if (items == 1) return nullptr;
    const int bytes = items * request.input_bytes();
    if (items < 1 || (items & (items - 1)) != 0 || bytes > kVectorAlignmentBytes)
      return "items_per_read must be a power of two, and its items at most a vector";
    if (is_custom(request.op)) return "an operator of the caller's own takes its items one by one: items_per_read is 1";
    if (bytes % static_cast<int>(sizeof(u32)) != 0 || request.alignment_of(request.input_type) != request.input_bytes())
      return "items_per_read items must be whole words";
    return row_items(request) % static_cast<u64>(items) != 0 ? "items_per_read must divide the items of a row"
                                                             : nullptr;
  }

  static constexpr int most_items_per_read(const ReduceRequest& request) {
    int items = kVectorAlignmentBytes;
    while (items > 1 && invalid_read_reason(items, request) != nullptr) items /= 2;
    return items;
  }
};

}  // namespace scantune
