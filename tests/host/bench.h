// One device and the kernels for all tests of a process.
#pragma once

#include "scan_kernels.h"

namespace scantune {

struct Bench {
  HostDevice device;
  ScanKernels kernels;
};
inline Bench& bench() {
  static Bench instance;
  return instance;
}

}  // namespace scantune
