// sort_segments: the lanes of a warp sort several short segments side by side, as many lanes each as it needs, by a
// sorting network in registers. Longer ones go on lists in the workspace, by their lengths. A second launch takes the
// longest first: CTAs sort what fits one of them by the same network, several side by side if they are short, and
// exchange keys through shared memory. What is longer still takes a CTA that sorts it digit after digit between the
// output and a copy in the workspace, or the input where it is consumed. So one segment of many keys takes long.
#pragma once

#include "core/contract/family.h"
#include "sort/config/digits.h"

namespace scantune {

struct SortSegmentsConfig {
  int block_threads = 128;    // threads of a CTA of the first launch
  int items_per_thread = 16;  // keys of each of these threads (batchSize), or half with places that need more registers
  int segments_per_warp = 32;  // neighbouring segments that a warp takes together
  int long_threads = 512;      // threads of a CTA of the second launch
  int long_items = 32;         // keys of each of these threads in a network, or half as for items_per_thread
  int radix_items = 8;         // keys of each of these threads in a pass over a digit
  Matching matching = Matching::votes;
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int min_ctas_per_sm = 1;   // register budget of the first launch: this many CTAs must fit one SM
  int long_ctas_per_sm = 1;  // and that of the second
  int pdl = 1;               // programmatic dependent launch: starts while the kernel before it drains

  // A pass over a long segment looks at so many: each thread counts a digit.
  constexpr int digit_bits() const {
    int bits = kMostDigitBits;
    while (bits > kLeastDigitBits && 1 << bits > long_threads) --bits;
    return bits;
  }

  constexpr bool operator==(const SortSegmentsConfig&) const = default;
};

constexpr SortShape radix_shape(const SortSegmentsConfig& config) {
  return {.threads = config.long_threads,
          .items_per_thread = config.radix_items,
          .digit_bits = config.digit_bits(),
          .matching = config.matching,
          .load_hint = config.load_hint,
          .store_hint = config.store_hint};
}

// Networks are not stable: they move a key's place in its segment with it, unless nothing tells equal keys apart.
constexpr bool moves_places(const SortRequest& request) {
  return request.has_payload() || request.sorted_bits() < 8 * request.input_bytes();
}

// What a network moves. Places and narrow keys have 16 bits each.
constexpr int element_bytes(int input_bytes, bool has_place) {
  if (input_bytes <= 2) return 4;
  return has_place ? 2 * input_bytes : input_bytes;
}

// A warp's elements in shared memory, with those left out that keep apart what would meet in one bank.
inline constexpr u64 kRowBytes = kWarpThreads * sizeof(u32);
constexpr u32 network_area_items(int items, u64 bytes) {
  const u64 elements = kWarpThreads * static_cast<u64>(items);
  return static_cast<u32>(round_up(elements + elements / (kRowBytes / bytes), u64{4}));
}

// The head of a workspace with queues, a WorkspaceHeader to others.
inline constexpr u32 kMostQueues = 7;
struct QueuesHeader {
  u64 added[kMostQueues];
  u64 taken[kMostQueues];
  u32 finished;  // CTAs that have found all queues empty
};
static_assert(sizeof(QueuesHeader) <= sizeof(WorkspaceHeader));

// What sorts a segment, by its length. A chunk is as much as a warp of the second launch holds. Queue q is for segments
// of up to 2^q chunks, and the last one for those that no CTA holds.
struct NetworkShape {
  int bytes;  // an element's
  int short_items_per_thread;
  int long_items_per_thread;
  u32 long_warps;
  u32 short_bits, chunk_bits;  // log2 of the keys that a warp holds

  constexpr u64 short_items() const { return u64{1} << short_bits; }
  constexpr u64 chunk_items() const { return u64{1} << chunk_bits; }
  constexpr u64 tile_items() const { return chunk_items() * long_warps; }
  constexpr u32 classes() const {
    u32 classes = 1;
    while (1u << (classes - 1) < long_warps) ++classes;
    return classes;
  }
  constexpr u32 queues() const { return classes() + 1; }
  // How many segments of the queue a CTA sorts side by side.
  constexpr u32 at_once(u32 queue) const { return queue < classes() ? long_warps >> queue : 1; }

