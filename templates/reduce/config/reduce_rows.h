// reduce_rows: each CTA reduces rows of the input, one after another, each as reduce_block does. Of many shorter rows a
// group of neighbouring lanes reduces each, without shared memory or a barrier. Several CTAs reduce each of few long
// rows, an equal share each, and leave their partial results in the workspace; a second launch folds those of every
// row, in their order.
#pragma once

#include "reduce/config/share.h"

namespace scantune {

struct ReduceRowsConfig {
  int block_threads = 256;     // threads per CTA
  int threads_per_row = 1024;  // neighbouring threads that reduce a row: up to a warp, or if more all of the CTA
  int unroll = 2;              // vectors that a thread loads before it combines any
  int rows_per_block = 1;      // rows that a CTA reduces, or each group of it, one after another
  int blocks_per_row = 1;      // CTAs that reduce a row, at most: each has a tile of it or more
  CacheHint load_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains; 2: lets the next kernel
                // start before that one has ended
  static constexpr Deal deal = Deal::shares;  // or, where several CTAs reduce a row, as deal_of_rows() says

  constexpr bool has_groups() const { return threads_per_row <= kWarpThreads; }
  constexpr int rows_at_once() const { return has_groups() ? block_threads / threads_per_row : 1; }

  constexpr bool operator==(const ReduceRowsConfig&) const = default;
};

// The shares of a row, each of a CTA. Kernels compute this, too.
constexpr u32 shares_of_row(const ReduceRowsConfig& config, const ReduceRequest& request, u64 row_items) {
  if (config.blocks_per_row == 1) return 1;
  const u64 tiles = row_items / static_cast<u64>(tile_items_of(config, request));
  const u64 most = static_cast<u64>(config.blocks_per_row);
  return static_cast<u32>(tiles < 1 ? 1 : tiles < most ? tiles : most);
}

// Several CTAs take tiles of a row in turn, as those of a whole input do. An operator of the caller's own takes its
// items in order.
constexpr Deal deal_of_rows(const ReduceRowsConfig& config, const ReduceRequest& request) {
  return config.blocks_per_row > 1 && !is_custom(request.op) ? Deal::tiles : Deal::shares;
}

// The register budget. CTAs that share rows fill half of an SM's threads, so that enough vectors are on their way, if
// 64 registers hold those of a thread. Places of extremes and sources of the caller's take more.
constexpr int least_ctas_per_sm(const ReduceRowsConfig& config, const ReduceRequest& request) {
  const bool fits = config.unroll * unit_items(request) * request.input_bytes() <= 64 && request.partial_bytes() <= 8;
  const bool is_simple = !request.has_position() && !is_custom(request.op) && !has_maps(request);
  return config.blocks_per_row > 1 && fits && is_simple ? kMaxBlockThreads / config.block_threads : 1;
}

template <>
struct Family<ReduceRowsConfig> {
  static constexpr const char* kName = "reduce_rows";
  static constexpr const char* kConfigName = "ReduceRowsConfig";
  static constexpr const char* kHeader = "reduce/kernels/reduce_rows.h";
  enum KernelIndex { kReduceRows, kFoldRows };
  static constexpr const char* const kKernels[] = {"reduce_rows", "fold_rows"};
  static constexpr int kMostRowsPerBlock = 1024, kMostBlocksPerRow = 1024;

  static constexpr const char* unsupported_reason(const ReduceRequest& request, int) {
    if (request.segments != Segments::rows)
      return "reduce_rows has a result for every row, and the request has no rows";
    if (request.layout.is_strided() && request.layout.input.item != 1)
      return "reduce_rows takes rows whose items lie one behind the other: others are columns";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ReduceRequest&, int) { return 1; }

