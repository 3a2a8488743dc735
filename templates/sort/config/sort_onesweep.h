// sort_onesweep: sorts of many keys. count_digits reads all keys once and counts the digits of every pass,
// add_digit_counts adds up the shares, and then move_by_digit runs once per digit: each CTA ranks the digits of a tile,
// puts its keys in order in shared memory, and looks back for how many keys of each digit earlier tiles have, several
// tiles at once (Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs", 2022).
//
// A status word has 32 bits, or 64 where rows have 2^30 keys or more. It says whether its count is the tile's own or
// that of all tiles up to its end, and whether it is of an even or an odd move of the row. So words are cleared once,
// by count_digits, for all passes. Lanes count digits in columns of their own, so that fewer meet at one counter or one
// bank of shared memory.
//
// A key's payload is loaded while the tile's digits are added up, or later where registers are short (early_payload).
// Passes in which all keys of a row have one digit exit at once. Which copy a pass writes follows from how many passes
// still move keys, so the last of them writes the output; if none does, the last launch copies. Where no bits are
// compared it is the only one. Where the input is consumed, passes go to and fro between input and output instead of a
// copy, and a launch after them copies the input to the output if it was written last: after an even number of moves.
// Full tiles have code of their own without bounds checks. The workspace is scratch; its first bytes, which
// count_digits writes, say where the rest begins.
#pragma once

#include "core/contract/family.h"
#include "core/contract/look_back_rules.h"
#include "sort/config/digit_counts.h"

namespace scantune {

struct SortOnesweepConfig {
  int block_threads = 512;    // threads of a CTA
  int items_per_thread = 16;  // keys of each thread (batchSize)
  int digit_bits = 8;         // bits of a key that are looked at in a pass
  Matching matching = Matching::votes;
  int status_bits = 32;    // of a descriptor: 64 where rows have 2^30 keys or more
  int window = 8;          // descriptors that a thread reads at once when it looks back
  int first_delay_ns = 0;  // sleep before the first poll, so that it finds a prefix at once
  int poll_delay_ns = 0;   // sleep between unsuccessful polls
  TileOrder tile_order = TileOrder::block_index;
  int count_items = 8192;  // keys that a CTA counts, or more where there are many
  int count_columns = 8;   // counters of a digit in a CTA that counts, dealt to the lanes of a warp
  int early_payload = 0;   // load the payload while digits are added up, not when keys are in shared memory
  CacheHint count_hint = CacheHint::normal;
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int min_ctas_per_sm = 1;  // register budget: this many CTAs must fit one SM
  int pdl = 1;              // programmatic dependent launch: starts while the kernel before it drains

  constexpr int digits() const { return 1 << digit_bits; }
  constexpr u64 tile_items() const { return static_cast<u64>(block_threads) * static_cast<u64>(items_per_thread); }

