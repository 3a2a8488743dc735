// Runs a program without a shell.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace scantune {

struct ChildResult {
  int exit_status = 0;  // as a shell would say it: 128 + the signal when killed
  bool timed_out = false;
  std::string output;  // standard output and error together
};

// Runs the program with its arguments (the first one after its name) in a directory and waits for it; kills it and its
// children when it takes longer. Throws std::system_error when it cannot be started.
ChildResult run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                      const std::filesystem::path& directory, std::chrono::milliseconds timeout);

}  // namespace scantune