  // A CTA has as few warps as load a row at once. In longer rows it has fewer than fill an SM, which others share,
  // unless there are few rows. Rows are shared out where that saves a second launch, while a large GPU has room for
  // more CTAs and each of these has two tiles.
  static constexpr ReduceRowsConfig default_config(const ReduceRequest& request, int sm) {
    if (suit_groups(request)) return with_groups(request, sm);
    ReduceRowsConfig config{.block_threads = kWarpThreads, .unroll = 1, .pdl = limits_of(sm).has_pdl ? 1 : 0};
    const u64 items = row_items(request);
    const auto grow = [&](int& parameter, int most) {
      while (parameter < most && items > static_cast<u64>(tile_items(config, request))) parameter *= 2;
    };
    // Others than a plain total of vectors need more registers for each item, and take longer.
    const bool is_plain = !request.has_position() && !is_custom(request.op) && !has_maps(request) &&
                          items * static_cast<u64>(request.input_bytes()) % kVectorAlignmentBytes == 0;
    if (is_plain && !are_worth_sharing(request)) {
      grow(config.block_threads, 128);
      grow(config.unroll, request.input_bytes() == 8 ? 8 : 4);
      grow(config.block_threads, 256);
      grow(config.unroll, 8);
      if (request.rows <= kFewLongRows) grow(config.block_threads, 512);
      return config;
    }
    grow(config.block_threads, 256);
    grow(config.unroll, 4);
    if (invalid_partials_reason(config, request, static_cast<u64>(request.partial_bytes())) != nullptr) return config;
    const auto fit = [&](u64 blocks) {
      return request.rows * blocks <= kEnoughCtas &&
             items >= blocks * kFewestTiles * static_cast<u64>(tile_items(config, request));
    };
    while (config.blocks_per_row < 256 && fit(2 * static_cast<u64>(config.blocks_per_row))) config.blocks_per_row *= 2;
    if (config.blocks_per_row > 1 && !takes_small_ctas(request)) config.load_hint = CacheHint::streaming;
    return config;
  }

  static constexpr const char* invalid_reason(const ReduceRowsConfig& config, const ReduceRequest& request, int sm) {
    if (config.rows_per_block < 1 || config.rows_per_block > kMostRowsPerBlock)
      return "rows_per_block must be between 1 and 1024";
    if (config.blocks_per_row < 1 || config.blocks_per_row > kMostBlocksPerRow)
      return "blocks_per_row must be between 1 and 1024";
    if (const char* reason = invalid_share_reason(config, 1, request, sm)) return reason;
    if (const char* reason = invalid_group_reason(config, request)) return reason;
    if (config.blocks_per_row == 1) return nullptr;
    if (config.rows_per_block > 1) return "a CTA reduces several rows, or one of several shares of a row";
    if (folds(config, request) && shares(config, request) > kMaxGridBlocks)
      return "more shares of rows than a grid has CTAs";
    return invalid_partials_reason(config, request, static_cast<u64>(request.partial_bytes()));
  }

  // What the threads of a row load of it at once.
  static constexpr int tile_items(const ReduceRowsConfig& config, const ReduceRequest& request) {
    return tile_items_of(config, request) / config.rows_at_once();
  }

  static constexpr bool folds(const ReduceRowsConfig& config, const ReduceRequest& request) {
    return shares_of_row(config, request, row_items(request)) > 1;
  }

  // Shares of all rows.
  static constexpr u64 shares(const ReduceRowsConfig& config, const ReduceRequest& request) {
    return request.rows * shares_of_row(config, request, row_items(request));
  }

  static constexpr WorkspaceNeed workspace(const ReduceRowsConfig& config, const ReduceRequest& request) {
    if (!folds(config, request)) return {};
    return {WorkspaceKind::scratch, 0, shares(config, request) * static_cast<u64>(request.partial_bytes())};
  }

