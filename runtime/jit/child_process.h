// Runs a program without a shell.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/contract/types.h"

namespace scantune {

inline constexpr std::size_t kMostOutputBytes = std::size_t{1} << 20;

struct ChildResult {
  int exit_status = 0;  // as a shell would say it: 128 + the signal when killed
  bool timed_out = false;
  std::string output;  // standard output and error together: the first kMostOutputBytes, and how much was left out
};

struct ChildLimits {
  std::chrono::milliseconds time;
  u64 memory_bytes;  // address space of each process
};

// Runs the program with its arguments (the first one after its name) in a directory, where its temporary files go too,
// and waits for it; kills it and its children after the time limit. They end with this process in any case. Throws
// std::system_error when the program cannot be started.
ChildResult run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                      const std::filesystem::path& directory, const ChildLimits& limits);

}  // namespace scantune
