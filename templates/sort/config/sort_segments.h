// sort_segments: a group of lanes sorts a short segment, several at once: it compares every key with all others, and a
// key's place is the number of those that come before it. Where segments are longer on average, a CTA sorts each, digit
// after digit through shared memory. What is too long for a group or a CTA goes on a list in the workspace. A second
// launch takes these one by one, a CTA each: in shared memory if they fit, else digit after digit between the output
// and a copy in the workspace, or the input where it is consumed. So one segment of many keys takes long.
#pragma once

#include "core/contract/family.h"
#include "sort/config/digits.h"

namespace scantune {

struct SortSegmentsConfig {
  int block_threads = 128;   // threads of a CTA of the first launch
  int segment_threads = 32;  // neighbouring threads that sort a segment: up to a warp, or if more all of the CTA
  int items_per_thread = 2;  // keys of each of these threads (batchSize)
  int segments_at_once = 1;  // whose keys a group loads before it compares any; all of a CTA sort one
  int long_threads = 512;    // threads of a CTA of the second launch
  int long_items = 16;       // keys of each of these threads
  int digit_bits = 8;        // bits of a key that a CTA of the first launch looks at in a pass
  Matching matching = Matching::votes;
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int min_ctas_per_sm = 1;  // register budget of the first launch: this many CTAs must fit one SM
  int pdl = 1;              // programmatic dependent launch: starts while the kernel before it drains

  constexpr bool has_groups() const { return segment_threads <= kWarpThreads; }
  // The longest segment of the first launch.
  constexpr u64 short_items() const {
    return static_cast<u64>(has_groups() ? segment_threads : block_threads) * static_cast<u64>(items_per_thread);
  }

  // The second launch looks at so many: each thread counts a digit.
  constexpr int long_digit_bits() const {
    int bits = kMostDigitBits;
    while (bits > kLeastDigitBits && 1 << bits > long_threads) --bits;
    return bits;
  }

  constexpr bool operator==(const SortSegmentsConfig&) const = default;
};

constexpr SortShape short_shape(const SortSegmentsConfig& config) {
  return {.threads = config.block_threads,
          .items_per_thread = config.items_per_thread,
          .digit_bits = config.digit_bits,
          .matching = config.matching,
          .load_hint = config.load_hint,
          .store_hint = config.store_hint};
}
constexpr SortShape long_shape(const SortSegmentsConfig& config) {
  SortShape shape = short_shape(config);
  shape.threads = config.long_threads;
  shape.items_per_thread = config.long_items;
  shape.digit_bits = config.long_digit_bits();
  return shape;
}

// A tile, then the places of each digit's keys, totals of warps, counts of digits, and which segment it is.
constexpr int long_shared_bytes(const SortSegmentsConfig& config, const SortRequest& request) {
  const u64 digits = u64{1} << config.long_digit_bits();
  return static_cast<int>(round_up(
      sorted_tile_bytes(long_shape(config), request) + (digits + kWarpThreads + 1) * sizeof(u64) + digits * sizeof(u32),
      kVectorAlignmentBytes));
}

// The passes over a long segment, which move every key.
constexpr u32 moves_by_digits(u32 first_bit, u32 last_bit, int digit_bits) {
  return last_bit > first_bit ? ceil_div(last_bit - first_bit, static_cast<u32>(digit_bits)) : 1;
}

// In bytes from the workspace's start, where the copies of keys and of payload are that follow the list, and where they
// end. Each key is in the place that it has among all n. Where keys are not written out, they have two copies; an input
// that is consumed is one of the copies.
struct SegmentsLayout {
  static constexpr u64 kEntries = sizeof(WorkspaceHeader);
  u64 keys, payload;
  u64 end;
};
constexpr u64 other_keys(u64 keys, const SortRequest& request, u64 n) {
  return keys + round_up(n * static_cast<u64>(request.input_bytes()), kVectorAlignmentBytes);
}
constexpr SegmentsLayout segments_layout(u64 entries, const SortRequest& request, u64 n, u32 moves) {
  SegmentsLayout layout{};
  layout.keys = round_up(SegmentsLayout::kEntries + entries * sizeof(u64), sizeof(WorkspaceHeader));
  const bool has_keys = moves > 1 && !(request.consumes_input() && request.writes_keys());
  const bool has_others = moves > 2 && !request.writes_keys() && !request.consumes_input();
  layout.payload = has_keys ? other_keys(layout.keys, request, n) : layout.keys;
  if (has_others) layout.payload = other_keys(layout.payload, request, n);
  const bool has_payload = moves > 1 && request.has_payload() && !(request.has_values() && request.consumes_input());
  layout.end = layout.payload + (has_payload ? n * static_cast<u64>(request.value_bytes()) : 0);
  return layout;
}

template <>
struct Family<SortSegmentsConfig> {
  static constexpr const char* kName = "sort_segments";
  static constexpr const char* kConfigName = "SortSegmentsConfig";
  static constexpr const char* kHeader = "sort/kernels/sort_segments.h";
  enum KernelIndex { kSortSegments, kSortListed };
  static constexpr const char* const kKernels[] = {"sort_segments", "sort_listed"};
  static constexpr int kMostItems = 32, kMostCompared = 8;

