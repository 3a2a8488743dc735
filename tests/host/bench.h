// One device and its compiled kernels for all tests of a process.
#pragma once

#include "kept_compiler.h"
#include "scan_kernels.h"

namespace scantune {

struct Bench {
  HostDevice device{0, kept_host_compiler()};
  ScanKernels kernels{device};
};
inline Bench& bench() {
  static Bench instance;
  return instance;
}

}  // namespace scantune
