// reduce_columns: each CTA reduces a band of lines of some columns. A thread has neighbouring columns, whose items of a
// line it loads as one vector where they are one. Threads cover the columns side by side, as many as there is work for,
// and more threads, below one another, share the lines. With several bands, a second launch reduces their partial
// results in the same way.
//
// Built-in operators commute: threads below one another take lines in turn, so that few columns are read contiguously
// too. A custom operator sees its items in order: each thread takes consecutive lines, as it does for products of
// floats.
#pragma once

#include "core/contract/arch.h"
#include "core/contract/cta.h"
#include "core/contract/family.h"
#include "reduce/config/reduce.h"

namespace scantune {

struct ReduceColumnsConfig {
  int block_threads = 256;     // threads per CTA
  int columns_per_block = 32;  // columns of a CTA
  int columns_per_thread = 1;  // neighbouring columns of a thread: their items of a line are one vector
  int unroll = 8;              // lines that a thread loads before it combines any
  int band_lines = 1 << 14;    // lines that a CTA reduces
  CacheHint load_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains

  constexpr int lanes() const { return columns_per_block / columns_per_thread; }

  constexpr bool operator==(const ReduceColumnsConfig&) const = default;
};

// The threads of a CTA: lanes side by side, and segments below one another.
struct ColumnShape {
  int block_threads;
  int lanes;               // a power of two
  int columns_per_thread;  // of a lane
  int unroll;

  constexpr int segments() const { return block_threads / lanes; }
  constexpr int segments_of_warp() const { return lanes < kWarpThreads ? kWarpThreads / lanes : 1; }
  constexpr int groups() const { return segments() / segments_of_warp(); }  // segments of different warps

  constexpr bool operator==(const ColumnShape&) const = default;
};
constexpr ColumnShape shape_of_bands(const ReduceColumnsConfig& config) {
  return {config.block_threads, config.lanes(), config.columns_per_thread, config.unroll};
}
// Partial results are few: they are spread over more CTAs.
constexpr ColumnShape shape_of_folds(const ReduceColumnsConfig& config) {
  const int lanes = config.columns_per_block < kWarpThreads ? config.columns_per_block : kWarpThreads;
  return {config.block_threads, lanes, 1, 4};
}

// A total for each column of each thread whose warp has others below it. Segments of one warp exchange theirs in
// registers.
constexpr int shared_bytes(const ColumnShape& shape, const ReduceRequest& request) {
  const u64 totals = static_cast<u64>(shape.groups() == 1 ? 0 : shape.groups() * shape.lanes);
  return static_cast<int>(round_up(totals * static_cast<u64>(shape.columns_per_thread * request.partial_bytes()), 16));
}

// Whether vectors at the ends of lines may hold items of no column, whose totals nobody stores. Sources of the caller's
// see real items only.
constexpr bool may_take_others(const ReduceRequest& request) {
  return !is_custom(request.op) && request.ordered_by == OrderedBy::value && request.load == Load::none;
}
// Whether lines are cut at vector boundaries, wherever they begin.
constexpr bool cuts_lines(const ReduceColumnsConfig& config, const ReduceRequest& request) {
  return config.columns_per_thread > 1 && may_take_others(request);
}

template <>
struct Family<ReduceColumnsConfig> {
  static constexpr const char* kName = "reduce_columns";
  static constexpr const char* kConfigName = "ReduceColumnsConfig";
  static constexpr const char* kHeader = "reduce/kernels/reduce_columns.h";
  enum KernelIndex { kReduceBands, kFoldBands };
  static constexpr const char* const kKernels[] = {"reduce_bands", "fold_bands"};
  static constexpr int kMostColumnsPerThread = 16;
  static constexpr u64 kEnoughCtas = 1024;  // for every SM to have some, and none to wait long for the last

  static constexpr const char* unsupported_reason(const ReduceRequest& request, int) {
    if (request.segments != Segments::columns)
      return "reduce_columns has a result for every column, and the request has no columns";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ReduceRequest&, int) { return 1; }