  constexpr bool operator==(const SortOnesweepConfig&) const = default;
};

// Keys are put in order in shared memory, as the numbers that are compared.
constexpr int exchanged_key_bytes(const SortRequest& request) { return request.input_bytes() == 8 ? 8 : 4; }
constexpr int moved_bytes(const SortRequest& request) {
  return exchanged_key_bytes(request) + (request.has_payload() ? request.value_bytes() : 0);
}

// The payload follows the keys.
constexpr u64 payload_offset(const SortOnesweepConfig& config, const SortRequest& request) {
  return round_up(config.tile_items() * static_cast<u64>(exchanged_key_bytes(request)), kVectorAlignmentBytes);
}
// Digits have been ranked before, in the same bytes.
constexpr u64 exchange_bytes(const SortOnesweepConfig& config, const SortRequest& request) {
  const u64 exchanged = payload_offset(config, request) +
                        config.tile_items() * static_cast<u64>(moved_bytes(request) - exchanged_key_bytes(request));
  const u64 ranked = rank_bytes(config.block_threads, config.digit_bits);
  return round_up(exchanged > ranked ? exchanged : ranked, kVectorAlignmentBytes);
}

// After the exchange: the places of each digit's keys, totals of warps, and the tile's number.
constexpr int shared_bytes(const SortOnesweepConfig& config, const SortRequest& request) {
  return static_cast<int>(exchange_bytes(config, request)) + config.digits() * (config.status_bits / 8) +
         kWarpThreads * static_cast<int>(sizeof(u64)) + kVectorAlignmentBytes;
}

// A copy of keys and values, and where digits are counted, in bytes from the workspace's start. A pass moves the keys
// from one copy to the other, and the last one to the output; keys that are not put out have two copies here. An input
// that is consumed is one of the copies, of its values too; indices still need one. Between the first move and the last
// one keys are kept as the numbers that are compared, in the output too.
struct OnesweepLayout {
  DigitCountsLayout counts;
  u64 status;     // a word for each tile and digit
  u64 tiles;      // of all rows
  u64 row_tiles;  // of one row
  u64 keys;
  u64 other_keys;
  u64 payload;
  u64 end;
};

// The first bytes of the workspace tell the passes what the first launch has computed.
inline constexpr int kMostPasses = 14;  // with the two launches before them they fill a launch list

// Keys that may have been moved last into the consumed input, which are then copied, as by one more pass.
constexpr bool copies_back(const SortRequest& request) { return request.consumes_input() && request.writes_keys(); }

struct alignas(kVectorAlignmentBytes) OnesweepHead {
  u64 constants, totals, status, keys, other_keys, payload;
  u64 row_tiles;
  u32 tickets[kMostPasses];  // tiles that have been taken in each pass
};

constexpr OnesweepLayout onesweep_layout(const SortOnesweepConfig& config, const SortRequest& request, u64 n,
                                         u64 row_items, u64 passes, u64 ctas) {
  if (n == 0) return {};
  const u64 rows = ceil_div(n, row_items), digits = static_cast<u64>(config.digits());
  OnesweepLayout layout{};
  layout.counts = digit_counts_layout(sizeof(OnesweepHead), rows, passes, digits, ctas);
  layout.row_tiles = ceil_div(row_items, config.tile_items());
  // The last row may be short.
  layout.tiles = (rows - 1) * layout.row_tiles + ceil_div(n - (rows - 1) * row_items, config.tile_items());
  layout.status = round_up(layout.counts.end, kVectorAlignmentBytes);
  layout.keys =
      round_up(layout.status + layout.tiles * digits * static_cast<u64>(config.status_bits / 8), kVectorAlignmentBytes);
  const u64 key_bytes = round_up(n * static_cast<u64>(request.input_bytes()), kVectorAlignmentBytes);
  layout.other_keys = layout.keys + (passes > 1 && !copies_back(request) ? key_bytes : 0);
  layout.payload =
      layout.other_keys + (passes > 2 && !request.writes_keys() && !request.consumes_input() ? key_bytes : 0);
  layout.end = layout.payload;
  if (passes > 1 && request.has_payload() && !(request.has_values() && request.consumes_input()))
    layout.end += n * static_cast<u64>(request.value_bytes());
  return layout;
}

template <>
struct Family<SortOnesweepConfig> {
  static constexpr const char* kName = "sort_onesweep";
  static constexpr const char* kConfigName = "SortOnesweepConfig";
  static constexpr const char* kHeader = "sort/kernels/sort_onesweep.h";
  enum KernelIndex { kCountDigits, kAddDigitCounts, kMoveByDigit };
  static constexpr const char* const kKernels[] = {"count_digits", "add_digit_counts", "move_by_digit"};
  static constexpr u64 kLeastTileItems = 1024;
  static constexpr u64 kMostNarrowCounts = (u64{1} << 30) - 1;

