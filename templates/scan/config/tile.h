// The part of a config that says how one CTA loads, scans and stores one tile. Families that scan tiles share it.
//
// Prefetching: with programmatic dependent launch the CTAs of a scan are often resident before the kernel before it
// ends. They wait before they read, but first prefetch their tiles into L2: single_block where there is one tile,
// one_shot and lookback where they know the tile without a ticket, pipelined for its first tiles. So DRAM works while
// the scan before exchanges its aggregates.
//
// N in memory: kernels are launched for the most items, and read n after their wait (Problem::counted()). CTAs without
// a tile leave before they draw a ticket. All CTAs of pipelined stay and find fewer tiles. three_phase counts the sums
// of each level again.
//
// Reverse scans and strides: core/parts/item_access.h is a pointer, or in reverse one that goes backwards from the last
// item. Then vectors begin where the array's end is on a boundary, and their items are turned around in registers. The
// code above it knows the order of the scan alone. Strides come with each launch, so one kernel serves all of them.
//
// Small items: sums of 1- and 2-byte integers whose results are as wide stay packed in 32-bit words. A dot product
// reduces a word, and its items are scanned in 16-bit lanes. On sm_90 and newer so are inclusive minima and maxima
// without an initial value. A thread then needs a quarter or half of the registers. f16 and bf16 are widened to f32.
//
// Segments by flags, bits or keys: a warp loads items and what says where segments start as vectors, once, and turns
// them in shared memory, so layout is warp_transposed. A thread holds accumulators, and a bit for each that a segment
// starts.
//
// Partial tiles: with a built-in operator, single_block and one_shot fill them up with neutral items, and tiles of
// packed words are always filled up. pipelined scans its last tile item by item.
//
// Unaligned pointers (Variant::any): single_block, lookback, one_shot and three_phase begin their tiles at the first
// vector boundary of the input. The first warp of the first CTA scans the head, the at most 15 items before it. Results
// are stored as vectors where the output is aligned like the input, else through shared memory as aligned words. The
// last tile keeps at least one item, so grid and workspace are the same for all pointers. Items are loaded one by one
// where the association is fixed, where they do not fill vectors or may cross every boundary, and where a tile has more
// than 64 KiB.
#pragma once

#include "core/contract/arch.h"
#include "core/contract/cta.h"
#include "core/contract/warp_scan.h"
#include "scan/config/scan.h"
#include "scan/config/started_space.h"

namespace scantune {

// How the items of a tile are distributed over the threads.
enum class TileLayout {
  direct,          // each thread loads consecutive items
  striped,         // neighbouring lanes load neighbouring vectors; every row of vectors gets its own warp scan
  warp_transposed  // loaded striped, turned in shared memory so that each thread scans consecutive items
};
template <>
struct Tokens<TileLayout> {
  static constexpr const char* kNames[] = {"direct", "striped", "warp_transposed"};
};

// The source of a tile's total, which other CTAs and every warp of its own CTA wait for.
enum class AggregateFrom {
  reduction,  // made before the scan, where the operator commutes
  scan        // its last value
};
template <>
struct Tokens<AggregateFrom> {
  static constexpr const char* kNames[] = {"reduction", "scan"};
};

struct TileShape {
  int block_threads;
  int items_per_thread;
  int vector_items;  // items per load or store instruction
  TileLayout layout;
  WarpScan warp_scan;  // not kogge_stone, but the one that it stands for
  AggregateFrom aggregate_from;
  CacheHint load_hint;
  CacheHint store_hint;
  bool pads_tiles;  // partial tiles are filled up with neutral items, which are combined like any, instead of branching
  bool is_peeled;   // tiles begin on vector boundaries of the input, and anywhere in the output

  constexpr int warps() const { return block_threads / kWarpThreads; }
  // Lanes that scan the totals of the warps: a power of two.
  constexpr int lanes_of_totals() const {
    int lanes = 1;
    while (lanes < warps()) lanes *= 2;
    return lanes;
  }
  constexpr int tile_items() const { return block_threads * items_per_thread; }
  constexpr int vectors_per_thread() const { return items_per_thread / vector_items; }
  // Runs of consecutive items that a thread holds, each of which takes a scan over the lanes.
  constexpr int rows() const { return layout == TileLayout::striped ? vectors_per_thread() : 1; }
  // An odd stride of vectors per thread touches every shared-memory bank once.
  constexpr int exchange_stride_vectors() const { return vectors_per_thread() | 1; }