  // All of the queue's segments are longer than two to that power.
  constexpr u32 longer_than_bits(u32 queue) const {
    const u32 of_queue = queue == 0 ? 0 : chunk_bits + queue - 1;
    return of_queue < short_bits ? short_bits : of_queue;
  }
  constexpr u64 most_items() const { return u64{1} << longer_than_bits(classes()); }  // that are sorted by networks
  // There are no more, unless segments overlap: then there may be no room for some, which stay as they are.
  constexpr u64 room(u32 queue, u64 n, u64 segments) const {
    const u64 most = n >> longer_than_bits(queue);
    return most < segments ? most : segments;
  }

  constexpr bool operator==(const NetworkShape&) const = default;
};

constexpr u32 bits_of_warp(int items_per_thread) {
  u32 bits = 0;
  while (1 << bits < kWarpThreads * items_per_thread) ++bits;
  return bits;
}
constexpr NetworkShape network_shape(const SortSegmentsConfig& config, int input_bytes, bool has_place) {
  const int bytes = element_bytes(input_bytes, has_place), share = bytes > element_bytes(input_bytes, false) ? 2 : 1;
  return {.bytes = bytes,
          .short_items_per_thread = config.items_per_thread / share,
          .long_items_per_thread = config.long_items / share,
          .long_warps = static_cast<u32>(config.long_threads / kWarpThreads),
          .short_bits = bits_of_warp(config.items_per_thread / share),
          .chunk_bits = bits_of_warp(config.long_items / share)};
}
constexpr NetworkShape network_shape(const SortSegmentsConfig& config, const SortRequest& request) {
  return network_shape(config, request.input_bytes(), moves_places(request));
}

// Bytes of shared memory in which a warp orders its segments, before those of its elements.
inline constexpr u64 kOrderBytes = kWarpThreads * (sizeof(u64) + sizeof(u32));
constexpr int short_shared_bytes(const SortSegmentsConfig& config, const NetworkShape& shape) {
  const u64 area = network_area_items(shape.short_items_per_thread, static_cast<u64>(shape.bytes));
  return config.block_threads / kWarpThreads * static_cast<int>(kOrderBytes + area * static_cast<u64>(shape.bytes));
}

// A tile, then the places of each digit's keys, totals of warps, and counts of digits.
constexpr u64 radix_shared_bytes(const SortSegmentsConfig& config, const SortRequest& request) {
  const u64 digits = u64{1} << config.digit_bits();
  return round_up(
      sorted_tile_bytes(radix_shape(config), request) + (digits + kWarpThreads) * sizeof(u64) + digits * sizeof(u32),
      kVectorAlignmentBytes);
}

// What a CTA of the second launch has taken, this time and the time before, and then what it sorts.
inline constexpr u64 kTakenBytes = 2 * 2 * sizeof(u64);
constexpr int long_shared_bytes(const SortSegmentsConfig& config, const SortRequest& request,
                                const NetworkShape& shape) {
  const u64 area = network_area_items(shape.long_items_per_thread, static_cast<u64>(shape.bytes));
  const u64 network = shape.long_warps * area * static_cast<u64>(shape.bytes);
  const u64 radix = radix_shared_bytes(config, request);
  return static_cast<int>(kTakenBytes + (network < radix ? radix : network));
}

// The passes over a long segment, which move every key.
constexpr u32 moves_by_digits(u32 first_bit, u32 last_bit, int digit_bits) {
  return last_bit > first_bit ? ceil_div(last_bit - first_bit, static_cast<u32>(digit_bits)) : 1;
}

// In bytes from the workspace's start, where the copies of keys and of payload are that follow the queues, and where
// they end. Each key is in the place that it has among all n. Where keys are not written out, they have two copies; an
// input that is consumed is one of the copies.
struct SegmentsLayout {
  u64 keys, payload;
  u64 end;
};
constexpr u64 other_keys(u64 keys, const SortRequest& request, u64 n) {
  return keys + round_up(n * static_cast<u64>(request.input_bytes()), kVectorAlignmentBytes);
}
constexpr SegmentsLayout segments_layout(u64 entries, const SortRequest& request, u64 n, u32 moves) {
  SegmentsLayout layout{};
  layout.keys = round_up(sizeof(WorkspaceHeader) + entries * sizeof(u64), sizeof(WorkspaceHeader));
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
  enum KernelIndex { kSortSegments, kSortListed, kSortSegmentsByBits, kSortListedByBits };
  static constexpr const char* const kKernels[] = {"sort_segments", "sort_listed", "sort_segments_by_bits",
                                                   "sort_listed_by_bits"};
  static constexpr int kLeastItems = 4, kMostItems = 32;

  static constexpr const char* unsupported_reason(const SortRequest& request, int) {
    if (!request.has_offsets()) return "sort_segments takes segments by offsets, and the request has none";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const SortRequest&, int) { return 1; }

  static constexpr SortSegmentsConfig default_config(const SortRequest& request, int sm) {
    const u64 average = request.segment_count == 0 ? request.n : request.n / request.segment_count;
    const int key_bytes = element_bytes(request.input_bytes(), false);
    SortSegmentsConfig config;

    // Elements of any size take the same registers, and half of them where most segments would leave them empty.
    if (moves_places(request) && element_bytes(request.input_bytes(), true) > key_bytes && key_bytes == 4)
      config.items_per_thread *= 2;
    if (average <= kFewItems) config.items_per_thread /= 2;
    if (key_bytes == 8) config.long_items /= 2;

    // So few keys need one launch, and no workspace.
    for (SortSegmentsConfig larger = config; request.n > network_shape(config, request).short_items();) {
      larger.items_per_thread *= 2;
      const NetworkShape shape = network_shape(larger, request);
      if (larger.items_per_thread > kMostItems || shape.bytes * shape.short_items_per_thread > kMostBytes) break;
      if (request.n <= shape.short_items()) config = larger;
    }

    // A warp takes what it sorts in several rounds, unless there would be too few warps.
    const u64 short_items = network_shape(config, request).short_items();
    const auto taken = [&] { return static_cast<u64>(config.segments_per_warp); };
    while (taken() > 1 && average <= short_items && taken() * average > kManyItems) config.segments_per_warp /= 2;
    while (taken() > 1 && request.segment_count / taken() < kManyWarps) config.segments_per_warp /= 2;

    const int most_bytes = limits_of(sm).shared_bytes_per_block;
    while (long_shared_bytes(config, request, network_shape(config, request)) > most_bytes) {
      int& largest = radix_shared_bytes(config, request) > static_cast<u64>(most_bytes) - kTakenBytes
                         ? config.radix_items
                         : config.long_items;
      largest /= 2;
    }
    config.pdl = limits_of(sm).has_pdl;
    return config;
  }

  static constexpr const char* invalid_reason(const SortSegmentsConfig& config, const SortRequest& request, int sm) {
    if (const char* reason = invalid_threads_reason(config.block_threads)) return reason;
    if (!is_power_of_two(config.items_per_thread, kLeastItems, kMostItems))
      return "items_per_thread must be a power of two from 4 to 32";
    if (!is_power_of_two(config.long_items, kLeastItems, kMostItems))
      return "long_items must be a power of two from 4 to 32";
    if (!is_power_of_two(config.segments_per_warp, 1, kWarpThreads))
      return "segments_per_warp must be a power of two up to 32";
    if (!is_power_of_two(config.long_threads, kWarpThreads, kMaxBlockThreads))
      return "long_threads must be a power of two from 32 to 1024";
    if (config.radix_items < 1 || config.radix_items > kMostItems) return "radix_items must be between 1 and 32";
    const NetworkShape shape = network_shape(config, request);
    if (shape.bytes * shape.short_items_per_thread > kMostBytes ||
        shape.bytes * shape.long_items_per_thread > kMostBytes)
      return "keys and their places would not fit the registers of a thread (at most 128 bytes)";
    if (const char* reason = invalid_budget_reason(config.min_ctas_per_sm, config.block_threads, sm)) return reason;
    if (invalid_budget_reason(config.long_ctas_per_sm, config.long_threads, sm) != nullptr)
      return "long_ctas_per_sm CTAs of long_threads threads do not fit one SM";
    const int most_bytes = limits_of(sm).shared_bytes_per_block;
    if (short_shared_bytes(config, shape) > most_bytes || long_shared_bytes(config, request, shape) > most_bytes)
      return "a tile does not fit in shared memory";
    return invalid_pdl_reason(config.pdl, 1, sm);
  }

  static constexpr int tile_items(const SortSegmentsConfig& config, const SortRequest& request) {
    return static_cast<int>(network_shape(config, request).most_items());
  }

  static constexpr WorkspaceNeed workspace(const SortSegmentsConfig& config, const SortRequest& request) {
    if (request.n <= network_shape(config, request).short_items()) return {};
    return {WorkspaceKind::counted, 0, layout(config, request).end};
  }

  // The extents are the segments and the bits, and the scratch where keys and payload are copied.
  static constexpr LaunchList launches(const SortSegmentsConfig& config, const SortRequest& request, Variant) {
    const NetworkShape shape = network_shape(config, request);
    const u64 warps = ceil_div(request.segment_count, static_cast<u64>(config.segments_per_warp));
    const SegmentsLayout room = layout(config, request);
    LaunchList list;
    // What is compiled does not know which bits are compared.
    const bool by_bits = !request.has_payload() && request.compares_keys() && moves_places(request);
    Launch launch{.kernel = by_bits ? kSortSegmentsByBits : kSortSegments,
                  .grid_blocks = grid_for(ceil_div(warps, static_cast<u64>(config.block_threads / kWarpThreads))),
                  .block_threads = config.block_threads,
                  .shared_bytes = short_shared_bytes(config, shape),
                  .n = request.n,
                  .extents = {request.segment_count, packed_bits(request)},
                  .scratch = {room.keys, room.payload},
                  .pdl = config.pdl != 0};
    list.add(launch);
    if (request.n <= shape.short_items()) return list;
    launch.kernel = by_bits ? kSortListedByBits : kSortListed;
    launch.grid_blocks = grid_for(entries(shape, request));
    launch.block_threads = config.long_threads;
    launch.shared_bytes = long_shared_bytes(config, request, shape);
    launch.persistent_ctas_per_sm = 2 * kMaxBlockThreads / config.long_threads;
    list.add(launch);
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<SortSegmentsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(SortSegmentsConfig, block_threads, primary, 64, 128, 256, 512),
      SCANTUNE_PARAMETER(SortSegmentsConfig, items_per_thread, primary, 4, 8, 16, 32),
      SCANTUNE_PARAMETER(SortSegmentsConfig, segments_per_warp, secondary, 1, 2, 4, 8, 16, 32),
      SCANTUNE_PARAMETER(SortSegmentsConfig, long_threads, primary, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(SortSegmentsConfig, long_items, primary, 8, 16, 32),
      SCANTUNE_PARAMETER(SortSegmentsConfig, radix_items, secondary, 2, 4, 8, 16),
      SCANTUNE_PARAMETER(SortSegmentsConfig, matching, secondary, Matching::votes, Matching::instruction),
      SCANTUNE_PARAMETER(SortSegmentsConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(SortSegmentsConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(SortSegmentsConfig, min_ctas_per_sm, secondary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(SortSegmentsConfig, long_ctas_per_sm, secondary, 1, 2, 3, 4),
      SCANTUNE_PARAMETER(SortSegmentsConfig, pdl, secondary, 0, 1),
  };
#endif

 private:
  static constexpr u64 kFewItems = 32;     // average of segments
  static constexpr u64 kManyItems = 2048;  // all that a warp takes
  static constexpr u64 kManyWarps = 1 << 13;
  static constexpr int kMostBytes = 128;  // all elements of a thread

  static constexpr bool is_power_of_two(int number, int least, int most) {
    return number >= least && number <= most && (number & (number - 1)) == 0;
  }

  // Room for the segments of all queues.
  static constexpr u64 entries(const NetworkShape& shape, const SortRequest& request) {
    u64 entries = 0;
    for (u32 queue = 0; queue < shape.queues(); ++queue) entries += shape.room(queue, request.n, request.segment_count);
    return entries;
  }
  // No copies where every segment fits a warp or a CTA.
  static constexpr SegmentsLayout layout(const SortSegmentsConfig& config, const SortRequest& request) {
    const NetworkShape shape = network_shape(config, request);
    const bool has_longer = request.n > shape.most_items();
    const u32 moves = moves_by_digits(static_cast<u32>(request.first_bit()), static_cast<u32>(request.last_bit()),
                                      config.digit_bits());
    return segments_layout(entries(shape, request), request, request.n, has_longer ? moves : 1);
  }
};

}  // namespace scantune
