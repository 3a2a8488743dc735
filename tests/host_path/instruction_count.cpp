#include "instruction_count.h"

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace scantune::testing {
namespace {

constexpr int kWarmUps = 3;
constexpr int kFailed = 1, kNotTraced = 2;  // exit codes of the child
constexpr int kMark = SIGSTOP;              // what the child raises before and after each call; never delivered to it

[[noreturn]] void run_child(const std::function<std::vector<Call>()>& prepare) {
  int code = kFailed;
  try {
    std::vector<Call> calls = prepare();
    calls.emplace_back([] {});  // counts the instructions of the marks themselves
    for (int round = 0; round < kWarmUps; ++round)
      for (const Call& call : calls) call();
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(kNotTraced);
    for (const Call& call : calls) {
      std::raise(kMark);
      call();
      std::raise(kMark);
    }
    code = 0;
  } catch (const std::exception& error) {
    std::cerr << "the child whose instructions are counted: " << error.what() << std::endl;
  }
  _exit(code);
}

enum class Step { one_instruction, to_next_stop };

class Child {
 public:
  explicit Child(const std::function<std::vector<Call>()>& prepare) : id_(fork()) {
    if (id_ == 0) run_child(prepare);
    if (id_ < 0) throw std::runtime_error(std::string("no child could be made: ") + std::strerror(errno));
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (ended_) return;
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }

  // Waits for the next stop of the child and returns its signal; 0 if the child ended. Throws if it failed.
  int wait() {
    int status = 0;
    if (waitpid(id_, &status, 0) != id_) throw std::runtime_error(std::strerror(errno));
    if (WIFSTOPPED(status)) return WSTOPSIG(status);
    ended_ = true;
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNotTraced)
      throw TracingRefused(
          "this machine does not let a process trace its child: allow ptrace (in a container by --cap-add=SYS_PTRACE "
          "or "
          "its seccomp profile, else by kernel.yama.ptrace_scope below 3)");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      throw std::runtime_error("the child whose instructions are counted has failed");
    return 0;
  }

  int go_on(Step step) {
    const auto request = step == Step::one_instruction ? PTRACE_SINGLESTEP : PTRACE_CONT;
    if (ptrace(request, id_, nullptr, nullptr) != 0) throw std::runtime_error(std::strerror(errno));
    return wait();
  }

 private:
  pid_t id_;
  bool ended_ = false;
};

void expect_mark(int signal) {
  if (signal == kMark) return;
  throw std::runtime_error("the child whose instructions are counted " +
                           (signal == 0 ? "ended within a call" : std::string("was stopped by ") + strsignal(signal)));
}

long instructions_to_next_mark(Child& child) {
  long count = 0;
  int signal = child.go_on(Step::one_instruction);
  for (; signal == SIGTRAP; signal = child.go_on(Step::one_instruction)) ++count;
  expect_mark(signal);
  return count;
}

}  // namespace

std::vector<long> instructions_of(const std::function<std::vector<Call>()>& prepare) {
  Child child(prepare);
  std::vector<long> counts;
  for (int signal = child.wait(); signal != 0; signal = child.go_on(Step::to_next_stop)) {
    expect_mark(signal);
    counts.push_back(instructions_to_next_mark(child));
  }
  const long marks = counts.back();
  counts.pop_back();
  for (long& count : counts) count -= marks;
  return counts;
}

}  // namespace scantune::testing
