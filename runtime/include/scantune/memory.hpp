// Memory of the device that the library works in, where the program provides it.
#pragma once

#include "scantune/cxx20.hpp"

#include <cstdint>

#include "scantune/scantune.h"

namespace scantune::runtime {

// Memory of the device for a run of a plan to work in, apart from all that the run reads or writes. The address is a
// multiple of 256 bytes, as that of all memory that CUDA allocates. It may hold anything.
struct Workspace {
  void* memory = nullptr;
  std::uint64_t bytes = 0;  // at least the plan's workspace_bytes()

  static constexpr std::uint64_t kAlignmentBytes = SCANTUNE_WORKSPACE_ALIGNMENT;
};

}  // namespace scantune::runtime