  static constexpr const char* unsupported_reason(const SortRequest& request, int) {
    if (!request.has_offsets()) return "sort_segments takes segments by offsets, and the request has none";
    if (request.n / kLeastMostShortItems > kMaxGridBlocks) return "more segments may be too long than a list counts";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const SortRequest&, int) { return 1; }

  // What is twice as long as the average is still sorted by the first launch.
  static constexpr SortSegmentsConfig default_config(const SortRequest& request, int sm) {
    const u64 average = request.segment_count == 0 ? request.n : request.n / request.segment_count;
    SortSegmentsConfig config;
    const auto is_short = [&] {
      return config.short_items() < 2 * average || entries(config, request) > kMaxGridBlocks;
    };
    config.segment_threads = 8;
    config.items_per_thread = 1;
    while (is_short() && config.items_per_thread < 2) config.items_per_thread *= 2;
    while (is_short() && config.segment_threads < kWarpThreads) config.segment_threads *= 2;
    if (is_short() && average <= kMostAverageOfWarp) config.items_per_thread *= 2;
    if (config.has_groups() && request.value_bytes() <= 8) config.segments_at_once = 2;
    if (is_short()) {
      config.segment_threads = kMaxBlockThreads;
      config.segments_at_once = 1;
      config.block_threads = 64;
      config.items_per_thread = 4;
      while (is_short() && config.short_items() < kMostShortItems) {
        const bool widen = config.items_per_thread >= 8 && config.block_threads < 512;
        int& grown = widen ? config.block_threads : config.items_per_thread;
        grown *= 2;
      }
      config.digit_bits = config.block_threads <= 64 ? 5 : config.block_threads <= 128 ? 6 : 8;
    }
    if (request.has_payload() || request.input_bytes() == 8) config.long_items = 8;  // else registers would spill
    const int most_bytes = limits_of(sm).shared_bytes_per_block;
    while (long_shared_bytes(config, request) > most_bytes) config.long_items /= 2;
    while (shared_bytes(config, request) > most_bytes) config.items_per_thread /= 2;
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const SortSegmentsConfig& config, const SortRequest& request, int sm) {
    const int threads = config.block_threads;
    if (const char* reason = invalid_threads_reason(threads)) return reason;
    if (config.segment_threads < 1 || config.segment_threads > kMaxBlockThreads ||
        (config.segment_threads & (config.segment_threads - 1)) != 0)
      return "segment_threads must be a power of two up to 1024";
    if (config.items_per_thread < 1 || config.items_per_thread > kMostItems)
      return "items_per_thread must be between 1 and 32";
    if (config.has_groups() && config.items_per_thread > kMostCompared)
      return "threads of a group compare at most 8 keys each";
    if (config.segments_at_once < 1 || config.segments_at_once > 4) return "segments_at_once must be between 1 and 4";
    if (!config.has_groups() && config.segments_at_once > 1) return "a CTA sorts one segment at once";
    if (config.has_groups() && config.segments_at_once * config.items_per_thread * held_bytes(request) > 256)
      return "keys and values of segments_at_once would not fit the registers of a thread (at most 256 bytes)";
    if (const char* reason = invalid_digits_reason(threads, config.digit_bits)) return reason;
    if (invalid_threads_reason(config.long_threads) != nullptr)
      return "long_threads must be a multiple of 32 up to 1024";
    if (config.long_items < 1 || config.long_items > kMostItems) return "long_items must be between 1 and 32";
    if (const char* reason = invalid_budget_reason(config.min_ctas_per_sm, threads, sm)) return reason;
    const int most_bytes = limits_of(sm).shared_bytes_per_block;
    if (shared_bytes(config, request) > most_bytes || long_shared_bytes(config, request) > most_bytes)
      return "a tile does not fit in shared memory";
    if (entries(config, request) > kMaxGridBlocks) return "more segments may be too long than a list counts";
    return invalid_pdl_reason(config.pdl, 1, sm);
  }