  static constexpr const char* unsupported_reason(const SortRequest& request, int) {
    if (const char* reason = unsupported_rows_reason(request)) return reason;
    if (request.n / kLeastTileItems + filled_rows(request) > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    if (filled_rows(request) > kMostCountedRows) return "more rows than a grid has CTAs that count them";
    return nullptr;
  }

  static constexpr int preference(const SortRequest&, int) { return 1; }

  static constexpr SortOnesweepConfig default_config(const SortRequest& request, int sm) {
    SortOnesweepConfig config;
    const u64 items = row_items(request);
    const int key_bytes = exchanged_key_bytes(request), bytes = moved_bytes(request);
    const bool has_payload = request.has_payload(), is_wide = bytes > 16;  // too wide for two CTAs on an SM
    config.min_ctas_per_sm = is_wide ? 1 : 2;
    if (items <= u64{1} << 21) {
      // Few keys go to many CTAs, and little is left to be cleared or added up. So many tiles run at once on an H200.
      constexpr u64 kTwelveAtOnce = 2 * 132 * 512 * 12;
      config.block_threads = items <= u64{1} << 17 ? 256 : 512;
      config.items_per_thread = items <= u64{1} << 19 ? 8 : items <= kTwelveAtOnce && !is_wide ? 12 : 16;
      const int counted = request.input_bytes() < 4 ? 16384 / request.input_bytes() : 4096;
      config.count_items = items <= u64{1} << 17 ? 2048 : counted;
      config.count_columns = 1;
    } else {
      config.count_items = 32768;
      config.count_columns = 16;
      config.window = has_payload ? 2 : 4;
      // The longer a digit's keys in a tile, the faster they are stored, as long as two CTAs fit an SM: one alone
      // leaves it waiting. Fewer keys in a tile are faster where more would leave SMs without a tile at the end.
      const auto above = [&](int power) { return items > u64{1} << power; };
      if (bytes <= 4) {
        config.items_per_thread = above(23) ? 28 : 24;
      } else if (bytes <= 8 && has_payload) {
        config.items_per_thread = above(23) ? 24 : 16;
        config.load_hint = CacheHint::no_allocate;
      } else if (bytes <= 12 && has_payload) {
        config.block_threads = key_bytes == 4 ? 384 : 512;
        config.items_per_thread = key_bytes == 4 ? 20 : 14;
      } else if (has_payload && !is_wide && !above(22)) {
        config.block_threads = 384;
        config.items_per_thread = 12;
      } else if (has_payload || above(24)) {
        // Values that are moved byte by byte take registers.
        const bool in_words = !has_payload || request.value_bytes() % 4 == 0;
        const int fitting = in_words ? 80 / bytes * 4 : 16;
        config.items_per_thread = fitting < 28 ? fitting : 28;
        config.min_ctas_per_sm = 1;
        config.early_payload = has_payload;
      }
    }
    if (items > kMostNarrowCounts) config.status_bits = 64;
    const int most_bytes = limits_of(sm).shared_bytes_per_block;
    while (shared_bytes(config, request) > most_bytes) {
      if (config.items_per_thread == 4) config.block_threads /= 2;
      if (config.items_per_thread > 4) config.items_per_thread = (config.items_per_thread - 1) / 4 * 4;
    }
    while (count_shared_bytes(config.digit_bits, config.count_columns, request) > most_bytes) config.count_columns /= 2;
    const int most_ctas = limits_of(sm).threads_per_sm / config.block_threads;
    if (config.min_ctas_per_sm > most_ctas) config.min_ctas_per_sm = most_ctas;
    if (request.forward_progress == ForwardProgress::documented) config.tile_order = TileOrder::ticket;
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const SortOnesweepConfig& config, const SortRequest& request, int sm) {
    const int threads = config.block_threads;
    if (const char* reason = invalid_threads_reason(threads)) return reason;
    if (const char* reason = invalid_digits_reason(threads, config.digit_bits)) return reason;
    if (config.digits() > threads) return "block_threads must be no fewer than digits: each thread looks back for one";
    if (most_moves(config, request) > kMostPasses) return "digits of so few bits take more than 14 passes";
    if (config.items_per_thread < 1 || config.items_per_thread > 32) return "items_per_thread must be between 1 and 32";
    if (config.tile_items() < kLeastTileItems) return "a tile must hold at least 1024 keys";
    if (const char* reason = invalid_look_back_reason(config, request.forward_progress)) return reason;
    if (config.status_bits != 32 && config.status_bits != 64) return "status_bits must be 32 or 64";
    if (config.status_bits == 32 && row_items(request) > kMostNarrowCounts)
      return "descriptors of 32 bits count fewer than 2^30 keys of a row";
    if (config.window > 16) return "window must be between 1 and 16";
    if (const char* reason = invalid_count_reason(config.count_items)) return reason;
    if (const char* reason = invalid_columns_reason(config.count_columns)) return reason;
    if (config.early_payload < 0 || config.early_payload > 1) return "early_payload must be 0 or 1";
    if (config.early_payload != 0 && !request.has_payload())
      return "early_payload is for keys that something goes with";
    if (const char* reason = invalid_budget_reason(config.min_ctas_per_sm, threads, sm)) return reason;
    if (const char* reason = invalid_pdl_reason(config.pdl, 1, sm)) return reason;
    const int most = limits_of(sm).shared_bytes_per_block;
    if (shared_bytes(config, request) > most) return "the tile does not fit in shared memory";
    if (count_shared_bytes(config.digit_bits, config.count_columns, request) > most)
      return "the counters of digits do not fit in shared memory";
    return nullptr;
  }

  static constexpr int tile_items(const SortOnesweepConfig& config, const SortRequest&) {
    return static_cast<int>(config.tile_items());
  }

  static constexpr WorkspaceNeed workspace(const SortOnesweepConfig& config, const SortRequest& request) {
    if (!request.compares_keys()) return {};
    return {WorkspaceKind::scratch, 0, layout(config, request).end};
  }

  static constexpr LaunchList launches(const SortOnesweepConfig& config, const SortRequest& request, Variant) {
    const u64 rows = filled_rows(request);
    SortLaunch told{.first_bit = static_cast<u32>(request.first_bit()),
                    .last_bit = static_cast<u32>(request.last_bit()),
                    .pass = 0,
                    .count_ctas = static_cast<u32>(ctas(config, request))};
    Launch launch{.n = request.n, .extents = {row_items(request)}, .pdl = config.pdl != 0};
    const auto digits = static_cast<u64>(config.digits()), all = static_cast<u64>(passes(config.digit_bits, request)),
               moves = static_cast<u64>(most_moves(config, request));
    LaunchList list;
    const auto add = [&](KernelIndex kernel, u64 blocks, int threads, int bytes) {
      launch.kernel = kernel;
      launch.grid_blocks = static_cast<u32>(blocks);
      launch.block_threads = threads;
      launch.shared_bytes = bytes;
      launch.extents[1] = told.packed();
      list.add(launch);
    };
    const auto move = [&] {
      add(kMoveByDigit, layout(config, request).tiles, config.block_threads, shared_bytes(config, request));
    };
    if (!request.compares_keys()) {
      move();
      return list;
    }
    add(kCountDigits, rows * told.count_ctas, kCountThreads,
        count_shared_bytes(config.digit_bits, config.count_columns, request));
    add(kAddDigitCounts, add_ctas(rows, all, digits), kAddThreads, kAddSharedBytes);
    if (config.tile_order == TileOrder::block_index) launch.dispatch = Dispatch::in_order;
    // A list has room for no more, whatever the config.
    for (; told.pass < moves && told.pass < kMostPasses; ++told.pass) move();
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SortOnesweepConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SortOnesweepConfig, block_threads, primary, 256, 384, 512, 1024),
      SCANTUNE_PARAMETER(SortOnesweepConfig, items_per_thread, primary, 4, 8, 12, 14, 16, 20, 24, 28),
      SCANTUNE_PARAMETER(SortOnesweepConfig, digit_bits, primary, 5, 6, 7, 8),
      SCANTUNE_PARAMETER(SortOnesweepConfig, matching, secondary, Matching::votes, Matching::instruction),
      SCANTUNE_PARAMETER(SortOnesweepConfig, status_bits, secondary, 32, 64),
      SCANTUNE_PARAMETER(SortOnesweepConfig, window, secondary, 1, 2, 4, 8, 16),
      SCANTUNE_PARAMETER(SortOnesweepConfig, first_delay_ns, secondary, 0, 400, 1000),
      SCANTUNE_PARAMETER(SortOnesweepConfig, poll_delay_ns, secondary, 0, 300),
      SCANTUNE_PARAMETER(SortOnesweepConfig, tile_order, secondary, TileOrder::block_index, TileOrder::ticket),
      SCANTUNE_PARAMETER(SortOnesweepConfig, count_items, secondary, 2048, 4096, 8192, 16384, 32768),
      SCANTUNE_PARAMETER(SortOnesweepConfig, count_columns, secondary, 1, 2, 4, 8, 16, 32),
      SCANTUNE_PARAMETER(SortOnesweepConfig, early_payload, secondary, 0, 1),
      SCANTUNE_PARAMETER(SortOnesweepConfig, count_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(SortOnesweepConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(SortOnesweepConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(SortOnesweepConfig, min_ctas_per_sm, secondary, 1, 2, 3, 4),
      SCANTUNE_PARAMETER(SortOnesweepConfig, pdl, secondary, 0, 1),
  };
#endif

 private:
  static constexpr int most_moves(const SortOnesweepConfig& config, const SortRequest& request) {
    return passes(config.digit_bits, request) + (copies_back(request) ? 1 : 0);
  }
  static constexpr u64 ctas(const SortOnesweepConfig& config, const SortRequest& request) {
    return count_ctas(config.count_items, filled_rows(request), row_items(request));
  }
  static constexpr OnesweepLayout layout(const SortOnesweepConfig& config, const SortRequest& request) {
    return onesweep_layout(config, request, request.n, row_items(request),
                           static_cast<u64>(passes(config.digit_bits, request)), ctas(config, request));
  }
};

}  // namespace scantune
