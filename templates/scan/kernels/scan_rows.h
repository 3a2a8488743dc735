#pragma once

#include "scan/config/scan_rows.h"
#include "scan/parts/apart_items.h"
#include "scan/parts/tile_walk.h"

namespace scantune {

// The rows are one like the other, so all of them begin on vector boundaries of input and output, or none is known to.
template <class Problem>
SCANTUNE_DEVICE bool rows_fill_vectors(u64 row_items) {
  const u64 in = row_items * sizeof(typename Problem::Input), out = row_items * sizeof(typename Problem::Output);
  return (in | out) % kVectorAlignmentBytes == 0;
}

// Walks this CTA's rows.
template <class Problem, ScanRowsConfig kConfig>
SCANTUNE_DEVICE void walk_rows(const KernelArguments& arguments) {
  constexpr TileShape kShape = row_shape(kConfig, Problem::kRequest, Problem::kRequest.variant);
  using Walk = TileWalk<Problem, kShape>;
  static_assert(sizeof(typename Walk::Shared) <= shared_bytes(kConfig, Problem::kRequest));
  auto& shared = shared_memory<typename Walk::Shared>();
  const u64 row_items = arguments.extents[0], items = arguments.n - Walk::kFirstItem;
  auto init = Problem::init(arguments);
  for (u32 row = 0; row < kConfig.rows_per_block; ++row) {
    const u64 index = static_cast<u64>(block_rank()) * kConfig.rows_per_block + row, first = index * row_items;
    if (first >= items) break;
    if constexpr (Problem::kInitOfEach) init = Problem::init_of(arguments, index, ceil_div(items, row_items));
    if (row > 0) sync_block();  // no warp reads any more what this row writes
    const u64 left = items - first;
    Walk::scan(shared, Problem::input_row(arguments, index, first), Problem::output_row(arguments, index, first),
               Walk::kFirstItem + (left < row_items ? left : row_items), init);
  }
}

template <class Problem, ScanRowsConfig kConfig>
SCANTUNE_DEVICE void scan_rows(const KernelArguments& arguments) {
  begin_kernel<kConfig.pdl>();
  if constexpr (Problem::kStrided) {
    scantune::walk_rows<ApartItems<Problem>, kConfig>(arguments);
  } else {
    if constexpr (Problem::kRequest.variant == Variant::aligned)
      if (rows_fill_vectors<Problem>(arguments.extents[0])) return scantune::walk_rows<Problem, kConfig>(arguments);
    scantune::walk_rows<AnyPointers<Problem>, kConfig>(arguments);
  }
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig) \
  SCANTUNE_KERNEL(scan_rows, kConfig.block_threads, 1) { ::scantune::scan_rows<Problem, kConfig>(arguments); }