  static constexpr ReduceColumnsConfig default_config(const ReduceRequest& request, int sm) {
    ReduceColumnsConfig config{.pdl = limits_of(sm).has_pdl};
    config.columns_per_thread = default_columns_per_thread(request);
    const u64 lines = column_items(request);
    const int line_bytes = config.columns_per_thread * request.input_bytes();
    config.unroll = 16;
    while (config.unroll > 1 && config.unroll * line_bytes > kLoadedBytes) config.unroll /= 2;
    // Short columns are loaded at once.
    while (lines <= 8 && static_cast<u64>(config.unroll) < lines && 2 * config.unroll * line_bytes <= kMostLoadedBytes)
      config.unroll *= 2;
    while (config.unroll > 1 && static_cast<u64>(config.unroll) / 2 >= lines) config.unroll /= 2;
    // Fewer than that many are asked about one by one.
    while (lines > 8 && static_cast<u64>(config.unroll) > lines) config.unroll /= 2;

    // Threads side by side cover the columns. Where that makes too few CTAs, fewer do, which still read whole sectors,
    // if each of those below one another gets enough lines.
    const u64 beside = ceil_div(request.columns, static_cast<u64>(config.columns_per_thread));
    int lanes = config.block_threads;
    while (lanes > 1 && static_cast<u64>(lanes) / 2 >= beside) lanes /= 2;
    const auto segments = [&] { return static_cast<u64>(config.block_threads / lanes); };
    const auto are_few = [&] { return ceil_div(beside, static_cast<u64>(lanes)) < kEnoughCtas; };
    const auto has_lines = [&] { return lines >= 4 * segments() * static_cast<u64>(config.unroll); };
    while (lanes * line_bytes >= 2 * kLeastReadBytes && are_few() && has_lines()) lanes /= 2;
    // Threads below one another read neighbours where those are in the same column.
    const auto reads_ahead = [&] { return segments() * static_cast<u64>(config.unroll) >= lines; };
    while (lanes > 1 && items_are_nearer(request) && !reads_ahead()) lanes /= 2;
    while (config.block_threads > 2 * kWarpThreads && segments() > 1 && segments() / 2 >= lines)
      config.block_threads /= 2;
    config.columns_per_block = lanes * config.columns_per_thread;

    // Bands are as high as leave enough of them, and give every thread lines to load at once.
    const u64 least_lines = segments() * static_cast<u64>(config.unroll);
    const auto is_high = [&] { return static_cast<u64>(config.band_lines) / 4 >= least_lines; };
    const auto is_too_low = [&] { return least_band_lines(request) > static_cast<u64>(config.band_lines); };
    config.band_lines = 1 << 20;
    while (config.band_lines > 64 && is_high() && blocks(config, request) < kEnoughCtas) config.band_lines /= 4;
    while (is_too_low() && bands(config, request) > 1) config.band_lines *= 4;
    return config;
  }

  static constexpr const char* invalid_reason(const ReduceColumnsConfig& config, const ReduceRequest& request, int sm) {
    const int threads = config.block_threads, columns = config.columns_per_thread, beside = config.columns_per_block;
    if (const char* reason = invalid_threads_reason(threads)) return reason;
    if (columns < 1 || columns > kMostColumnsPerThread || (columns & (columns - 1)) != 0)
      return "columns_per_thread must be 1, 2, 4, 8 or 16";
    if (columns != 1 && kVectorAlignmentBytes % (columns * request.input_bytes()) != 0)
      return "the items of columns_per_thread columns must be a vector of up to 16 bytes";
    if (beside < columns || (beside & (beside - 1)) != 0 || threads % (beside / columns) != 0)
      return "columns_per_block must be a power of two, by columns that the threads of a CTA share evenly";
    if (config.unroll < 1 || config.unroll > kMostLoadedBytes / (columns * request.input_bytes()))
      return "unroll must be at least 1, and would not fit the registers of a thread (at most 128 bytes of items)";
    if (config.band_lines < 1 || config.band_lines > 1 << 20) return "band_lines must be between 1 and 2^20";
    if (blocks(config, request) > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    if (bands(config, request) > 1 && static_cast<u64>(config.band_lines) < least_band_lines(request))
      return "a band must hold 100 times the bytes of its partial results";
    const int most_bytes = limits_of(sm).shared_bytes_per_block;
    if (shared_bytes(shape_of_bands(config), request) > most_bytes ||
        shared_bytes(shape_of_folds(config), request) > most_bytes)
      return "the totals of the threads do not fit in shared memory";
    return invalid_pdl_reason(config.pdl, 1, sm);
  }

  static constexpr int tile_items(const ReduceColumnsConfig& config, const ReduceRequest&) {
    return config.block_threads * config.unroll * config.columns_per_thread;
  }

  static constexpr u64 bands(const ReduceColumnsConfig& config, const ReduceRequest& request) {
    const u64 bands = ceil_div(column_items(request), static_cast<u64>(config.band_lines));
    return bands > 0 ? bands : 1;
  }

  // CTAs of a band, with as many columns before the first one as may be between a vector boundary and the lines' start.
  static constexpr u64 groups(const ReduceColumnsConfig& config, const ReduceRequest& request,
                              Variant variant = Variant::any) {
    return ceil_div(request.columns + most_lead(config, request, variant), static_cast<u64>(config.columns_per_block));
  }

  // CTAs of the grid.
  static constexpr u64 blocks(const ReduceColumnsConfig& config, const ReduceRequest& request,
                              Variant variant = Variant::any) {
    return bands(config, request) * groups(config, request, variant);
  }

  static constexpr WorkspaceNeed workspace(const ReduceColumnsConfig& config, const ReduceRequest& request) {
    const u64 many = bands(config, request);
    if (many == 1) return {};
    return {WorkspaceKind::scratch, 0, many * request.columns * static_cast<u64>(request.partial_bytes())};
  }

  // The extents are the columns, and the lines that have an item of every column.
  static constexpr LaunchList launches(const ReduceColumnsConfig& config, const ReduceRequest& request,
                                       Variant variant) {
    LaunchList list;
    Launch launch{.kernel = kReduceBands,
                  .grid_blocks = static_cast<u32>(blocks(config, request, variant)),
                  .block_threads = config.block_threads,
                  .shared_bytes = shared_bytes(shape_of_bands(config), request),
                  .n = request.n,
                  .extents = {request.columns, request.columns == 0 ? 0 : request.n / request.columns},
                  .pdl = config.pdl != 0};
    list.add(launch);
    if (bands(config, request) == 1) return list;
    launch.kernel = kFoldBands;
    launch.grid_blocks = static_cast<u32>(ceil_div(request.columns, static_cast<u64>(shape_of_folds(config).lanes)));
    launch.shared_bytes = shared_bytes(shape_of_folds(config), request);
    list.add(launch);
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ReduceColumnsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ReduceColumnsConfig, block_threads, primary, 64, 128, 256, 512, 1024)
          .from_default_only(64, 128, 1024),
      SCANTUNE_PARAMETER(ReduceColumnsConfig, columns_per_block, primary, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024,
                         2048, 4096)
          .from_default_only(1, 2, 4, 8, 2048, 4096),
      SCANTUNE_PARAMETER(ReduceColumnsConfig, columns_per_thread, primary, 1, 2, 4, 8, 16)
          .from_default_only(8, 16)
          .absent_means(1),
      SCANTUNE_PARAMETER(ReduceColumnsConfig, unroll, primary, 1, 2, 4, 8, 16).from_default_only(1, 2),
      SCANTUNE_PARAMETER(ReduceColumnsConfig, band_lines, primary, 1 << 6, 1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16,
                         1 << 18, 1 << 20)
          .from_default_only(1 << 6, 1 << 8, 1 << 18, 1 << 20),
      SCANTUNE_PARAMETER(ReduceColumnsConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ReduceColumnsConfig, pdl, secondary, 0, 1),
  };
#endif

