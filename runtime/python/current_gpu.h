// The GPU that is current in a thread.
#pragma once

#include <cstdint>
#include <optional>

namespace scantune::python {

// None where the process has not loaded CUDA's driver, or the thread has no context.
std::optional<std::int32_t> current_gpu();

}  // namespace scantune::python
