#include "support/log.h"

#include <unistd.h>

#include <mutex>
#include <set>
#include <string>

#include "support/environment.h"

namespace scantune {
namespace {

bool is_quiet() {
  const char* const value = environment_variable("SCANTUNE_LOG");
  return value != nullptr && std::string_view(value) == "quiet";
}

// The log is never destroyed: threads may make remarks while the process ends.
struct Log {
  std::recursive_mutex mutex;  // a log may call what has a remark to make
  LogFunction function = nullptr;
  void* user = nullptr;
  std::set<std::string, std::less<>> said;
};

Log& log() {
  static Log& only = *new Log;
  return only;
}

// Writes the line at once, so that lines of several threads and processes do not mix.
void write_line(const std::string& message) {
  const std::string line = "scantune: " + message + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void log_once(std::string_view message) noexcept try {
  Log& to = log();
  const std::lock_guard lock(to.mutex);
  if (to.function == nullptr && is_quiet()) return;
  const auto [text, is_new] = to.said.emplace(message);
  if (!is_new) return;
  if (to.function != nullptr)
    to.function(to.user, text->c_str());
  else
    write_line(*text);
} catch (...) {  // out of memory: the remark is dropped
}

void set_log(LogFunction function, void* user) noexcept {
  Log& to = log();
  const std::lock_guard lock(to.mutex);
  to.function = function;
  to.user = user;
}

}  // namespace scantune