 private:
  static constexpr int kMostLoadedBytes = 128;  // of registers for the items that a thread loads at once
  static constexpr int kLoadedBytes = 64;       // of those in default configs: threads of an SM hide the latency
  static constexpr int kLeastReadBytes = 128;   // of a line, by threads side by side
  static constexpr int kMostTotalBytes = 64;    // of registers for the totals of a thread in default configs

  // The workspace stays below 1 % of the input.
  static constexpr u64 least_band_lines(const ReduceRequest& request) {
    return ceil_div(100 * static_cast<u64>(request.partial_bytes()), static_cast<u64>(request.input_bytes()));
  }

  static constexpr int default_columns_per_thread(const ReduceRequest& request) {
    if (request.has_position() && column_items(request) == 1) return 1;  // all that takes time is to store indices
    int columns = request.load == Load::generated ? 1 : kMostColumnsPerThread;
    const auto fits = [&] {
      return kVectorAlignmentBytes % (columns * request.input_bytes()) == 0 &&
             columns * request.partial_bytes() <= kMostTotalBytes && are_vectors(request, columns);
    };
    while (columns > 1 && !fits()) columns /= 2;
    return columns;
  }

  // Whether the items of a column are closer together than the columns.
  static constexpr bool items_are_nearer(const ReduceRequest& request) {
    const Strides& strides = request.layout.input;
    const auto distance = [](i64 stride) {
      return stride < 0 ? 0 - static_cast<u64>(stride) : static_cast<u64>(stride);
    };
    return request.layout.is_strided() && distance(strides.item) < distance(strides.sequence);
  }

  // Columns between the vector boundary before the lines and the first one, at most. All lines begin as far past one.
  static constexpr u64 most_lead(const ReduceColumnsConfig& config, const ReduceRequest& request, Variant variant) {
    const i64 count = config.columns_per_thread;
    const Strides& strides = request.layout.input;
    if (!cuts_lines(config, request)) return 0;
    if (!request.layout.is_strided())
      return variant == Variant::aligned || request.columns % static_cast<u64>(count) != 0
                 ? 0
                 : static_cast<u64>(count - 1);
    if (strides.sequence != 1 || request.columns > request.layout.plane_sequences || strides.item % count != 0)
      return 0;
    return static_cast<u64>(variant == Variant::aligned ? (strides.first % count + count) % count : count - 1);
  }

  // Whether so many columns are vectors in every line, if the pointer is aligned. Neighbours may descend.
  static constexpr bool are_vectors(const ReduceRequest& request, int count) {
    const u64 columns = static_cast<u64>(count);
    if (!request.layout.is_strided()) return request.columns % columns == 0;
    const Strides& strides = request.layout.input;
    const bool has_planes = request.columns > request.layout.plane_sequences;
    const bool descends = strides.sequence == -1 && request.load == Load::none;  // maps take those one by one
    if (strides.sequence != 1 && !descends) return false;
    if (has_planes && (request.layout.plane_sequences % columns != 0 || strides.plane % count != 0)) return false;
    if (request.columns < columns || strides.item % count != 0) return false;
    if (!descends && !has_planes && may_take_others(request)) return true;  // cut at boundaries, wherever they begin
    return (strides.first - (descends ? count - 1 : 0)) % count == 0;
  }
};

}  // namespace scantune
