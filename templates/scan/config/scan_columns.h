// scan_columns: each CTA scans a tile of lines x columns. Every thread scans consecutive items of a column, or of a few
// neighbouring columns (columns_per_thread), in registers. The threads of a warp read neighbouring columns, and the
// items of several columns of one line are one vector. Threads of the same columns share their totals, which are
// scanned down the tile in shared memory.
//
// The carry of each column comes by decoupled look-back over the bands: the lines of one tile. Each column has a status
// descriptor per band; from 2^22 items on descriptors take at most an eighth of the input's bytes. Requests of one band
// need no descriptors. Few columns make lines too short for whole sectors: there a tile has all columns, is contiguous,
// and is staged through shared memory (columns_per_block 0).
//
// Lines of small items begin anywhere in a word where their number is odd. There (shifted_words) a thread makes its
// word of two aligned ones, and stores an aligned one of its results and its neighbour's. Each plane begins with a
// thread's first column. Tiles of dense lines overlap by a word at each side, so that all words have their neighbours:
// the first thread of a line scans columns of the tile before, or the ends of the lines before, and the last one only
// loads. A scan in place stores these tiles item by item, because others may have overwritten the items of its
// neighbours.
//
// Where results must not depend on timing, a carry is always that of the band above combined with what that band adds,
// so every run gives the same bits.
#pragma once

#include "core/contract/family.h"
#include "core/contract/status_layout.h"
#include "core/contract/tile_order.h"
#include "scan/config/scan.h"
#include "scan/config/tile.h"

namespace scantune {

struct ScanColumnsConfig {
  int block_threads = 256;     // threads of a CTA
  int items_per_thread = 16;   // consecutive items of a column that each thread scans in registers (batchSize)
  int columns_per_thread = 1;  // neighbouring columns of a thread: their items of a line are one vector
  int columns_per_block = 32;  // columns of a tile; 0: all of them, and tiles pass through shared memory as runs
  int shifted_words = 0;       // 1: a thread's items of a line are a word, wherever in aligned words it begins
  int window = 32;             // bands above that are polled at once, as far as there are threads below one another
  int first_delay_ns = 0;      // sleep before the first poll, so that it finds a prefix at once
  int poll_delay_ns = 0;       // sleep between unsuccessful polls
  TileOrder tile_order = TileOrder::block_index;
  StatusLayout status_layout = StatusLayout::packed;
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int min_ctas_per_sm = 1;  // register budget: this many CTAs must fit one SM
  int pdl = 1;              // programmatic dependent launch: starts while the kernel before it drains

  constexpr bool is_staged() const { return columns_per_block == 0; }
  // Threads side by side, a power of two.
  constexpr int lanes(u64 columns) const {
    if (!is_staged()) return columns_per_block / columns_per_thread;
    int lanes = 1;
    while (lanes < kWarpThreads && static_cast<u64>(lanes) < columns) lanes *= 2;
    return lanes;
  }

