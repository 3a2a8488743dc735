// copy_strided: copies rows whose items, rows and planes have any strides, in one of three ways that the strides and
// counts of each call decide. Rows that are contiguous on both sides, in the same direction or in opposite ones, are
// copied by vectors of the output, many rows by one CTA where they are short. Where items are neighbours along one axis
// of the input and along another one of the output, tiles are transposed in shared memory. All else is copied item by
// item, by neighbouring threads along the axis with the smallest strides.
#pragma once

#include "copy/config/copy.h"
#include "core/contract/cta.h"
#include "core/contract/family.h"

namespace scantune {

struct CopyStridedConfig {
  int block_threads = 256;  // threads per CTA
  int unroll = 4;           // vectors or items that a thread reads before it writes any
  int vector_bytes = 16;    // of the vectors of contiguous items
  CacheHint load_hint = CacheHint::normal;
  CacheHint store_hint = CacheHint::normal;
  int pdl = 1;  // programmatic dependent launch: starts while the kernel before it drains

  // Vectors or items of a CTA.
  constexpr int tile() const { return block_threads * unroll; }

  constexpr bool operator==(const CopyStridedConfig&) const = default;
};

// An axis of the arrays. One with a single item has strides of 0.
struct CopyAxis {
  u32 place = 0;  // in the layout: 0 are the items of a row, 1 the rows, 2 the planes
  u64 count = 1;  // items along it
  i64 in = 0, out = 0;

  constexpr u64 in_distance() const { return in < 0 ? 0 - static_cast<u64>(in) : static_cast<u64>(in); }
  constexpr u64 out_distance() const { return out < 0 ? 0 - static_cast<u64>(out) : static_cast<u64>(out); }
  constexpr u64 distance() const { return in_distance() < out_distance() ? in_distance() : out_distance(); }
  constexpr bool is_long() const { return count > 1; }
  constexpr bool is_contiguous() const { return in_distance() == 1 && out_distance() == 1; }
  // Whether the other axis goes on where this one ends, on both sides.
  constexpr bool is_continued_by(const CopyAxis& other) const {
    return static_cast<u64>(other.in) == static_cast<u64>(in) * count &&
           static_cast<u64>(other.out) == static_cast<u64>(out) * count;
  }
};

// The axis at that place of the request's layout.
constexpr CopyAxis copy_axis(const Layout& layout, u32 place, u64 count) {
  if (count <= 1) return {.place = place};
  const auto stride = [place](const Strides& of) { return place == 0 ? of.item : place == 1 ? of.sequence : of.plane; };
  return {place, count, stride(layout.input), stride(layout.output)};
}

// The axes in the order in which a way takes them. Their strides are in the layout, which kernels have, so a launch
// tells the counts and the order.
struct CopyAxes {
  CopyAxis x, y, z;

  // A count is 2^48 at most.
  constexpr u64 packed_lines() const { return y.count << 4 | u64{x.place} << 2 | y.place; }
  static constexpr CopyAxes from_launch(const Layout& layout, u64 items, u64 packed_lines, u64 planes) {
    const u32 x = static_cast<u32>(packed_lines >> 2 & 3), y = static_cast<u32>(packed_lines & 3);
    return {copy_axis(layout, x, items), copy_axis(layout, y, packed_lines >> 4), copy_axis(layout, 3 - x - y, planes)};
  }
};

// The bytes that one access moves of an item, or of a vector at the end of a row.
constexpr int copy_unit_bytes(const CopyRequest& request) { return request.alignment_of(request.input_type); }
// Whether a vector of contiguous items can be turned around: it has whole ones, wherever it begins.
constexpr bool turns_vectors(const CopyRequest& request) { return request.input_bytes() == copy_unit_bytes(request); }

// The vectors of the output that have a byte of a row which begins so many bytes past a boundary, or fewer.
constexpr u64 row_vectors(u64 row_bytes, u64 past_boundary, int vector_bytes) {
  return ceil_div(past_boundary + row_bytes, static_cast<u64>(vector_bytes));
}

// A tile that is transposed: as many items wide as high. Items of 1 and 2 bytes are packed into words.
struct TransposedTile {
  int packed;  // items of a word; 1 where they are not packed
  int groups;  // words, or else items, of a row or column

  static constexpr TransposedTile of(const CopyRequest& request) {
    const int bytes = request.input_bytes();
    return {turns_vectors(request) && bytes < 4 ? 4 / bytes : 1, bytes <= 8 ? 32 : 16};
  }
  constexpr int side() const { return packed * groups; }  // items
  // One more word, or item, in each row: threads below one another then meet no bank twice.
  constexpr int pitch() const { return groups + 1; }
  constexpr int shared_bytes(const CopyRequest& request) const {
    const int bytes = side() * pitch() * (packed > 1 ? 4 : request.input_bytes());
    return static_cast<int>(round_up(static_cast<u64>(bytes), 16));
  }
};

template <>
struct Family<CopyStridedConfig> {
  static constexpr const char* kName = "copy_strided";
  static constexpr const char* kConfigName = "CopyStridedConfig";
  static constexpr const char* kHeader = "copy/kernels/copy_strided.h";
  enum KernelIndex { kCopyRows, kTransposeTiles, kCopyItems };
  static constexpr const char* const kKernels[] = {"copy_rows", "transpose_tiles", "copy_items"};
  static constexpr int kMostUnroll = 16;

