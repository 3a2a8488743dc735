// reduce_segments: a group of threads reduces a segment, several segments at once. What is too long for a group is left
// to its warp. What is too long for a warp goes on a list in the workspace, and the warps of a second launch take equal
// parts of it; the last one to arrive at a segment folds its parts. Groups are as large as segments are long on
// average.
#pragma once

#include "core/contract/arch.h"
#include "core/contract/segment_list.h"
#include "reduce/config/share.h"

namespace scantune {

struct ReduceSegmentsConfig {
  int block_threads = 256;   // threads per CTA
  int segment_threads = 32;  // neighbouring threads that reduce a segment: up to a warp, or if more all of the CTA
  int segments_at_once = 1;  // whose first vectors a group loads before it combines any; all of a CTA take turns
  int unroll = 2;            // vectors that a thread loads of each before it combines any
  int long_tiles = 16;       // segments of more tiles of a group go to its warp, or of a warp on the list
  int min_ctas_per_sm = 4;   // register budget
  CacheHint load_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains; 2: lets the next kernel
                // start before that one has ended

  constexpr bool operator==(const ReduceSegmentsConfig&) const = default;
};

// How warps reduce what is too long for a group. The second launch and a full list do it alike, so results do not
// depend on which of them did.
constexpr int long_unroll(const ReduceRequest& request) {
  const int most = 128 / (unit_items(request) * request.input_bytes());
  return most < 4 ? most : 4;
}

// The most items that one warp reduces without others.
constexpr u64 most_items_of_warp(const ReduceSegmentsConfig& config, const ReduceRequest& request) {
  return static_cast<u64>(config.long_tiles) * static_cast<u64>(kWarpThreads * long_unroll(request)) *
         static_cast<u64>(unit_items(request));
}

// A segment on the list has so many parts at most, which one warp folds.
inline constexpr u64 kMostSegmentParts = 2048;

template <>
struct Family<ReduceSegmentsConfig> {
  static constexpr const char* kName = "reduce_segments";
  static constexpr const char* kConfigName = "ReduceSegmentsConfig";
  static constexpr const char* kHeader = "reduce/kernels/reduce_segments.h";
  enum KernelIndex { kReduceSegments, kReduceListed };
  static constexpr const char* const kKernels[] = {"reduce_segments", "reduce_listed"};

  static constexpr const char* unsupported_reason(const ReduceRequest& request, int) {
    if (!request.has_offsets()) return "reduce_segments takes segments by offsets, and the request has none";
    return scantune::unsupported_reason(request);
  }

  static constexpr int preference(const ReduceRequest&, int) { return 1; }

  // A group holds a segment of average length in two vectors of each thread or, where a warp cannot, in several rounds;
  // a CTA takes what fills two warps. Threads have up to 128 bytes on their way. Measured on an H200.
  static constexpr ReduceSegmentsConfig default_config(const ReduceRequest& request, int sm) {
    constexpr u64 kVeryFewSegments = 64;      // their CTAs have an SM alone
    constexpr u64 kFewSegments = 512;         // SMs are left idle unless each gets a CTA
    constexpr u64 kManySegments = 1024;       // several small CTAs of an SM share these better
    constexpr u64 kThreadsOfGpu = 1u << 18;   // more of them than the groups need wait for nothing
    constexpr u64 kSmallBytes = 1u << 18;     // one CTA reduces all of them before another launch has begun
    constexpr u64 kMediumProblem = 1u << 20;  // it ends with its longest segments
    constexpr u64 kShortSegment = 64, kMediumSegment = 2048;
    const u64 average = request.segment_count == 0 ? request.n : request.n / request.segment_count;
    const bool are_few = request.segment_count <= kFewSegments;
    const int unit_bytes = unit_items(request) * request.input_bytes();
    int most_unroll = unit_bytes < 16 ? 8 : 128 / unit_bytes;
    const bool fits_vector = average <= static_cast<u64>(unit_items(request));
    ReduceSegmentsConfig config{
        .segment_threads = 1, .unroll = fits_vector ? 1 : 2, .pdl = limits_of(sm).has_pdl ? 2 : 0};
    const auto fits = [&] { return average <= static_cast<u64>(tile_items(config, request)); };
    while (config.segment_threads < kWarpThreads && !fits()) config.segment_threads *= 2;
    while (config.segment_threads < kWarpThreads &&
           request.segment_count * static_cast<u64>(2 * config.segment_threads) <= kThreadsOfGpu)
      config.segment_threads *= 2;
    const u64 of_two_warps =
        u64{2 * kWarpThreads} * static_cast<u64>(most_unroll) * static_cast<u64>(unit_items(request));
    if (average >= of_two_warps || (are_few && average >= kShortSegment)) {
      config.segment_threads = kMaxBlockThreads;
      if (request.segment_count >= kManySegments || average <= kMediumSegment)
        config.block_threads = 128;
      else if (request.segment_count <= kVeryFewSegments)
        config.block_threads = 512;
      if (input_bytes_of(request) <= kSmallBytes) config.long_tiles = 256;
      most_unroll /= 2;
    } else if (request.n > most_items_of_warp(config, request) && request.n <= kMediumProblem) {
      config.long_tiles = 4;
    }
    while (2 * config.unroll <= most_unroll && !fits()) config.unroll *= 2;
    if (are_few && config.unroll == 2 && most_unroll >= 4) config.unroll = 4;  // one may be far longer than the others
    if (config.unroll == 8) config.block_threads = 128;
    if (config.unroll * unit_bytes < 64 && config.segment_threads <= kWarpThreads) config.segments_at_once = 2;
    if (is_custom(request.op) || request.has_position() || config.block_threads > 256)
      config.min_ctas_per_sm = 1;  // else state would spill
    return config;
  }

