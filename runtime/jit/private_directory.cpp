#include "jit/private_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "scantune/error.hpp"

namespace scantune {
namespace {

namespace fs = std::filesystem;

// A name that no user would give a directory of his own in the same place.
constexpr const char* kPrefix = "scantune-kernel-";
constexpr std::time_t kDay = 24 * 60 * 60;

// Links are not followed: whoever plants one must not choose what is removed.
int open_directory(const fs::path& path) { return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }

bool is_abandoned(int directory) {
  struct stat status {};
  return fstat(directory, &status) == 0 && status.st_uid == geteuid() && std::time(nullptr) - status.st_mtime > kDay &&
         flock(directory, LOCK_EX | LOCK_NB) == 0;
}

void remove_abandoned(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(kPrefix)) continue;
    const int directory = open_directory(entry->path());
    if (directory < 0) continue;
    std::error_code ignored;
    if (is_abandoned(directory)) fs::remove_all(entry->path(), ignored);
    close(directory);
  }
}

}  // namespace

PrivateDirectory::PrivateDirectory() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error) parent = "/tmp";
  remove_abandoned(parent);
  std::string name = (parent / (std::string(kPrefix) + "XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr)
    throw CompileError("cannot make a directory to compile a kernel in, " + name + ": " + std::strerror(errno) +
                       "; set TMPDIR to a directory that can be written to");
  path_ = name;
  lock_ = open_directory(path_);
  if (lock_ >= 0) flock(lock_, LOCK_EX | LOCK_NB);
}

PrivateDirectory::~PrivateDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) close(lock_);
}

}  // namespace scantune
