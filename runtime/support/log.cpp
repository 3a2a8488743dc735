#include "support/log.h"

#include <unistd.h>

#include <mutex>
#include <set>
#include <string>

namespace scantune {
namespace {

bool first_time(std::string_view message) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> seen;
  const std::lock_guard lock(mutex);
  return seen.emplace(message).second;
}

}  // namespace

void log_once(std::string_view message) noexcept try {
  if (!first_time(message)) return;
  // One write: lines of several threads and processes do not mix.
  const std::string line = "scantune: " + std::string(message) + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
} catch (...) {  // out of memory: a remark is not worth more trouble
}

}  // namespace scantune
