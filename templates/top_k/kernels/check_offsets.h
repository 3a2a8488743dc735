// A check, not a family.
#pragma once

#include "core/parts/check_offsets.h"
#include "top_k/parts/top_k_problem.h"

#define SCANTUNE_INSTANTIATE_CHECK(Problem)                            \
  SCANTUNE_KERNEL(check_offsets, ::scantune::kOffsetCheckThreads, 1) { \
    ::scantune::OffsetsCheck<Problem>::check_offsets(arguments);       \
  }
