// A directory to compile a kernel in.
#pragma once

#include <filesystem>

namespace scantune {

// A directory in the system's directory for temporary files, open to this user only, and removed with the object. The
// constructor also removes directories of this user's killed processes that are over a day old. Throws CompileError.
class PrivateDirectory {
 public:
  PrivateDirectory();
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;
  ~PrivateDirectory();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_;  // held as long as the directory is in use; the system drops it with the process
};

}  // namespace scantune