  constexpr bool operator==(const TileShape&) const = default;
};

constexpr int widest_item_bytes(const ScanRequest& request) {
  const int in = request.input_bytes(), out = request.output_bytes();
  return in > out ? in : out;
}

// The bytes of all items of the input or of the output, whichever is wider.
constexpr u64 wider_side_bytes(const ScanRequest& request) {
  return request.n * static_cast<u64>(widest_item_bytes(request));
}

// Items in one vector access: as many as fill the config's width, if the pointers allow it and no item crosses two
// vectors; else one item.
constexpr int vector_items(int vector_bytes, const ScanVariant& request) {
  const int item_bytes = widest_item_bytes(request);
  if (request.alignment_bytes() < vector_bytes || vector_bytes % item_bytes != 0) return 1;
  return vector_bytes / item_bytes;
}

// Whether vectors are made of whole items.
constexpr bool items_fill_vectors(const ScanRequest& request) {
  return kVectorAlignmentBytes % widest_item_bytes(request) == 0;
}

// Whether the items of a run are loaded by vectors. Items aligned to less than their size may cross every boundary.
constexpr bool loads_tiles_by_vectors(const ScanRequest& request) {
  const int bytes = request.input_bytes();
  return kVectorAlignmentBytes % bytes == 0 && request.alignment_of(request.input_type) == bytes;
}

// The widest vectors that a thread's items fill.
constexpr int default_vector_bytes(int items_per_thread, const ScanRequest& request) {
  const int item_bytes = widest_item_bytes(request);
  int bytes = kVectorAlignmentBytes;
  while (bytes % item_bytes == 0 && items_per_thread % (bytes / item_bytes) != 0) bytes /= 2;
  return bytes;
}

// A workspace stays below 1 % of the input.
constexpr bool keeps_workspace_small(int tile_items, u64 workspace_bytes_per_tile, const ScanRequest& request) {
  return 100 * workspace_bytes_per_tile <= static_cast<u64>(tile_items) * static_cast<u64>(request.input_bytes());
}

// Bytes of registers that hold one accumulator.
constexpr int register_bytes(const ScanRequest& request) {
  return static_cast<int>(round_up(static_cast<u64>(request.accumulator_bytes()), 4));
}

// Bytes of registers that hold an item between load and store. Where segments start at any item, a bit beside the
// accumulators says so.
constexpr int held_item_bytes(const ScanRequest& request) {
  if (!has_starts(request.segments)) return register_bytes(request);
  return static_cast<int>(round_up(static_cast<u64>(most_started_value_bytes(request)), 4));
}

// Bytes of registers that hold all items, packed or as accumulators.
constexpr u64 held_bytes(const ScanRequest& request) {
  const bool packs = packs_sums(request) || packs_extremes(request);
  return request.n * static_cast<u64>(packs ? request.input_bytes() : register_bytes(request));
}

// A quarter of the registers of a large GPU of 132 SMs.
inline constexpr u64 kBytesAllSmsHold = u64{132} << 16;

// Whether a scan is fastest where the SMs hold all of it, with neither chain nor ring. Sums of halves take registers of
// words, and so few bytes of memory that it pays for more of them. Measured: tests/bench/results/h200-crossings.csv.
constexpr bool all_sms_hold(const ScanRequest& request) {
  const bool sums_halves =
      request.op == Operator::sum && is_floating(request.input_type) && widest_item_bytes(request) == 2;
  return held_bytes(request) <= (sums_halves ? kBytesAllSmsHold / 2 * 3 : kBytesAllSmsHold);
}

// Small integers are turned where pointers do not let them come in vectors: striped rows of one item do not pack, and
// each would take a warp scan.
template <class Config>
constexpr TileLayout tile_layout(const Config& config, const ScanVariant& request) {
  const bool packs = packs_sums(request) || packs_extremes(request);
  const bool turned = packs && config.layout == TileLayout::striped && request.alignment_bytes() < config.vector_bytes;
  return turned ? TileLayout::warp_transposed : config.layout;
}

// Words that a CTA shuffles in one step of its warp scans: warps x rows x words of a value. Up to 8 words no kernel
// that was measured was slower with radix 4, at 16 words some were, and beyond that all: an SM shuffles one word of a
// warp a cycle, and a step takes some thirty cycles.
inline constexpr int kFewShuffledWords = 16;

// Config::is_latency_bound(): whether the SM has little else to do while a warp waits for its shuffles. Where other
// CTAs or polls fill that time, more shuffles cost more than fewer steps save.
template <class Config>
constexpr WarpScan tile_scan_method(const Config& config, const TileShape& shape, const ScanRequest& request) {
  if (config.warp_scan != WarpScan::kogge_stone) return config.warp_scan;
  const bool few_shuffles = shape.warps() * shape.rows() * register_bytes(request) / 4 <= kFewShuffledWords;
  return config.is_latency_bound() && few_shuffles ? fast_kogge_stone(request.op) : WarpScan::kogge_stone_2;
}

template <class Config>
constexpr TileShape tile_shape(const Config& config, const ScanVariant& request) {
  TileShape shape{config.block_threads,
                  config.items_per_thread,
                  vector_items(config.vector_bytes, request),
                  tile_layout(config, request),
                  config.warp_scan,
                  config.aggregate_from,
                  config.load_hint,
                  config.store_hint,
                  Config::pads_tiles && !is_custom(request.op),
                  false};
  shape.warp_scan = tile_scan_method(config, shape, request);
  return shape;
}

// Most bytes of shared memory for a tile on its way to an output that is aligned otherwise than the input.
inline constexpr int kMostStagedBytes = 64 * 1024;

// Whether a kernel for unaligned pointers keeps the items before the input's first vector boundary out of the tiles,
// which can then be loaded as vectors. It cannot if items may cross every boundary. It must not if results depend on
// where tiles begin but must not depend on the pointers. A tile that is transposed in shared memory has room there
// already.
template <class Config>
constexpr bool peels_head(const Config& config, const ScanVariant& request) {
  const int item_bytes = widest_item_bytes(request);
  const bool come_in_vectors = item_bytes < config.vector_bytes && config.vector_bytes % item_bytes == 0 &&
                               request.alignment_of(request.input_type) == request.input_bytes();
  const int staged_bytes = config.block_threads * config.items_per_thread * request.output_bytes();
  return request.alignment_bytes() < config.vector_bytes && come_in_vectors && !needs_fixed_association(request) &&
         (config.layout == TileLayout::warp_transposed || staged_bytes <= kMostStagedBytes);
}

// The shape of tiles for families whose tiles begin after a head.
template <class Config>
constexpr TileShape peeled_tile_shape(const Config& config, ScanVariant request) {
  const bool peels = peels_head(config, request);
  if (peels) request.variant = Variant::aligned;
  TileShape shape = tile_shape(config, request);
  shape.is_peeled = peels;
  return shape;
}

// Bytes of shared memory through which a warp scans values: two rows of them for Hillis-Steele, else none.
constexpr int scan_exchange_bytes(WarpScan warp_scan, const ScanRequest& request) {
  return warp_scan == WarpScan::hillis_steele ? 2 * kWarpThreads * request.accumulator_bytes() : 0;
}

// Bytes of shared memory through which a warp turns its items, stores them where no vectors fit, or runs Hillis-Steele;
// one after the other.
constexpr int exchange_bytes_per_warp(const TileShape& shape, const ScanRequest& request) {
  if (has_starts(request.segments))
    return started_space(shape.items_per_thread, scan_exchange_bytes(shape.warp_scan, request), request).bytes;
  int bytes = 0;
  if (shape.is_peeled) bytes = kWarpThreads * shape.items_per_thread * request.output_bytes();
  if (shape.layout == TileLayout::warp_transposed)
    bytes = kWarpThreads * shape.exchange_stride_vectors() * shape.vector_items * widest_item_bytes(request);
  const int rows = scan_exchange_bytes(shape.warp_scan, request);
  if (bytes < rows) bytes = rows;
  return static_cast<int>(round_up(static_cast<u64>(bytes), 16));
}

// Shared memory of the tile scan: the exchange space of each warp, and the scanned totals of the warps.
constexpr int tile_shared_bytes(const TileShape& shape, const ScanRequest& request) {
  const int totals = kWarpThreads * request.accumulator_bytes();  // a multiple of 16
  return shape.warps() * exchange_bytes_per_warp(shape, request) + totals;
}

// The larger of what the kernels for aligned and for any pointers need. The config's type selects shared_bytes().
template <class Config>
constexpr int most_shared_bytes(const Config& config, const ScanRequest& request) {
  const int aligned = shared_bytes(config, {request, Variant::aligned});
  const int unaligned = shared_bytes(config, {request, Variant::any});
  return aligned > unaligned ? aligned : unaligned;
}

// The rules of every family that scans tiles.
template <class Config>
constexpr const char* invalid_tile_reason(const Config& config, int min_ctas_per_sm, const ScanRequest& request,
                                          int sm) {
  const int threads = config.block_threads, items = config.items_per_thread, bytes = config.vector_bytes;
  if (const char* reason = invalid_threads_reason(threads)) return reason;
  if (items < 1 || items > 128) return "items_per_thread must be between 1 and 128";
  if (items > 128 / held_item_bytes(request))
    return "items_per_thread would not fit the registers of a thread (at most 128 bytes of values)";
  if (bytes != 4 && bytes != 8 && bytes != 16) return "vector_bytes must be 4, 8 or 16";
  if (bytes != kVectorAlignmentBytes && bytes % widest_item_bytes(request) != 0)
    return "vector_bytes must hold whole items, or be 16";
  // The aligned kernel decides, since a plan holds both, and both must exist.
  if (items % vector_items(bytes, {request, Variant::aligned}) != 0)
    return "items_per_thread must be a multiple of the items in a vector";
  if (has_starts(request.segments) && config.layout != TileLayout::warp_transposed)
    return "items of segments that start anywhere are turned in shared memory: layout must be warp_transposed";
  if (config.layout == TileLayout::striped && needs_fixed_association(request))
    return "the striped layout combines by vectors, so pointers of another alignment would give other bits";
  if (const char* reason = invalid_budget_reason(min_ctas_per_sm, threads, sm)) return reason;
  if (const char* reason = invalid_pdl_reason(config.pdl, 2, sm)) return reason;
  if (most_shared_bytes(config, request) > limits_of(sm).shared_bytes_per_block)
    return "the tile does not fit in shared memory";
  return nullptr;
}

}  // namespace scantune
