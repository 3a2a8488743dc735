#include "jit/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "jit/supervisor.h"
#include "support/file_descriptor.h"

namespace scantune {
namespace {

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

struct Pipe {
  Pipe() : Pipe(opened()) {}

  FileDescriptor output, input;  // to read from, to write to

 private:
  struct Ends {
    int of[2];
  };
  explicit Pipe(Ends ends) : output(ends.of[0]), input(ends.of[1]) {}
  static Ends opened() {
    Ends ends{};
    if (pipe2(ends.of, O_CLOEXEC) != 0) fail(errno, "pipe2");
    return ends;
  }
};

// No handler of this process may run in the one that it forks.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

pid_t fork_supervisor(const SupervisedProgram& program) {
  const BlockedSignals blocked;
  const pid_t child = fork();
  if (child < 0) fail(errno, "fork");
  if (child == 0) supervise(program);
  setpgid(child, child);  // the child does so, too, since either may be first
  return child;
}

u64 seconds_of(std::chrono::milliseconds time) {
  return static_cast<u64>(std::chrono::ceil<std::chrono::seconds>(time).count());
}

// The environment of this process, with another place for temporary files: a program that is killed leaves its own.
std::vector<std::string> environment_with(const std::filesystem::path& temporary) {
  std::vector<std::string> entries{"TMPDIR=" + temporary.string()};
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!std::string_view(*entry).starts_with("TMPDIR=")) entries.emplace_back(*entry);
  return entries;
}

// An argument list as exec takes it, which points into the texts.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers(texts.size() + 1);
  std::ranges::transform(texts, pointers.begin(), [](std::string& text) { return text.data(); });
  return pointers;
}

pid_t start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
            const std::filesystem::path& directory, const ChildLimits& limits, int output, int report) {
  std::vector<std::string> texts{program.string()}, entries = environment_with(directory);
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  return fork_supervisor({.path = program.c_str(),
                          .arguments = pointers_to(texts).data(),
                          .environment = pointers_to(entries).data(),
                          .directory = directory.c_str(),
                          .output = output,
                          .report = report,
                          .most_bytes = limits.memory_bytes,
                          .most_cpu_s = seconds_of(limits.time) + 1,
                          .starter = getpid()});
}

// A child that this process has started. Destroyed before it has ended, it is killed with its group.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (id_ == 0) return;
    kill();
    wait();
  }

  void kill() const { ::kill(-id_, SIGKILL); }
  // Returns its exit status.
  int wait() {
    int status = 0;
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t id_;  // 0 once it has ended
};

// What a child has written, as far as it is kept.
class Output {
 public:
  void add(std::string_view bytes) {
    const std::string_view kept = bytes.substr(0, kMostOutputBytes - text_.size());
    text_ += kept;
    left_out_ += bytes.size() - kept.size();
  }
  std::string text() && {
    if (left_out_ > 0) text_ += "\n[" + std::to_string(left_out_) + " bytes more are left out]\n";
    return std::move(text_);
  }

 private:
  std::string text_;
  u64 left_out_ = 0;
};

// The errno of a child that could not start its program; 0 once it has.
int error_of_start(int report) {
  int error = 0;
  ssize_t bytes = 0;
  do bytes = read(report, &error, sizeof error);
  while (bytes < 0 && errno == EINTR);
  return bytes == sizeof error ? error : 0;
}

// Collects the output until the other end is closed. Returns false when the time is up first.
bool read_until(int input, std::chrono::steady_clock::time_point deadline, Output& output) {
  char buffer[4096];
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{input, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t count = read(input, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    output.add({buffer, static_cast<std::size_t>(count)});
  }
}

}  // namespace

ChildResult run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                      const std::filesystem::path& directory, const ChildLimits& limits) {
  const auto deadline = std::chrono::steady_clock::now() + limits.time;
  Pipe output, report;
  Child child(start(program, arguments, directory, limits, output.input.get(), report.input.get()));
  output.input.close();
  report.input.close();
  if (const int error = error_of_start(report.output.get()); error != 0) {
    child.wait();
    fail(error, program.string());
  }
  Output written;
  const bool timed_out = !read_until(output.output.get(), deadline, written);
  if (timed_out) child.kill();
  const int exit_status = child.wait();
  return {.exit_status = exit_status, .timed_out = timed_out, .output = std::move(written).text()};
}

}  // namespace scantune