  // The extents are the items of a row, and the rows.
  static constexpr LaunchList launches(const ReduceRowsConfig& config, const ReduceRequest& request, Variant) {
    LaunchList list;
    Launch launch{.kernel = kReduceRows,
                  .grid_blocks = grid_for(ceil_div(shares(config, request), rows_of_block(config))),
                  .block_threads = config.block_threads,
                  .shared_bytes = config.has_groups() ? 0 : share_shared_bytes(request),
                  .n = request.n,
                  .extents = {row_items(request), request.rows},
                  .pdl = config.pdl != 0};
    list.add(launch);
    if (!folds(config, request)) return list;
    launch.kernel = kFoldRows;
    launch.grid_blocks = grid_for(request.rows);
    list.add(launch);
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ReduceRowsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ReduceRowsConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(ReduceRowsConfig, threads_per_row, primary, 1, 2, 4, 8, 16, 32, 1024).absent_means(1024),
      SCANTUNE_PARAMETER(ReduceRowsConfig, unroll, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(ReduceRowsConfig, rows_per_block, secondary, 1, 2, 4, 16),
      SCANTUNE_PARAMETER(ReduceRowsConfig, blocks_per_row, primary, 1, 2, 4, 8, 16, 32, 64, 128, 256)
          .from_default_only(2, 8, 32, 128)
          .absent_means(1),
      SCANTUNE_PARAMETER(ReduceRowsConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ReduceRowsConfig, pdl, secondary, 0, 1, 2),
  };
#endif

 private:
  static constexpr u64 kFewLongRows = 132;     // one for each SM of a large GPU
  static constexpr u64 kEnoughCtas = 4 * 132;  // for every SM of a large GPU to have some
  static constexpr u64 kFewestTiles = 2;       // of a share

  // Default configs of groups. A lane loads up to so many bytes of a row at once.
  static constexpr int kMostUnroll = 8, kMostLoadedBytes = 128;
  static constexpr u64 kFewRows = 256, kManyRows = 4096;
  static constexpr u64 kMostTurns = 4;  // of a warp in a row

  static constexpr int most_unroll(const ReduceRequest& request) {
    const int most = kMostLoadedBytes / (unit_items(request) * request.input_bytes());
    return most < 1 ? 1 : most < kMostUnroll ? most : kMostUnroll;
  }

  // Whether a second launch pays: fitted to rows of 3,000 to 65,536 items on an H200, as if a CTA read a hundredth of
  // what its memory gives, and a launch took as long as that for 224 KiB. Beside very long rows that launch is nothing.
  static constexpr bool are_worth_sharing(const ReduceRequest& request) {
    constexpr u64 kBytes = u64{224} << 10, kCtas = 100, kManyBytes = u64{2} << 20;
    const u64 bytes = row_items(request) * static_cast<u64>(request.input_bytes());
    return bytes >= kManyBytes || (request.rows < kCtas && bytes > kBytes * kCtas / (kCtas - request.rows));
  }

  // Rows that warps load at once are all on their way, however few they are. Longer ones take turns, which other rows
  // have to hide.
  static constexpr bool suit_groups(const ReduceRequest& request) {
    const u64 turn_items =
        static_cast<u64>(kWarpThreads) * static_cast<u64>(most_unroll(request) * unit_items(request));
    const u64 turns = ceil_div(row_items(request), turn_items);
    return turns <= 1 ? request.rows >= kFewRows : turns <= kMostTurns && request.rows >= kManyRows;
  }

  // A group loads a row at once, if a warp can. More lanes read more of a line of the cache at once, and more vectors
  // of each leave more rows to a warp.
  static constexpr ReduceRowsConfig with_groups(const ReduceRequest& request, int sm) {
    ReduceRowsConfig config{.threads_per_row = 1, .unroll = 1, .pdl = limits_of(sm).has_pdl ? 1 : 0};
    const int most = most_unroll(request), few = most < 4 ? most : 4;
    const auto fits = [&] { return row_items(request) <= static_cast<u64>(tile_items(config, request)); };
    while (config.threads_per_row < kWarpThreads && !fits())
      (config.unroll < few && config.unroll < config.threads_per_row ? config.unroll : config.threads_per_row) *= 2;
    while (2 * config.unroll <= most && !fits()) config.unroll *= 2;
    if (config.unroll == kMostUnroll) config.block_threads = 128;
    return config;
  }

  static constexpr const char* invalid_group_reason(const ReduceRowsConfig& config, const ReduceRequest& request) {
    const int threads = config.threads_per_row;
    if (threads < 1 || threads > kMaxBlockThreads || (threads & (threads - 1)) != 0)
      return "threads_per_row must be a power of two up to 1024";
    if (!config.has_groups()) return nullptr;
    if (config.blocks_per_row > 1)
      return "several CTAs share a row that no group reduces: threads_per_row must be 1024";
    return row_items(request) >> 31 != 0 ? "a group reduces rows of fewer than 2^31 items" : nullptr;
  }

  static constexpr u64 rows_of_block(const ReduceRowsConfig& config) {
    return static_cast<u64>(config.rows_at_once()) * static_cast<u64>(config.rows_per_block);
  }
};

}  // namespace scantune
