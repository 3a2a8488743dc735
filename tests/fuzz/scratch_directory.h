// A folder of this process for the files that a target reads. It is in memory where the machine has such a place.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "require.h"

namespace scantune::fuzz {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    const std::filesystem::path memory = "/dev/shm";
    const bool usable = access(memory.c_str(), W_OK) == 0;
    std::string pattern =
        ((usable ? memory : std::filesystem::temp_directory_path()) / "scantune-fuzz-XXXXXX").string();
    require(mkdtemp(pattern.data()) != nullptr, "a scratch folder can be made: " + pattern);
    path_ = pattern;
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

  // Writes a file anew and returns its path.
  std::filesystem::path put(const std::string& name, std::string_view content) const {
    const std::filesystem::path file = path_ / name;
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream.write(content.data(), static_cast<std::streamsize>(content.size())).flush();
    require(stream.good(), "a scratch file can be written: " + file.string());
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace scantune::fuzz