  static constexpr int tile_items(const SortSegmentsConfig& config, const SortRequest&) {
    return static_cast<int>(long_shape(config).items());
  }

  static constexpr WorkspaceNeed workspace(const SortSegmentsConfig& config, const SortRequest& request) {
    if (request.n <= config.short_items()) return {};
    return {WorkspaceKind::counted, 0, layout(config, request).end};
  }

  // The extents are the segments and the bits, and the scratch where keys and payload are copied.
  static constexpr LaunchList launches(const SortSegmentsConfig& config, const SortRequest& request, Variant) {
    const u64 groups = config.has_groups() ? static_cast<u64>(config.block_threads / config.segment_threads) *
                                                 static_cast<u64>(config.segments_at_once)
                                           : 1;
    const u64 blocks = ceil_div(request.segment_count, groups);
    const SegmentsLayout room = layout(config, request);
    LaunchList list;
    Launch launch{.kernel = kSortSegments,
                  .grid_blocks = grid_for(blocks),
                  .block_threads = config.block_threads,
                  .shared_bytes = shared_bytes(config, request),
                  .n = request.n,
                  .extents = {request.segment_count, packed_bits(request)},
                  .scratch = {room.keys, room.payload},
                  .pdl = config.pdl != 0};
    list.add(launch);
    if (entries(config, request) == 0) return list;
    launch.kernel = kSortListed;
    launch.grid_blocks = static_cast<u32>(entries(config, request));
    launch.block_threads = config.long_threads;
    launch.shared_bytes = long_shared_bytes(config, request);
    launch.persistent_ctas_per_sm = 2 * kMaxBlockThreads / config.long_threads;
    list.add(launch);
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SortSegmentsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SortSegmentsConfig, block_threads, primary, 64, 128, 256, 512),
      SCANTUNE_PARAMETER(SortSegmentsConfig, segment_threads, primary, 8, 16, 32, 1024),
      SCANTUNE_PARAMETER(SortSegmentsConfig, items_per_thread, primary, 1, 2, 4, 8, 16),
      SCANTUNE_PARAMETER(SortSegmentsConfig, segments_at_once, secondary, 1, 2, 4),
      SCANTUNE_PARAMETER(SortSegmentsConfig, long_threads, secondary, 256, 512, 1024),
      SCANTUNE_PARAMETER(SortSegmentsConfig, long_items, secondary, 2, 4, 8, 16),
      SCANTUNE_PARAMETER(SortSegmentsConfig, digit_bits, secondary, 4, 5, 6, 7, 8),
      SCANTUNE_PARAMETER(SortSegmentsConfig, matching, secondary, Matching::votes, Matching::instruction),
      SCANTUNE_PARAMETER(SortSegmentsConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(SortSegmentsConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(SortSegmentsConfig, min_ctas_per_sm, secondary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(SortSegmentsConfig, pdl, secondary, 0, 1),
  };
#endif

 private:
  static constexpr u64 kMostAverageOfWarp = 48, kMostShortItems = u64{1} << 13;
  static constexpr u64 kLeastMostShortItems = 1024;  // what a CTA of every architecture holds

  static constexpr int held_bytes(const SortRequest& request) {
    return request.input_bytes() + (request.has_payload() ? request.value_bytes() : 0);
  }

  static constexpr int shared_bytes(const SortSegmentsConfig& config, const SortRequest& request) {
    return config.has_groups() ? 0 : static_cast<int>(sorted_tile_bytes(short_shape(config), request));
  }

  // As many as are too long, unless they overlap: then there may be no room for some, which stay as they are.
  static constexpr u64 entries(const SortSegmentsConfig& config, const SortRequest& request) {
    const u64 most = request.n / (config.short_items() + 1);
    return most < request.segment_count ? most : request.segment_count;
  }
  static constexpr SegmentsLayout layout(const SortSegmentsConfig& config, const SortRequest& request) {
    const u32 moves = moves_by_digits(static_cast<u32>(request.first_bit()), static_cast<u32>(request.last_bit()),
                                      config.long_digit_bits());
    return segments_layout(entries(config, request), request, request.n, moves);
  }
};

}  // namespace scantune
