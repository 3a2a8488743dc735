// How many instructions calls take in user mode, on machines whose processors count none for a program, such as most
// virtual ones. A child process is traced instruction by instruction. An instruction that repeats itself (rep movs)
// counts once for each repetition.
#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

namespace scantune::testing {

using Call = std::function<void()>;

// Thrown where this machine lets no process be traced; the message says what to allow.
struct TracingRefused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Runs `prepare` in a child of this process, calls each function that it returns once to warm up and once to count, and
// returns one count for each. Throws TracingRefused, or std::runtime_error when the child fails or is stopped by a
// signal; a child that fails tells why on its standard error.
std::vector<long> instructions_of(const std::function<std::vector<Call>()>& prepare);

}  // namespace scantune::testing
