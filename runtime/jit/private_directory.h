// A directory to compile a kernel in.
#pragma once

#include <filesystem>

namespace scantune {

// It lies in the system's directory for temporary files, is open to this user alone, and is gone with the object.
// Making one also removes those that killed processes of this user have left there, once they are a day old. Throws
// CompileError.
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
