// Tests run twice: at first in a process of its own, where no kernel runs, only to tell which kernels they take. These
// are then compiled together, and the tests run. What a test draws must not depend on results, so that it takes the
// same kernels both times.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel_batch.h"

namespace scantune {

struct Rehearsal {
  bool is_on = false;
  bool was_on = false;
  std::set<std::string> seen;
  std::vector<Instantiation> asked_for;
  std::vector<std::string> missed;  // kernels that tests take without having told so
  int taken = 0;                    // kernels that the test at hand has taken; the same one may count twice
  KernelBatch kernels;
};
Rehearsal& rehearsal();

}  // namespace scantune
