// Kernels that tests take through the public API, compiled together. The library's compiler is another process, which
// SCANTUNE_CXX names: in a rehearsal one that only keeps the source, and then one that finds what was compiled.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace scantune {

// True where kernels do nothing, so that what they should have computed is wrong.
inline bool is_rehearsal() { return std::getenv("SCANTUNE_TEST_REHEARSAL") != nullptr; }

class PreparedKernels {
 public:
  PreparedKernels();
  ~PreparedKernels();
  PreparedKernels(const PreparedKernels&) = delete;
  PreparedKernels& operator=(const PreparedKernels&) = delete;

  // Lets the compiler of this process keep sources, and return kernels that do nothing.
  void rehearse() const;
  // Compiles what was kept, and lets the compiler of this process find it.
  void prepare() const;
  // The file that takes what tests print in a rehearsal.
  std::filesystem::path log() const { return directory_ / "rehearsal.log"; }
  // Sources that had to be compiled one by one, although they compile.
  std::vector<std::string> missed() const;

 private:
  std::filesystem::path directory_;
};

}  // namespace scantune
