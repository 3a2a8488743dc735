// The part of a config that says how one CTA reduces its share of the items. Families of reductions share it.
//
// Threads add up units that are a CTA apart, and their totals are combined at the end. A custom operator needs the
// order: there each warp takes a run of the share. Except with custom operators, one thread of each CTA prefetches the
// first tile before the launch waits for the kernel before it.
//
// Where the result depends on the order, the kernel for any pointers associates items as the one for aligned pointers
// does, so the bits are the same. Elsewhere it leaves the items before the first vector boundary to one CTA.
#pragma once

#include "core/contract/arch.h"
#include "core/contract/cta.h"
#include "core/contract/family.h"
#include "reduce/config/reduce.h"

namespace scantune {

// How items are dealt out to CTAs. An operator of the caller's own needs its items in order, and takes shares anyway.
enum class Deal {
  shares,  // equal runs of neighbouring items
  tiles    // tile by tile, round and round
};
template <>
struct Tokens<Deal> {
  static constexpr const char* kNames[] = {"shares", "tiles"};
};

// A unit is what one thread loads at once: items that fill a vector, or one item where items do not fill vectors.
constexpr int unit_items(const ReduceRequest& request) {
  const int bytes = request.input_bytes();
  return bytes < kVectorAlignmentBytes && kVectorAlignmentBytes % bytes == 0 ? kVectorAlignmentBytes / bytes : 1;
}

// Whether kernels for any pointers leave the items before the first vector boundary to one CTA, so that the others come
// in vectors all the same: not where the result depends on how items are put together, and must not on the pointer.
constexpr bool peels_head(const ReduceRequest& request) {
  return unit_items(request) > 1 && !needs_fixed_association(request) &&
         request.alignment_of(request.input_type) == request.input_bytes();
}

// Every share begins at a multiple of so many units, on a line of the cache where they are vectors.
inline constexpr u64 kShareUnits = 8;

// At most so many CTAs leave a partial result; the last to arrive folds them all.
inline constexpr u64 kMostPartials = 4096;

template <class Config>
constexpr int tile_units(const Config& config) {
  return config.block_threads * config.unroll;
}
template <class Config>
constexpr int tile_items_of(const Config& config, const ReduceRequest& request) {
  return tile_units(config) * unit_items(request);
}

// CTAs that have something to do, with a tile each or more, up to `most`.
template <class Config>
constexpr u64 ctas_of(const Config& config, const ReduceRequest& request, u64 most) {
  const u64 tiles = ceil_div(request.n, static_cast<u64>(tile_items_of(config, request)));
  return tiles < 1 ? 1 : tiles < most ? tiles : most;
}

// So many CTAs, each with so many loads on their way, that memory is never idle.
template <class Config>
constexpr Config with_enough_tiles(Config config, const ReduceRequest& request) {
  while (config.unroll > 1 && ceil_div(request.n, static_cast<u64>(tile_items_of(config, request))) < 256)
    config.unroll /= 2;
  return config;
}

// What the warps of a CTA tell each other, and words that a thread tells all.
constexpr int share_shared_bytes(const ReduceRequest& request) {
  return static_cast<int>(round_up(u64{kWarpThreads} * static_cast<u64>(request.partial_bytes()), 16)) + 16;
}

// A config of a family whose CTAs reduce all items in one pass, a share each. Family: a tag that distinguishes them.
template <class Family>
struct ShareConfig {
  int block_threads = 256;  // threads per CTA
  int unroll = 4;           // vectors that a thread loads before it combines any
  int ctas_per_sm = 4;      // at most, of a grid that fits the device at once
  Deal deal = Deal::shares;
  CacheHint load_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains; 2: lets the next kernel
                // start before that one has ended

  constexpr bool operator==(const ShareConfig&) const = default;
};

// What these families have in common.
template <class Config>
struct ShareFamily {
  static constexpr int tile_items(const Config& config, const ReduceRequest& request) {
    return tile_items_of(config, request);
  }

