#include "jit/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace scantune {
namespace {

void check(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

class SpawnActions {
 public:
  SpawnActions() { check(posix_spawn_file_actions_init(&actions_), "posix_spawn_file_actions_init"); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

class SpawnAttributes {
 public:
  SpawnAttributes() { check(posix_spawnattr_init(&attributes_), "posix_spawnattr_init"); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  posix_spawnattr_t* get() { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return descriptor_; }
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

 private:
  int descriptor_;
};

pid_t spawn(const std::filesystem::path& program, const std::vector<std::string>& arguments,
            const std::filesystem::path& directory, int output) {
  SpawnActions actions;
  check(posix_spawn_file_actions_addchdir_np(actions.get(), directory.c_str()), "posix_spawn_file_actions_addchdir_np");
  check(posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0),
        "posix_spawn_file_actions_addopen");
  check(posix_spawn_file_actions_adddup2(actions.get(), output, 1), "posix_spawn_file_actions_adddup2");
  check(posix_spawn_file_actions_adddup2(actions.get(), output, 2), "posix_spawn_file_actions_adddup2");
  // A group of its own, so that a compiler driver dies with the processes that it has started.
  SpawnAttributes attributes;
  check(posix_spawnattr_setflags(attributes.get(), POSIX_SPAWN_SETPGROUP), "posix_spawnattr_setflags");
  check(posix_spawnattr_setpgroup(attributes.get(), 0), "posix_spawnattr_setpgroup");

  std::string name = program.string();
  std::vector<std::string> texts = arguments;
  std::vector<char*> argv{name.data()};
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  check(posix_spawn(&child, name.c_str(), actions.get(), attributes.get(), argv.data(), environ), name.c_str());
  return child;
}

// Collects the output until the other end is closed. False when the time is up first.
bool read_until(int input, std::chrono::steady_clock::time_point deadline, std::string& output) {
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
    output.append(buffer, static_cast<std::size_t>(count));
  }
}

}  // namespace

ChildResult run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                      const std::filesystem::path& directory, std::chrono::milliseconds timeout) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  Descriptor input(ends[0]), output(ends[1]);
  const pid_t child = spawn(program, arguments, directory, output.get());
  output.close();

  ChildResult result;
  result.timed_out = !read_until(input.get(), std::chrono::steady_clock::now() + timeout, result.output);
  if (result.timed_out) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace scantune
