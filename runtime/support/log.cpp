#include "support/log.h"

#include <unistd.h>

#include <memory>
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
  std::recursive_mutex calling;  // a log may call what has a remark to make
  std::mutex remembering;        // guards what follows, and is not held while the function runs
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
  const std::lock_guard calling(to.calling);
  std::unique_lock remembering(to.remembering);
  if (to.function == nullptr && is_quiet()) return;
  const auto [text, is_new] = to.said.emplace(message);
  if (!is_new) return;
  const LogFunction function = to.function;
  void* const user = to.user;
  remembering.unlock();
  if (function != nullptr)
    function(user, text->c_str());
  else
    write_line(*text);
} catch (...) {  // out of memory: the remark is dropped
}

void set_log(LogFunction function, void* user) noexcept {
  Log& to = log();
  const std::lock_guard calling(to.calling);
  const std::lock_guard remembering(to.remembering);
  to.function = function;
  to.user = user;
}

void before_fork_of_log() noexcept { log().remembering.lock(); }
void after_fork_of_log() noexcept { log().remembering.unlock(); }

// A thread that the child lacks may hold the other mutex. Not even its owner could unlock it: it has another id here.
void after_fork_of_log_in_child() noexcept {
  std::construct_at(&log().calling);
  log().remembering.unlock();
}

}  // namespace scantune
