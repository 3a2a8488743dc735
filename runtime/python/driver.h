// What is asked of CUDA's driver, which is there if arrays are on GPUs.
#pragma once

#include <cstdint>
#include <optional>

namespace scantune::python {

// The GPU that is current in this thread. None where the process has not loaded the driver, or the thread has no
// context.
std::optional<std::int32_t> current_gpu();

// Lets a stream wait for all that is in another one by now. Throws std::runtime_error.
void let_wait(std::uint64_t stream, std::uint64_t other);

}  // namespace scantune::python