  static constexpr const char* invalid_reason(const ReduceSegmentsConfig& config, const ReduceRequest& request,
                                              int sm) {
    if (const char* reason = invalid_threads_reason(config.block_threads)) return reason;
    const int threads = config.segment_threads;
    if (threads < 1 || threads > kMaxBlockThreads || (threads & (threads - 1)) != 0)
      return "segment_threads must be a power of two up to 1024";
    if (config.segments_at_once < 1 || config.segments_at_once > 8) return "segments_at_once must be between 1 and 8";
    if (config.unroll < 1 || config.unroll > 16) return "unroll must be between 1 and 16";
    if (config.segments_at_once * config.unroll * unit_items(request) * request.input_bytes() > 256)
      return "unroll of segments_at_once would not fit the registers of a thread (at most 256 bytes of items)";
    if (const char* reason = invalid_budget_reason(config.min_ctas_per_sm, config.block_threads, sm)) return reason;
    if (config.long_tiles < 1 || config.long_tiles > 4096) return "long_tiles must be between 1 and 4096";
    return invalid_pdl_reason(config.pdl, 2, sm);
  }

  static constexpr int tile_items(const ReduceSegmentsConfig& config, const ReduceRequest& request) {
    const int threads = config.segment_threads <= kWarpThreads ? config.segment_threads : config.block_threads;
    return threads * config.unroll * unit_items(request);
  }

  static constexpr WorkspaceNeed workspace(const ReduceSegmentsConfig& config, const ReduceRequest& request) {
    return list_workspace(listed_parts(config, request), request.partial_bytes());
  }

  // The extents are the segments, and how many parts of those on the list there is room for.
  static constexpr LaunchList launches(const ReduceSegmentsConfig& config, const ReduceRequest& request, Variant) {
    LaunchList list;
    const u64 parts = listed_parts(config, request);
    const u64 blocks = ceil_div(request.segment_count, segments_of_block(config));
    Launch launch{.kernel = kReduceSegments,
                  .grid_blocks = grid_for(blocks),
                  .block_threads = config.block_threads,
                  .shared_bytes = share_shared_bytes(request),
                  .n = request.n,
                  .extents = {request.segment_count, parts},
                  .scratch = {sizeof(WorkspaceHeader), partials_begin(parts)},
                  .pdl = config.pdl != 0};
    list.add(launch);
    if (parts == 0) return list;
    launch.kernel = kReduceListed;
    const u64 warps = static_cast<u64>(config.block_threads / kWarpThreads);
    launch.grid_blocks = static_cast<u32>(ceil_div(parts, warps));
    launch.persistent_ctas_per_sm = kMaxBlockThreads / config.block_threads;
    list.add(launch);
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<ReduceSegmentsConfig> kParameters[] = {
      SCANTUNE_PARAMETER(ReduceSegmentsConfig, block_threads, primary, 64, 128, 256, 512).from_default_only(512),
      SCANTUNE_PARAMETER(ReduceSegmentsConfig, segment_threads, primary, 1, 2, 4, 8, 16, 32, 1024),
      SCANTUNE_PARAMETER(ReduceSegmentsConfig, segments_at_once, primary, 1, 2, 4, 8).from_default_only(8),
      SCANTUNE_PARAMETER(ReduceSegmentsConfig, unroll, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(ReduceSegmentsConfig, long_tiles, secondary, 4, 16, 64, 256),
      SCANTUNE_PARAMETER(ReduceSegmentsConfig, min_ctas_per_sm, secondary, 1, 2, 4, 6, 8),
      SCANTUNE_PARAMETER(ReduceSegmentsConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(ReduceSegmentsConfig, pdl, secondary, 0, 1, 2),
  };
#endif

 private:
  // The segments that a CTA reduces before it takes others.
  static constexpr u64 segments_of_block(const ReduceSegmentsConfig& config) {
    const int groups = config.segment_threads > kWarpThreads ? 1 : config.block_threads / config.segment_threads;
    return static_cast<u64>(groups) * static_cast<u64>(config.segments_at_once);
  }

  static constexpr u64 listed_parts(const ReduceSegmentsConfig& config, const ReduceRequest& request) {
    return scantune::listed_parts(request.n, most_items_of_warp(config, request), input_bytes_of(request),
                                  request.partial_bytes());
  }
};

}  // namespace scantune
