// Copies rows with strides. No CTA waits for another, and threads wait for those of their CTA where a tile is
// transposed.
#pragma once

#include "copy/config/copy_strided.h"
#include "copy/parts/item_copy.h"
#include "copy/parts/row_copy.h"
#include "copy/parts/transposed_copy.h"
#include "core/parts/begin_kernel.h"

namespace scantune {

template <template <class, CopyStridedConfig> class Copy, class Problem, CopyStridedConfig kConfig>
SCANTUNE_DEVICE void copy_strided(const KernelArguments& arguments) {
  const Copy<Problem, kConfig> work(arguments);
  begin_kernel<kConfig.pdl>();
  work.copy();
}

}  // namespace scantune

#define SCANTUNE_INSTANTIATE(Problem, kConfig)                                         \
  SCANTUNE_KERNEL(copy_rows, kConfig.block_threads, 1) {                               \
    ::scantune::copy_strided<::scantune::RowCopy, Problem, kConfig>(arguments);        \
  }                                                                                    \
  SCANTUNE_KERNEL(transpose_tiles, kConfig.block_threads, 1) {                         \
    ::scantune::copy_strided<::scantune::TransposedCopy, Problem, kConfig>(arguments); \
  }                                                                                    \
  SCANTUNE_KERNEL(copy_items, kConfig.block_threads, 1) {                              \
    ::scantune::copy_strided<::scantune::ItemCopy, Problem, kConfig>(arguments);       \
  }