  constexpr bool operator==(const ScanColumnsConfig&) const = default;
};

// Whether one word holds the sums of neighbouring columns of bytes.
inline constexpr u64 kPackedColumns = 4;
constexpr bool packs_columns(const ScanColumnsConfig& config, const ScanRequest& request) {
  return packs_sums(request) && request.input_bytes() == 1 && request.accumulator_bytes() == 4 &&
         static_cast<u64>(config.columns_per_thread) % kPackedColumns == 0;
}

// Whether tiles overlap by a word at each side. Where results must not depend on timing they cannot: the ends of lines
// are scanned twice, in bands that begin at other lines.
constexpr bool overlaps(const ScanColumnsConfig& config, const ScanRequest& request) {
  return config.shifted_words != 0 && !request.layout.is_strided() && !needs_fixed_association(request) &&
         config.lanes(request.columns) >= 4 && config.lanes(request.columns) <= kWarpThreads;
}

// Bytes of registers for a thread's items of one line, which are kept as they come.
constexpr int bytes_of_line(const ScanColumnsConfig& config, const ScanRequest& request) {
  const int bytes = config.columns_per_thread * request.input_bytes();
  return bytes < 4 ? 4 : bytes;
}

// Whether a thread at the end of its columns takes lines as vectors, without asking about each item. More items would
// not fit its registers beside what that needs.
inline constexpr int kMostFirstBytes = 64;
constexpr bool takes_first_lines(const ScanColumnsConfig& config, const ScanRequest& request) {
  return !config.is_staged() && config.shifted_words == 0 && !is_custom(request.op) &&
         config.items_per_thread * bytes_of_line(config, request) <= kMostFirstBytes;
}

// The columns of a tile that no other tile has.
constexpr u64 own_columns(const ScanColumnsConfig& config, const ScanRequest& request) {
  return static_cast<u64>(config.columns_per_block - (overlaps(config, request) ? 2 * config.columns_per_thread : 0));
}

// Status descriptors of a band: one for each column, or for those of a word.
constexpr u64 descriptors_of_band(const ScanColumnsConfig& config, const ScanRequest& request, u64 columns) {
  return packs_columns(config, request) ? ceil_div(columns, kPackedColumns) : columns;
}

// Two totals and masks of each thread while they are combined, what one thread gets for all, and the run that is
// staged.
constexpr int shared_bytes(const ScanColumnsConfig& config, const ScanRequest& request) {
  const u64 threads = static_cast<u64>(config.block_threads), columns = static_cast<u64>(config.columns_per_thread);
  u64 bytes = round_up(2 * threads * columns * static_cast<u64>(request.accumulator_bytes()), 16);
  bytes += round_up(2 * threads * sizeof(u32) + 4 * sizeof(u32), 16);
  if (config.is_staged())
    bytes += round_up(threads * static_cast<u64>(config.items_per_thread * widest_item_bytes(request)), 16);
  return static_cast<int>(bytes + kVectorAlignmentBytes);
}

template <>
struct Family<ScanColumnsConfig> {
  static constexpr const char* kName = "scan_columns";
  static constexpr const char* kConfigName = "ScanColumnsConfig";
  static constexpr const char* kHeader = "scan/kernels/scan_columns.h";
  static constexpr const char* const kKernels[] = {"scan_columns"};
  static constexpr int kMostColumnsPerThread = 16;
  static constexpr u64 kLeastTileItems = 64;         // of every default config
  static constexpr u64 kManyItems = u64{1} << 22;    // from where on the workspace is kept below an eighth of the input
  static constexpr u64 kManyColumns = u64{1} << 14;  // from where on bands are few, and CTAs smaller
  static constexpr u64 kFewTiles = 132;              // one CTA for each SM of a large GPU
  static constexpr u64 kShortLines = 64;             // columns of so many are read item by item, not by shifted words
  static constexpr u64 kFarBytes = 256;              // from one line to the next, for each thread side by side
  static constexpr u64 kSomeColumns = 640;           // from where on tiles of packed sums are 128 bytes wide
  static constexpr int kLeastThreads = 64;
  static constexpr int kLeastReadBytes = 128;   // of a line, by threads side by side
  static constexpr int kMostLoadedBytes = 128;  // of registers for a thread's items
  static constexpr u64 kStagedLineBytes = 32;   // shorter lines are parts of sectors, which are read and written whole

