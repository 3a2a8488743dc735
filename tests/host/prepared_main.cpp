// Runs the tests of an executable whose kernels are prepared (prepared_kernels.h): at first in a process of its own,
// where kernels do nothing, to learn which ones there are.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>

#include "prepared_kernels.h"

namespace scantune {
namespace {

[[noreturn]] void rehearse(const PreparedKernels& kernels) {
  kernels.rehearse();
  if (std::freopen(kernels.log().c_str(), "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr)
    _exit(1);
  testing::GTEST_FLAG(output) = "";  // of the report in a file
  [[maybe_unused]] const int outcome = RUN_ALL_TESTS();
  std::fflush(stdout);
  _exit(0);
}

// Prints why tests ended early in the rehearsal, where the kernels after that were not asked for.
void tell_what_ended(const PreparedKernels& kernels) {
  std::ifstream log(kernels.log());
  for (std::string line; std::getline(log, line);)
    if (line.find("C++ exception") != std::string::npos || line.starts_with("[  FAILED  ]"))
      std::cout << "in the rehearsal: " << line << "\n";
}

int run() {
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  const PreparedKernels kernels;
  const pid_t child = fork();
  if (child == 0) rehearse(kernels);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
    std::cout << "the rehearsal of the tests ended with status " << status << "\n";
    return 1;
  }
  kernels.prepare();
  const int failures = RUN_ALL_TESTS();
  for (const std::string& source : kernels.missed()) std::cout << "not in the rehearsal:\n" << source << "\n";
  if (!kernels.missed().empty()) tell_what_ended(kernels);
  return failures != 0 || !kernels.missed().empty() ? 1 : 0;
}

}  // namespace
}  // namespace scantune

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    return scantune::run();
  } catch (const std::exception& error) {
    std::cout << error.what() << "\n";
    return 1;
  }
}
