#include "jit/supervisor.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

// Everything here is async-signal-safe or a bare call of the system.

namespace scantune {
namespace {

constexpr int kCannotRun = 127;         // as a shell says it
constexpr rlim_t kMostFiles = 1 << 20;  // without a limit of the system, to go over all would take minutes

void kill_group(int) { kill(0, SIGKILL); }

[[noreturn]] void fail(int report) {
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(kCannotRun);
}

// The starter's handlers must not run here, and the signals that it ignores must not be ignored by the program.
void reset_signals() {
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &by_default, nullptr);
}

// The signal comes when the thread that has forked ends. That thread waits for this process, so it ends only when its
// own process does.
void end_with(pid_t starter) {
  struct sigaction on_death {};
  on_death.sa_handler = kill_group;
  sigaction(SIGTERM, &on_death, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != starter) kill_group(SIGTERM);  // it ended before the signal was requested
}

void unblock_signals() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// What the starter has open would stay open as long as this process lives: the other end of a pipe must see its end.
void close_between(unsigned first, unsigned last) {
  if (first > last) return;
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, last, 0) == 0) return;
#endif
  // Linux has the call since 5.9, and some sandboxes refuse it. One by one, a million files take a tenth of a second.
  rlimit limits{};
  if (getrlimit(RLIMIT_NOFILE, &limits) != 0) return;
  const rlim_t end = std::min<rlim_t>(limits.rlim_cur, kMostFiles);
  for (rlim_t file = first; file <= last && file < end; ++file) close(static_cast<int>(file));
}

// Returns the descriptor that takes reports from now on.
int arrange_descriptors(const SupervisedProgram& program) {
  const int report = fcntl(program.report, F_DUPFD_CLOEXEC, 3);  // not where a standard one belongs
  const int output = fcntl(program.output, F_DUPFD_CLOEXEC, 3);
  const int input = open("/dev/null", O_RDONLY);
  if (report < 0 || output < 0 || input < 0) fail(program.report);
  if (dup2(output, 1) < 0 || dup2(output, 2) < 0 || dup2(input, 0) < 0) fail(report);
  close_between(3, static_cast<unsigned>(report) - 1);
  close_between(static_cast<unsigned>(report) + 1, std::numeric_limits<unsigned>::max());
  return report;
}

void limit(__rlimit_resource resource, u64 most) {
  rlimit limits{};
  if (getrlimit(resource, &limits) != 0) return;
  limits.rlim_cur = limits.rlim_max = std::min<rlim_t>(limits.rlim_max, most);
  setrlimit(resource, &limits);
}

[[noreturn]] void execute(const SupervisedProgram& program, int report) {
  limit(RLIMIT_AS, program.most_bytes);
  limit(RLIMIT_CPU, program.most_cpu_s);
  limit(RLIMIT_CORE, 0);
  execve(program.path, program.arguments, program.environment);
  fail(report);
}

int exit_status_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

void supervise(const SupervisedProgram& program) {
  setpgid(0, 0);
  reset_signals();
  end_with(program.starter);
  unblock_signals();
  const int report = arrange_descriptors(program);
  if (chdir(program.directory) != 0) fail(report);
  const pid_t process = fork();
  if (process < 0) fail(report);
  if (process == 0) execute(program, report);
  close(report);
  _exit(exit_status_of(process));
}

}  // namespace scantune
