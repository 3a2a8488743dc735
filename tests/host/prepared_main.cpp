// Runs the tests of an executable whose kernels are prepared (prepared_kernels.h): at first in a process of its own,
// where kernels do nothing, to learn which ones there are.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>

#include "prepared_kernels.h"

namespace scantune {
namespace {

[[noreturn]] void rehearse(const PreparedKernels& kernels) {
  kernels.rehearse();
  if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
  testing::GTEST_FLAG(output) = "";  // of the report in a file
  [[maybe_unused]] const int outcome = RUN_ALL_TESTS();
  _exit(0);
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