  static constexpr const char* unsupported_reason(const ScanRequest& request, int) {
    if (request.segments != Segments::columns) return "scan_columns scans columns, and the request has none";
    if (request.n / kLeastTileItems > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ScanRequest&, int) { return 1; }

  static constexpr ScanColumnsConfig default_config(const ScanRequest& request, int sm) {
    // These values come from measurements on an H200, except that of shifted_words, which was counted.
    // What counts is how many bytes the CTAs of an SM have under way.
    ScanColumnsConfig config;
    const int item_bytes = widest_item_bytes(request);
    const u64 length = column_items(request);
    if (request.columns * static_cast<u64>(item_bytes) < kStagedLineBytes && !request.layout.is_strided()) {
      config.columns_per_block = 0;
      config.window = 128;
    } else {
      if (item_bytes < 4) config.columns_per_thread = 4 / item_bytes;
      // Bands of shifted words have too few lines for status descriptors of wider accumulators.
      config.shifted_words = are_shifted_words(config, request) && register_bytes(request) <= 4 &&
                             length > kShortLines && !are_vectors(config.columns_per_thread, request);
      while (!config.shifted_words && !are_vectors(config.columns_per_thread, request)) config.columns_per_thread /= 2;
      config.columns_per_block = default_lanes(config, request) * config.columns_per_thread;
      if (request.columns < 128 && request.n >= (u64{1} << 24)) config.first_delay_ns = 1600;
    }
    const int line_bytes = bytes_of_line(config, request);
    // A thread has two words of each line of shifted words under way, unless lanes pass them on. Operators but sums,
    // old architectures, and words in reverse take more registers there.
    const bool in_reverse = request.direction == Direction::reverse;
    config.items_per_thread = 32;
    if (overlaps(config, request)) {
      if (request.op != Operator::sum || sm < 80 || in_reverse) config.items_per_thread = 24;
      if (in_reverse && packs_columns(config, request)) config.items_per_thread = 16;
    } else if (config.shifted_words != 0) {
      config.items_per_thread = 16;
    }
    while (config.items_per_thread > kMostLoadedBytes / line_bytes) config.items_per_thread /= 2;
    // An odd number lets the threads of a staged tile touch different banks.
    if (config.is_staged() && config.items_per_thread == 32) config.items_per_thread = 24;
    if (config.is_staged() && config.items_per_thread > 1) --config.items_per_thread;
    while (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block) config.items_per_thread /= 2;
    // Three CTAs leave a thread 80 registers. There wider values, staged tiles and four accumulators would spill.
    const bool is_small = line_bytes <= (config.is_staged() ? 4 : 8) && register_bytes(request) <= 8;
    const bool fits_three =
        (config.columns_per_thread <= 2 && !config.is_staged()) ||
        (packs_columns(config, request) && (config.shifted_words == 0 || overlaps(config, request)));
    if (is_small) config.min_ctas_per_sm = fits_three ? 3 : 2;
    // Where bands are few, or tiles are wide, smaller CTAs wait for fewer of their threads.
    if (is_small && (request.columns >= kManyColumns || has_packed_parts_of_sectors(config, request)) &&
        config.lanes(request.columns) <= kWarpThreads) {
      config.block_threads /= 2;
      config.min_ctas_per_sm *= 2;
    }
    // Short columns need fewer threads below one another, and each holds as many items as it takes.
    const auto is_twice_too_long = [&] { return lines_of_tile(config, request) / 2 >= length; };
    while (!config.is_staged() && config.lanes(request.columns) < config.block_threads && is_twice_too_long())
      config.columns_per_block *= 2;
    const auto halve_items = [&] {
      config.items_per_thread = config.items_per_thread == 24 ? 16 : config.items_per_thread / 2;
    };
    const auto segments = [&] { return static_cast<u64>(config.block_threads / config.lanes(request.columns)); };
    const auto fit_items = [&, most = config.items_per_thread] {
      const int fewest = fewest_items(ceil_div(length, segments()));
      config.items_per_thread = fewest < most ? fewest : most;
    };
    const auto has_one_band = [&] { return !config.is_staged() && length > 0 && bands(config, request) == 1; };
    if (has_one_band() && !config.shifted_words) fit_items();
    const auto reads_sectors = [&] { return config.lanes(request.columns) * line_bytes > kLeastReadBytes; };
    while (has_one_band() && !takes_first_lines(config, request) && !config.shifted_words && reads_sectors() &&
           segments() < length) {
      config.columns_per_block /= 2;
      fit_items();
    }
    while (config.items_per_thread > 1 && is_twice_too_long()) halve_items();
    // CTAs of columns that wait for nobody may be as small as it takes to give all SMs some, and their threads hold few
    // items.
    while (has_one_band() && !config.shifted_words && tiles(config, request) < kFewTiles) {
      if (config.columns_per_thread > 1) {
        config.columns_per_thread /= 2;
      } else if (config.items_per_thread > 8 && config.columns_per_block > 4 &&
                 (segments() > 1 || config.items_per_thread > 16)) {
        config.columns_per_block /= 2;
        fit_items();
        continue;
      } else if (segments() == 1 && config.block_threads > kLeastThreads) {
        config.block_threads /= 2;
      } else {
        break;
      }
      config.columns_per_block /= 2;
    }
    const auto leaves_sms_idle = [&] { return bands(config, request) > 1 && tiles(config, request) < 256; };
    while (config.items_per_thread > 4 && leaves_sms_idle()) {
      const int items = config.items_per_thread;
      halve_items();
      if (has_high_bands(config, request)) continue;
      config.items_per_thread = items;
      break;
    }
    if (request.forward_progress == ForwardProgress::documented) config.tile_order = TileOrder::ticket;
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  // Whether so many columns are vectors in every line, if pointers are aligned.
  static constexpr bool are_vectors(int count, const ScanRequest& request) {
    const u64 columns = static_cast<u64>(count);
    if (!request.layout.is_strided()) return request.columns % columns == 0;
    const u64 of_plane = request.layout.plane_sequences;
    const bool has_planes = request.columns > of_plane;
    const auto are_aligned = [&](const Strides& strides) {
      return strides.sequence == 1 && strides.item % count == 0 && strides.first % count == 0 &&
             (!has_planes || strides.plane % count == 0);
    };
    return count == 1 || (are_aligned(request.layout.input) && are_aligned(request.layout.output) &&
                          request.columns >= columns && (!has_planes || of_plane % columns == 0));
  }

  // Whether a thread's items of a line are a word of neighbours in memory.
  static constexpr bool are_shifted_words(const ScanColumnsConfig& config, const ScanRequest& request) {
    const Layout& layout = request.layout;
    const int bytes = request.input_bytes();
    return request.output_bytes() == bytes && bytes <= 2 && config.columns_per_thread * bytes == 4 &&
           !config.is_staged() && !is_custom(request.op) && !has_maps(request) &&
           (!layout.is_strided() || (layout.input.sequence == 1 && layout.output.sequence == 1));
  }

  // The columns side by side: those of several tiles as often as these have them, and with those that no plane has
  // where each begins with a thread's first.
  static constexpr u64 side_columns(const ScanColumnsConfig& config, const ScanRequest& request) {
    if (overlaps(config, request))
      return ceil_div(request.columns, own_columns(config, request)) * static_cast<u64>(config.columns_per_block);
    const u64 of_plane = request.layout.plane_sequences;
    if (config.shifted_words == 0 || of_plane == 0 || request.columns <= of_plane) return request.columns;
    return request.columns / of_plane * round_up(of_plane, static_cast<u64>(config.columns_per_thread));
  }

  // The fewest items of a thread that hold so many of at most 32, of those that are searched.
  static constexpr int fewest_items(u64 items) {
    constexpr int kSearched[] = {1, 2, 3, 4, 7, 8, 15, 16, 24};
    for (const int fewest : kSearched)
      if (static_cast<u64>(fewest) >= items) return fewest;
    return 32;
  }

  // Whether a band of so many lines has 8 times the bytes of its status descriptors.
  static constexpr bool is_high_band(u64 lines, const ScanColumnsConfig& config, const ScanRequest& request) {
    u64 bytes = lines * static_cast<u64>(request.input_bytes());
    if (packs_columns(config, request)) bytes *= kPackedColumns;
    return bytes >= 8 * descriptor_bytes(config.status_layout, request.accumulator_bytes());
  }
  static constexpr bool has_high_bands(const ScanColumnsConfig& config, const ScanRequest& request) {
    return bands(config, request) <= 1 || request.n < kManyItems ||
           is_high_band(lines_of_tile(config, request), config, request);
  }

  // Whether so many threads side by side leave a band as high as its status descriptors need, and no second band to
  // columns that fit one otherwise.
  static constexpr bool has_room_for(int lanes, const ScanColumnsConfig& config, const ScanRequest& request) {
    int items = 32;
    while (items > kMostLoadedBytes / bytes_of_line(config, request)) items /= 2;
    const u64 lines = static_cast<u64>(config.block_threads / lanes) * static_cast<u64>(items);
    const u64 length = column_items(request);
    return is_high_band(lines, config, request) && (lines >= length || 2 * lines < length);
  }

  // Whether dense lines begin and end within sectors of 32 bytes.
  static constexpr bool has_parts_of_sectors(const ScanRequest& request) {
    return !request.layout.is_strided() && request.columns * static_cast<u64>(request.input_bytes()) % 32 != 0;
  }
  static constexpr bool has_packed_parts_of_sectors(const ScanColumnsConfig& config, const ScanRequest& request) {
    return packs_columns(config, request) && config.shifted_words == 0 && has_parts_of_sectors(request);
  }

  // Few columns are spread over CTAs that hold bands far above, so more segments have to poll. Items that are not read
  // by words leave room for more threads side by side.
  static constexpr int default_lanes(const ScanColumnsConfig& config, const ScanRequest& request) {
    const int bytes = config.columns_per_thread * widest_item_bytes(request);
    int lanes = request.columns <= 8 ? 8 : request.columns < 128 ? 16 : bytes < 4 || request.columns >= 65536 ? 64 : 32;
    if (config.shifted_words && !request.layout.is_strided() && !needs_fixed_association(request))
      return lanes_of_overlapping_tiles(config, request);
    // Tiles side by side share a sector of each line, and the farther apart lines are, the more that costs.
    const u64 apart = request.columns * static_cast<u64>(widest_item_bytes(request));
    if (has_parts_of_sectors(request) && config.shifted_words == 0 && request.n >= kManyItems)
      for (int wide = 128; wide >= 64; wide /= 2)
        if (apart >= static_cast<u64>(wide) * kFarBytes && has_room_for(wide, config, request)) return wide;
    const bool is_wide = has_packed_parts_of_sectors(config, request) && request.columns >= kSomeColumns;
    if (lanes == 32 && packs_columns(config, request) && config.shifted_words == 0 && !is_wide) lanes = 16;
    while (lanes > 1 && static_cast<u64>(lanes) / 2 >= request.columns) lanes /= 2;
    return lanes;
  }

  // Returns the lanes that leave the fewest threads without columns of their own; of several such numbers the largest.
  static constexpr int lanes_of_overlapping_tiles(ScanColumnsConfig config, const ScanRequest& request) {
    int best = 0;
    u64 fewest = 0;
    for (int lanes = 8; lanes <= kWarpThreads; lanes *= 2) {
      config.columns_per_block = lanes * config.columns_per_thread;
      const u64 beside = side_columns(config, request);
      if (best == 0 || beside <= fewest) best = lanes, fewest = beside;
    }
    return best;
  }

  static constexpr const char* invalid_reason(const ScanColumnsConfig& config, const ScanRequest& request, int sm) {
    const int threads = config.block_threads, columns = config.columns_per_thread;
    if (const char* reason = invalid_threads_reason(threads)) return reason;
    if (columns < 1 || columns > kMostColumnsPerThread || (columns & (columns - 1)) != 0)
      return "columns_per_thread must be 1, 2, 4, 8 or 16";
    if (config.items_per_thread < 1 || config.items_per_thread > kMostLoadedBytes / bytes_of_line(config, request))
      return "items_per_thread must be at least 1, and the items of a thread take at most 128 bytes of registers";
    if (config.is_staged()) {
      if (columns != 1) return "columns_per_thread must be 1 where columns_per_block is 0";
      if (request.layout.is_strided()) return "columns_per_block must not be 0 for columns with strides";
      // One warp alone would pass no barrier between its reads of the tile and its writes there.
      if (threads < 2 * kWarpThreads) return "block_threads must be at least 64 where columns_per_block is 0";
      if (request.columns > kWarpThreads) return "columns_per_block must not be 0 for more than 32 columns";
    } else {
      const int in = columns * request.input_bytes(), out = columns * request.output_bytes();
      if (columns != 1 && (kVectorAlignmentBytes % in != 0 || kVectorAlignmentBytes % out != 0))
        return "the items of columns_per_thread columns must be a vector of up to 16 bytes";
      const int beside = config.columns_per_block;
      if (beside < columns || (beside & (beside - 1)) != 0 || threads % (beside / columns) != 0)
        return "columns_per_block must be a power of two, by columns that the threads of a CTA share evenly";
    }
    if (config.shifted_words != 0 && config.shifted_words != 1) return "shifted_words must be 0 or 1";
    if (config.shifted_words == 1 && !are_shifted_words(config, request))
      return "shifted_words needs built-in items of one or two bytes without maps, as many as a word has in a thread, "
             "and columns side by side";
    // A column beside the lines may begin as many lines late as a thread has columns, and then publishes nothing
    // before.
    if (overlaps(config, request) && bands(config, request) > 1 &&
        lines_of_tile(config, request) <= static_cast<u64>(config.columns_per_thread))
      return "tiles of shifted words need more lines than a thread has columns";
    if (config.window < 1 || config.window > kMaxBlockThreads) return "window must be between 1 and 1024";
    if (config.first_delay_ns < 0 || config.first_delay_ns > 2000) return "first_delay_ns must be between 0 and 2000";
    if (config.poll_delay_ns < 0 || config.poll_delay_ns > 2000) return "poll_delay_ns must be between 0 and 2000";
    if (const char* reason = invalid_budget_reason(config.min_ctas_per_sm, threads, sm)) return reason;
    if (tiles(config, request) > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    if (const u64 many = bands(config, request); many > 1)
      if (many > ~u32{0} / (side_columns(config, request) + 1)) return "more status descriptors than 32 bits count";
    if (!has_high_bands(config, request))
      return "a column must have 8 times the bytes of its status descriptor in each band";
    if (const char* reason = invalid_pdl_reason(config.pdl, 1, sm)) return reason;
    if (config.tile_order == TileOrder::block_index && request.forward_progress == ForwardProgress::documented)
      return "tile_order block_index relies on an undocumented order of CTAs";
    if (shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block)
      return "the tile does not fit in shared memory";
    return nullptr;
  }

  static constexpr int tile_items(const ScanColumnsConfig& config, const ScanRequest&) {
    return config.block_threads * config.items_per_thread * config.columns_per_thread;
  }

  static constexpr u64 lines_of_tile(const ScanColumnsConfig& config, const ScanRequest& request) {
    return u64(config.block_threads) / u64(config.lanes(request.columns)) * u64(config.items_per_thread);
  }

  static constexpr u64 bands(const ScanColumnsConfig& config, const ScanRequest& request) {
    return ceil_div(column_items(request), lines_of_tile(config, request));
  }

  // CTAs of the grid; 0 for a request without columns.
  static constexpr u64 tiles(const ScanColumnsConfig& config, const ScanRequest& request) {
    const u64 columns = side_columns(config, request);
    const u64 beside = config.is_staged() ? 1 : ceil_div(columns, static_cast<u64>(config.columns_per_block));
    return bands(config, request) * beside;
  }

  // A request of one band needs no descriptors.
  static constexpr WorkspaceNeed workspace(const ScanColumnsConfig& config, const ScanRequest& request) {
    if (bands(config, request) <= 1) return {};
    const int value_bytes = request.accumulator_bytes();
    const u64 descriptors =
        bands(config, request) * descriptors_of_band(config, request, side_columns(config, request));
    return {config.status_layout == StatusLayout::packed ? WorkspaceKind::packed_status : WorkspaceKind::split_status,
            value_bytes, sizeof(WorkspaceHeader) + descriptors * descriptor_bytes(config.status_layout, value_bytes)};
  }

  // The extents are the columns, and the lines that have an item of every column.
  static constexpr LaunchList launches(const ScanColumnsConfig& config, const ScanRequest& request, Variant) {
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(tiles(config, request)),
              .block_threads = config.block_threads,
              .shared_bytes = shared_bytes(config, request),
              .n = request.n,
              .extents = {request.columns, request.columns == 0 ? 0 : request.n / request.columns},
              .pdl = config.pdl != 0,
              .dispatch = config.tile_order == TileOrder::ticket ? Dispatch::any_order : Dispatch::in_order});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ScanColumnsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ScanColumnsConfig, block_threads, primary, 64, 128, 256, 512, 1024)
          .from_default_only(64, 128, 1024),
      SCANTUNE_PARAMETER(ScanColumnsConfig, items_per_thread, primary, 1, 2, 3, 4, 7, 8, 15, 16, 23, 24, 31, 32)
          .from_default_only(1, 2, 3, 7, 23, 24),
      SCANTUNE_PARAMETER(ScanColumnsConfig, columns_per_thread, primary, 1, 2, 4),
      SCANTUNE_PARAMETER(ScanColumnsConfig, columns_per_block, primary, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
          .from_default_only(1, 2, 4, 8, 256),
      SCANTUNE_PARAMETER(ScanColumnsConfig, shifted_words, secondary, 0, 1).absent_means(0),
      SCANTUNE_PARAMETER(ScanColumnsConfig, window, secondary, 4, 8, 16, 32, 64, 128).from_default_only(4, 8, 64),
      SCANTUNE_PARAMETER(ScanColumnsConfig, first_delay_ns, secondary, 0, 400, 1600),
      SCANTUNE_PARAMETER(ScanColumnsConfig, poll_delay_ns, secondary, 0, 300),
      SCANTUNE_PARAMETER(ScanColumnsConfig, tile_order, secondary, TileOrder::block_index, TileOrder::ticket),
      SCANTUNE_PARAMETER(ScanColumnsConfig, status_layout, secondary, StatusLayout::packed, StatusLayout::split),
      SCANTUNE_PARAMETER(ScanColumnsConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ScanColumnsConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(ScanColumnsConfig, min_ctas_per_sm, secondary, 1, 2, 3, 4, 6).from_default_only(6),
      SCANTUNE_PARAMETER(ScanColumnsConfig, pdl, secondary, 0, 1),
  };
#endif
};

}  // namespace scantune
