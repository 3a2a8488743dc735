#pragma once

#include "core/parts/begin_kernel.h"
#include "sort/config/sort_block.h"
#include "sort/parts/sorted_tile.h"

namespace scantune {

template <class Problem, SortBlockConfig kConfig>
SCANTUNE_DEVICE void sort_block(const KernelArguments& arguments) {
  constexpr SortShape kShape = shape_of(kConfig);
  using Row = SortedTile<Problem, kShape>;
  struct Shared {
    unsigned char rows[kConfig.rows_per_block][sizeof(typename Row::Shared)];
  };
  const u32 part = thread_rank() / kConfig.row_threads();
  const u64 row_items = arguments.extents[0], row = static_cast<u64>(block_rank()) * kConfig.rows_per_block + part;
  const u64 first = row * row_items < arguments.n ? row * row_items : arguments.n, left = arguments.n - first;
  const u32 begin = arguments.extents[1] & 0xff, end = arguments.extents[1] >> 8;
  auto& shared = reinterpret_cast<typename Row::Shared&>(shared_memory<Shared>().rows[part]);
  Row keys(shared, {arguments, first}, static_cast<u32>(left < row_items ? left : row_items));
  begin_kernel<kConfig.pdl>();
  scantune::sort_in_tile(keys, begin, end);
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                  \
  SCANTUNE_KERNEL(sort_block, kConfig.block_threads, kConfig.min_ctas_per_sm) { \
    ::scantune::sort_block<Problem, kConfig>(arguments);                        \
  }
