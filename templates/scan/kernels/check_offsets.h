// A check, not a family.
#pragma once

#include "core/parts/check_offsets.h"
#include "core/parts/check_overlap.h"
#include "scan/parts/problem.h"

#define SCANTUNE_INSTANTIATE_CHECK(Problem)                            \
  SCANTUNE_KERNEL(check_offsets, ::scantune::kOffsetCheckThreads, 1) { \
    ::scantune::OffsetsCheck<Problem>::check_offsets(arguments);       \
  }                                                                    \
  SCANTUNE_KERNEL(mark_items, ::scantune::kOffsetCheckThreads, 1) {    \
    ::scantune::OverlapCheck<Problem>::mark_items(arguments);          \
  }                                                                    \
  SCANTUNE_KERNEL(find_overlap, ::scantune::kOffsetCheckThreads, 1) {  \
    ::scantune::OverlapCheck<Problem>::find_overlap(arguments);        \
  }