  static constexpr LaunchList launches(const Config& config, const ReduceRequest& request, Variant) {
    LaunchList list;
    list.add({.grid_blocks = static_cast<u32>(ctas_of(config, request, kMostPartials)),
              .block_threads = config.block_threads,
              .shared_bytes = share_shared_bytes(request),
              .n = request.n,
              .pdl = config.pdl != 0,
              .persistent_ctas_per_sm = config.ctas_per_sm});
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<Config> kParameters[] = {
      SCANTUNE_PARAMETER(Config, block_threads, primary, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(Config, unroll, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(Config, ctas_per_sm, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(Config, deal, secondary, Deal::shares, Deal::tiles),
      SCANTUNE_PARAMETER(Config, load_hint, secondary, CacheHint::normal, CacheHint::streaming, CacheHint::no_allocate),
      SCANTUNE_PARAMETER(Config, pdl, secondary, 0, 1, 2),
  };
#endif
};

constexpr u64 input_bytes_of(const ReduceRequest& request) {
  return request.n * static_cast<u64>(request.input_bytes());
}

// Whether small CTAs are fastest by default; else few large ones are, each with many loads on its way. Narrow items
// that are not on vector boundaries gain from small ones for longer.
constexpr bool takes_small_ctas(const ReduceRequest& request) {
  return input_bytes_of(request) <= (request.input_bytes() < 4 ? u64{1} << 23 : u64{3} << 21);
}

struct Dealing {
  int block_threads;
  int unroll;
  int ctas_per_sm;
};

// A config of such CTAs that take tiles in turn, unless items have to stay in order.
template <class Config>
constexpr Config dealt_in_tiles(Config config, const Dealing& dealing, const ReduceRequest& request) {
  config.block_threads = dealing.block_threads;
  config.unroll = dealing.unroll;
  config.ctas_per_sm = dealing.ctas_per_sm;
  if (!is_custom(request.op)) config.deal = Deal::tiles;
  if (!takes_small_ctas(request)) config.load_hint = CacheHint::streaming;
  return config;
}

// Whether CTAs can add up their results in one word, beside a count of them, by one addition each. Other operators
// would take turns that are tried again and again.
constexpr bool adds_in_one_word(const ReduceRequest& request) {
  return request.op == Operator::sum && is_integer(request.accumulator_type) && request.accumulator_bytes() <= 4;
}

// The rules of every family of reductions.
template <class Config>
constexpr const char* invalid_share_reason(const Config& config, int ctas_per_sm, const ReduceRequest& request,
                                           int sm) {
  const int threads = config.block_threads;
  if (const char* reason = invalid_threads_reason(threads)) return reason;
  if (config.unroll < 1 || config.unroll > 16) return "unroll must be between 1 and 16";
  if (config.unroll * unit_items(request) * request.input_bytes() > 256)
    return "unroll would not fit the registers of a thread (at most 256 bytes of items)";
  if (ctas_per_sm < 1 || ctas_per_sm > limits_of(sm).threads_per_sm / threads)
    return "ctas_per_sm CTAs of block_threads threads do not fit one SM";
  if (config.deal == Deal::tiles && is_custom(request.op))
    return "an operator of the caller's own takes its items in order: deal must be shares";
  return invalid_pdl_reason(config.pdl, 2, sm);
}

// The rule of families whose CTAs leave partial results in a workspace, which stays below 1 % of the input.
template <class Config>
constexpr const char* invalid_partials_reason(const Config& config, const ReduceRequest& request,
                                              u64 bytes_of_partial) {
  const u64 tile_bytes = static_cast<u64>(tile_items_of(config, request)) * static_cast<u64>(request.input_bytes());
  if (100 * bytes_of_partial > tile_bytes) return "a tile must hold 100 times the bytes of its partial result";
  return nullptr;
}

// Up to here, by default, the CTAs of one cluster are faster than those of all SMs, which meet in memory. They meet
// sooner where one word is enough.
constexpr u64 most_bytes_of_one_cluster(const ReduceRequest& request) {
  return adds_in_one_word(request) ? u64{1} << 17 : u64{1} << 19;
}

}  // namespace scantune
