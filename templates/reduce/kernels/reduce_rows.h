#pragma once

#include "core/parts/begin_kernel.h"
#include "reduce/config/reduce_rows.h"
#include "reduce/parts/share_reduce.h"

namespace scantune {

// The problem for pointers of any alignment: a row begins anywhere.
template <class Problem>
struct AnyRow : Problem {
  static constexpr Variant kVariant = Variant::any;
};

template <class Problem, ReduceRowsConfig kConfig>
SCANTUNE_DEVICE void reduce_rows(const KernelArguments& arguments) {
  using Share = ShareReduce<AnyRow<Problem>, share_shape(kConfig)>;
  auto& shared = shared_memory<typename Share::Shared>();
  const u64 row_items = arguments.extents[0], rows = arguments.extents[1];
  begin_kernel<kConfig.pdl>();
  for (u64 row = block_rank(); row < rows; row += block_count()) {
    const u64 first = row * row_items, left = first < arguments.n ? arguments.n - first : 0;
    auto from = Problem::input(arguments) + first;
    if constexpr (Problem::kStrided)
      from = Problem::input(arguments) + arguments.layout.input.begin(row, arguments.layout.plane_sequences);
    const Share share(from, left < row_items ? left : row_items, 0, 1);
    const auto total = share.reduce(shared);
    if (thread_rank() == 0) Problem::store(arguments, total.value, total.exists, row);
    if (rows - row > block_count()) sync_block();  // no warp reads what the next row writes
  }
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig) \
  SCANTUNE_KERNEL(reduce_rows, kConfig.block_threads, 1) { ::scantune::reduce_rows<Problem, kConfig>(arguments); }
