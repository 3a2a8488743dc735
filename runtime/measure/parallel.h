// A loop over independent work on all cores.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "core/contract/types.h"

namespace scantune {

// Calls body(i) once for every i in [0, count), from several threads unless count is 1, and returns when all have
// returned. The threads are started once. body must not throw.
void parallel_for(u64 count, const std::function<void(u64)>& body);

// Whether the bytes are the same and as many.
bool equal_on_all_cores(std::span<const std::byte> one, std::span<const std::byte> other);

}  // namespace scantune
