#include "jit/child_process.h"

#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <system_error>
#include <thread>

namespace scantune::child_process_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr u64 kPlenty = u64{1} << 33;

ChildResult run_shell(const std::string& script, const ChildLimits& limits = {60s, kPlenty}) {
  return run_child("/bin/sh", {"-c", script}, "/", limits);
}

TEST(ChildProcess, GivesOutputAndStatusBack) {
  const ChildResult result = run_shell("echo out; echo err >&2; cat; pwd; exit 7");
  EXPECT_EQ(result.output, "out\nerr\n/\n");
  EXPECT_EQ(result.exit_status, 7);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(run_shell("kill -SEGV $$").exit_status, 128 + SIGSEGV);
}

TEST(ChildProcess, ThatCannotStartThrowsWhy) {
  const auto start = [](const std::string& program, const std::string& directory) {
    try {
      run_child(program, {}, directory, {60s, kPlenty});
    } catch (const std::system_error& error) {
      return error.code().value();
    }
    return 0;
  };
  EXPECT_EQ(start("/nowhere/at/all", "/"), ENOENT);
  EXPECT_EQ(start("/", "/"), EACCES);
  EXPECT_EQ(start("/bin/sh", "/nowhere"), ENOENT);
}

TEST(ChildProcess, DiesWithItsChildrenWhenItTakesTooLong) {
  const auto start = std::chrono::steady_clock::now();
  const ChildResult result = run_shell("echo begun; sleep 60 & sleep 60; wait", {300ms, kPlenty});
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.output, "begun\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
}

TEST(ChildProcess, RunsWithinLimitsOfMemoryAndCpuTime) {
  EXPECT_EQ(run_shell("ulimit -v; ulimit -t; ulimit -c", {1500ms, u64{64} << 20}).output, "65536\n3\n0\n");
}

TEST(ChildProcess, HasNeitherTheSignalsNorTheFilesOfItsStarter) {
  signal(SIGUSR1, SIG_IGN);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  const int open_file = dup(0);
  const std::string listed = run_shell("ls /proc/self/fd | wc -l; kill -USR1 $$").output;
  EXPECT_EQ(run_shell("kill -USR1 $$").exit_status, 128 + SIGUSR1);
  EXPECT_EQ(run_shell("kill -USR2 $$").exit_status, 128 + SIGUSR2);
  EXPECT_EQ(listed, "4\n");  // the three standard ones, and the folder
  close(open_file);
  sigprocmask(SIG_UNBLOCK, &blocked, nullptr);
  signal(SIGUSR1, SIG_DFL);
}

// Makes close_range() fail, as it does on older systems and in some sandboxes.
void forbid_close_range() {
  sock_filter program[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
                           {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_close_range},
                           {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
                           {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_fprog filter{4, program};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

TEST(ChildProcess, HasNoFilesOfItsStarterWhereTheSystemClosesOnlyOneByOne) {
  const int open_file = dup(0);
  const auto list = [] {
    forbid_close_range();
    _exit(run_shell("ls /proc/self/fd | wc -l").output == "4\n" ? 0 : 1);
  };
  EXPECT_EXIT(list(), testing::ExitedWithCode(0), "");
  close(open_file);
}

// The child writes 2 MiB, and the rest of it is read and dropped.
TEST(ChildProcess, WritesToItsEndAndTheBeginningIsKept) {
  const ChildResult result = run_shell("head -c 2097152 /dev/zero | tr '\\0' 'x'; exit 3");
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.output.substr(0, kMostOutputBytes), std::string(kMostOutputBytes, 'x'));
  EXPECT_EQ(result.output.substr(kMostOutputBytes), "\n[1048576 bytes more are left out]\n");
}

// How the starter finds a child whose output needs more memory than there is.
std::string left_of_a_child_that_fills_the_memory() {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlimit limit{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)), RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
  try {
    run_shell("head -c 1048576 /dev/zero; sleep 60", {20s, kPlenty});
    return "the memory sufficed";
  } catch (const std::bad_alloc&) {
    return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD ? "nothing" : "a child";
  }
}

TEST(ChildProcess, IsKilledWhereItsOutputCannotBeKept) {
  EXPECT_EXIT(_exit(left_of_a_child_that_fills_the_memory() == "nothing" ? 0 : 1), testing::ExitedWithCode(0), "");
}

// A killed process that nobody waits for counts as gone.
bool runs(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string id, name, state;
  return file >> id >> name >> state && state != "Z" && state != "X";
}

// Forks a process that waits in run_child() for a shell and for what that has started.
class Starter {
 public:
  Starter() {
    std::string name = (std::filesystem::temp_directory_path() / "scantune-child-XXXXXX").string();
    directory_ = mkdtemp(name.data());
    id_ = fork();
    if (id_ == 0) {
      setpgid(0, 0);
      run_child("/bin/sh", {"-c", "sleep 60 & echo $! $$ > new && mv new ids && wait"}, directory_, {60s, kPlenty});
      _exit(0);
    }
    setpgid(id_, id_);
    while (!std::filesystem::exists(directory_ / "ids")) std::this_thread::sleep_for(1ms);
    std::ifstream(directory_ / "ids") >> grandchild_ >> child_;
  }
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;
  ~Starter() { std::filesystem::remove_all(directory_); }

  bool children_run() const { return runs(child_) || runs(grandchild_); }
  void kill_it(bool with_its_group) const {
    kill(with_its_group ? -id_ : id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }

 private:
  std::filesystem::path directory_;
  pid_t id_, child_ = 0, grandchild_ = 0;
};

TEST(ChildProcess, EndsWithTheProcessThatStartedItHoweverThatIsKilled) {
  for (int round = 0; round < 20; ++round) {
    const Starter starter;
    ASSERT_TRUE(starter.children_run());
    starter.kill_it(round % 2 == 0);
    const auto deadline = std::chrono::steady_clock::now() + 5s;  // it takes milliseconds, but longer on a busy machine
    while (starter.children_run() && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(1ms);
    ASSERT_FALSE(starter.children_run()) << "round " << round;
  }
}

}  // namespace
}  // namespace scantune::child_process_test