  static constexpr const char* unsupported_reason(const CopyRequest& request, int) {
    if (const char* reason = scantune::unsupported_reason(request)) return reason;
    if (!request.layout.is_strided()) return "copy_strided copies rows or columns with strides, and these have none";
    return blocks({.block_threads = kLargeBlock, .unroll = kLargeUnroll}, request, Variant::any) > kMaxGridBlocks
               ? "more items than a grid has threads"
               : nullptr;
  }

  static constexpr int preference(const CopyRequest&, int) { return 1; }

  static constexpr CopyStridedConfig default_config(const CopyRequest& request, int sm) {
    const bool leaves_cache = request.n * static_cast<u64>(request.input_bytes()) >= kStreamedBytes;
    CopyAxes axes;
    const KernelIndex kernel = way(request, axes);
    // Vectors that are put together take many registers, and narrow items are few bytes under way.
    const int unroll = kernel == kCopyRows ? 2 : kernel == kCopyItems && request.input_bytes() <= 2 ? 8 : 4;
    CopyStridedConfig config{.unroll = unroll,
                             .store_hint = leaves_cache ? CacheHint::streaming : CacheHint::normal,
                             .pdl = limits_of(sm).has_pdl};
    const auto are_too_many = [&] { return blocks(config, request, Variant::any) > kMaxGridBlocks; };
    while (config.unroll < kLargeUnroll && are_too_many()) config.unroll *= 2;
    while (config.block_threads < kLargeBlock && are_too_many()) config.block_threads *= 2;
    return config;
  }

  static constexpr const char* invalid_reason(const CopyStridedConfig& config, const CopyRequest& request, int sm) {
    if (const char* reason = invalid_threads_reason(config.block_threads)) return reason;
    if (config.unroll < 1 || config.unroll > kMostUnroll) return "unroll must be between 1 and 16";
    if (config.vector_bytes != 8 && config.vector_bytes != 16) return "vector_bytes must be 8 or 16";
    if (config.vector_bytes < copy_unit_bytes(request)) return "items are aligned to more bytes than a vector has";
    if (blocks(config, request, Variant::any) > kMaxGridBlocks) return "more tiles than a grid has CTAs";
    return invalid_pdl_reason(config.pdl, 1, sm);
  }

  static constexpr int tile_items(const CopyStridedConfig& config, const CopyRequest&) { return config.tile(); }

  static constexpr WorkspaceNeed workspace(const CopyStridedConfig&, const CopyRequest&) { return {}; }

  // CTAs of the grid, or more.
  static constexpr u64 blocks(const CopyStridedConfig& config, const CopyRequest& request, Variant variant) {
    CopyAxes axes;
    const KernelIndex kernel = way(request, axes);
    if (kernel == kTransposeTiles) return transposed_tiles(request, axes);
    const u64 accesses = kernel == kCopyRows ? vectors_of_row(config, request, variant, axes) : axes.x.count;
    return ceil_div(accesses * axes.y.count * axes.z.count, static_cast<u64>(config.tile()));
  }

