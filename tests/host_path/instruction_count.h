// How many instructions calls take in user mode, on machines whose processors count none for a program: virtual ones,
// most of the time. A child process is traced instruction by instruction, so the counts are exact.
#pragma once

#include <functional>
#include <vector>

namespace scantune::testing {

using Call = std::function<void()>;

// In a child of this process: what `prepare` returns is called once to warm up, then counted. One count for each call.
// Throws std::runtime_error when the child cannot be traced or ends early; its output tells why.
std::vector<long> instructions_of(const std::function<std::vector<Call>()>& prepare);

}  // namespace scantune::testing
