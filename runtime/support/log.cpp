#include "support/log.h"

#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

namespace scantune {
namespace {

bool is_quiet() {
  const char* const value = std::getenv("SCANTUNE_LOG");
  return value != nullptr && std::string_view(value) == "quiet";
}

bool first_time(std::string_view message) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> seen;
  const std::lock_guard lock(mutex);
  return seen.emplace(message).second;
}

}  // namespace

void log_once(std::string_view message) noexcept try {
  if (is_quiet() || !first_time(message)) return;
  // One write: lines of several threads and processes do not mix.
  const std::string line = "scantune: " + std::string(message) + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
} catch (...) {  // out of memory: a remark is not worth more trouble
}

}  // namespace scantune
