// How many instructions calls take in user mode, on machines whose processors count none for a program: virtual ones,
// most of the time. A child process is traced instruction by instruction. An instruction that repeats itself (rep movs)
// counts once for each time.
#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

namespace scantune::testing {

using Call = std::function<void()>;

// This machine lets no process be traced; says what to allow.
struct TracingRefused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// In a child of this process: what `prepare` returns is called to warm up, then counted. One count for each call.
// Throws TracingRefused, or std::runtime_error when the child fails, which tells why on its standard error, or is
// stopped by a signal.
std::vector<long> instructions_of(const std::function<std::vector<Call>()>& prepare);

}  // namespace scantune::testing
