// Calls of operator new since the program started.
#pragma once

#include <atomic>

namespace scantune::testing {

extern std::atomic<long> allocation_count;

}  // namespace scantune::testing
