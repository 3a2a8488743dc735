// A process between a compiler and its caller: if the caller ends, it ends the compiler.
#pragma once

#include <sys/types.h>

#include "core/contract/types.h"

namespace scantune {

// What to run. It is prepared before the fork: afterwards a process with several threads must not allocate.
struct SupervisedProgram {
  const char* path;
  char* const* arguments;  // with the name in front and a null pointer at the end
  char* const* environment;
  const char* directory;
  int output;      // takes standard output and error
  int report;      // takes errno if the program cannot be started; closed by its start
  u64 most_bytes;  // address space of each process
  u64 most_cpu_s;  // CPU seconds of each process
  pid_t starter;   // the process that forks
};

// The body of a forked process. It leads a process group of its own, runs the program in it, and exits with its status
// as a shell would say it. It kills the group when the caller ends for any reason, which a compiler's driver and its
// child programs would not notice. All signals must be blocked.
[[noreturn]] void supervise(const SupervisedProgram& program);

}  // namespace scantune
