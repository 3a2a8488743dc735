// Memory that DLPack lent for work of which its library knows nothing.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

namespace scantune::python {

using LentMemory = nanobind::ndarray<nanobind::ro>;

// Gives the memory back at the first such call after all that is in a GPU's stream by now is done. Throws
// std::bad_alloc.
void keep_until_done(std::vector<LentMemory> memory, std::int32_t gpu, std::uint64_t stream);

}  // namespace scantune::python
