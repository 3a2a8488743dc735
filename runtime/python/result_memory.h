// Memory of results that are ours.
#pragma once

#include <cstdint>
#include <memory>

#include "scantune/scantune.h"

namespace scantune::python {

using ResultMemory = std::shared_ptr<scantune_buffer>;

// All throw as the library does.
ResultMemory memory_of_host(std::uint64_t bytes);
// is_reused: all work on it is in the default stream, or done when the memory is given back. It is then kept for later
// results on that GPU, as libraries of arrays keep theirs: to allocate takes longer than most scans.
ResultMemory memory_of_gpu(std::uint64_t bytes, std::int32_t gpu, bool is_reused);

}  // namespace scantune::python