  // n counts planes; the extents are the items of a row, and the rows of a plane with the order of the axes.
  static constexpr LaunchList launches(const CopyStridedConfig& config, const CopyRequest& request, Variant variant) {
    CopyAxes axes;
    const KernelIndex kernel = way(request, axes);
    Launch launch{.kernel = kernel,
                  .grid_blocks = grid_for(blocks(config, request, variant)),
                  .block_threads = config.block_threads,
                  .n = axes.z.count,
                  .extents = {axes.x.count, axes.packed_lines()},
                  .pdl = config.pdl != 0};
    if (kernel == kTransposeTiles) launch.shared_bytes = TransposedTile::of(request).shared_bytes(request);
    LaunchList list;
    list.add(launch);
    return list;
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<CopyStridedConfig> kParameters[] = {
      SCANTUNE_PARAMETER(CopyStridedConfig, block_threads, primary, 128, 256, 512),
      SCANTUNE_PARAMETER(CopyStridedConfig, unroll, primary, 1, 2, 4, 8),
      SCANTUNE_PARAMETER(CopyStridedConfig, vector_bytes, secondary, 8, 16),
      SCANTUNE_PARAMETER(CopyStridedConfig, load_hint, secondary, CacheHint::normal, CacheHint::streaming,
                         CacheHint::no_allocate),
      SCANTUNE_PARAMETER(CopyStridedConfig, store_hint, secondary, CacheHint::normal, CacheHint::streaming),
      SCANTUNE_PARAMETER(CopyStridedConfig, pdl, secondary, 0, 1),
  };
#endif

 private:
  static constexpr int kLargeBlock = 512, kLargeUnroll = 8;  // of the fewest CTAs that a default takes
  static constexpr u64 kStreamedBytes = u64{1} << 19;        // of copies that are faster with streaming stores
  static constexpr u64 kLeastRowBytes = 16;   // of contiguous rows that are less work by vectors than by items
  static constexpr u64 kSectorBytes = 32;     // the least that memory moves
  static constexpr u64 kLeastSideBytes = 32;  // of axes that are transposed: shorter ones stay in the L1 cache

  // The axes with those merged that go on where another one ends.
  static constexpr CopyAxes merged(const CopyRequest& request) {
    const Layout& layout = request.layout;
    const u64 sequences = request.sequences() == 0 ? 1 : request.sequences();
    const u64 lines =
        layout.plane_sequences == 0 || layout.plane_sequences > sequences ? sequences : layout.plane_sequences;
    CopyAxis all[3] = {copy_axis(layout, 0, request.n / sequences), copy_axis(layout, 1, lines),
                       copy_axis(layout, 2, sequences / lines)};
    for (int round = 0; round < 2; ++round)
      for (CopyAxis& inner : all)
        for (CopyAxis& outer : all) {
          if (inner.place == outer.place || !inner.is_long() || !outer.is_long()) continue;
          if (!inner.is_continued_by(outer)) continue;
          inner.count *= outer.count;
          outer = {.place = outer.place};
        }
    return {all[0], all[1], all[2]};
  }

  template <class Before>
  static constexpr void sort(CopyAxes& axes, const Before& before) {
    const auto swap = [](CopyAxis& one, CopyAxis& other) {
      const CopyAxis kept = one;
      one = other;
      other = kept;
    };
    if (before(axes.y, axes.x)) swap(axes.x, axes.y);
    if (before(axes.z, axes.y)) swap(axes.y, axes.z);
    if (before(axes.y, axes.x)) swap(axes.x, axes.y);
  }

  // Long axes come first, those with the smaller number before others.
  template <class Number>
  static constexpr auto by(const Number& number) {
    return [number](const CopyAxis& one, const CopyAxis& other) {
      return one.is_long() != other.is_long() ? one.is_long() : one.is_long() && number(one) < number(other);
    };
  }

  // The kernel for the request's strides, and the axes in its order.
  static constexpr KernelIndex way(const CopyRequest& request, CopyAxes& axes) {
    axes = merged(request);
    const u64 bytes = static_cast<u64>(request.input_bytes());
    sort(axes, by([](const CopyAxis& axis) { return axis.out_distance(); }));
    CopyAxes by_input = axes;
    sort(by_input, by([](const CopyAxis& axis) { return axis.in_distance(); }));

    if (axes.x.is_contiguous() && (axes.x.in == axes.x.out || turns_vectors(request)) &&
        axes.x.count * bytes >= kLeastRowBytes)
      return kCopyRows;

    const auto shares_sectors = [bytes](u64 distance) { return distance * bytes < kSectorBytes; };
    if (by_input.x.place != axes.x.place && by_input.x.is_long() && shares_sectors(by_input.x.in_distance()) &&
        shares_sectors(axes.x.out_distance()) && by_input.x.count * bytes >= kLeastSideBytes &&
        axes.x.count * bytes >= kLeastSideBytes) {
      CopyAxes transposed{axes.x, by_input.x, axes.y.place == by_input.x.place ? axes.z : axes.y};
      if (transposed_tiles(request, transposed) <= kMaxGridBlocks) {
        axes = transposed;
        return kTransposeTiles;
      }
    }
    // The shorter one of two axes as close comes first, so that sectors with items of both are whole in a CTA.
    sort(axes, [](const CopyAxis& one, const CopyAxis& other) {
      if (one.is_long() != other.is_long()) return one.is_long();
      if (one.distance() != other.distance()) return one.distance() < other.distance();
      return one.count < other.count;
    });
    return kCopyItems;
  }

  static constexpr u64 transposed_tiles(const CopyRequest& request, const CopyAxes& axes) {
    const u64 side = static_cast<u64>(TransposedTile::of(request).side());
    return ceil_div(axes.x.count, side) * ceil_div(axes.y.count, side) * axes.z.count;
  }

  // Where aligned pointers are known, so is how far past a boundary rows begin, if all begin alike.
  static constexpr u64 vectors_of_row(const CopyStridedConfig& config, const CopyRequest& request, Variant variant,
                                      const CopyAxes& axes) {
    const u64 bytes = static_cast<u64>(request.input_bytes()), vector = static_cast<u64>(config.vector_bytes);
    u64 past = vector - static_cast<u64>(copy_unit_bytes(request));
    if (variant == Variant::aligned && static_cast<u64>(axes.y.out | axes.z.out) * bytes % vector == 0) {
      const i64 to_lowest = axes.x.out < 0 ? axes.x.out * static_cast<i64>(axes.x.count - 1) : 0;
      past = static_cast<u64>(request.layout.output.first + to_lowest) * bytes % vector;
    }
    return row_vectors(axes.x.count * bytes, past, config.vector_bytes);
  }
};

}  // namespace scantune
