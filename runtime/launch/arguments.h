// What can be said against the arguments of a scan without asking the driver.
#pragma once

#include <string>

#include "config/request.h"

namespace scantune {

// The pointers of one call.
struct ScanPointers {
  const void* input;
  void* output;
  const void* init_memory;  // of Init::memory
};

// False if arguments_problem() has something to say. Small enough for every call of a plan.
bool arguments_are_plausible(const ScanRequest& request, const ScanPointers& pointers);

// What is wrong with the pointers of a scan of n > 0 items, naming the argument; empty if nothing is.
std::string arguments_problem(const ScanRequest& request, const ScanPointers& pointers);

// What is wrong with a request apart from having no kernel; empty if nothing is.
std::string size_problem(const ScanRequest& request);

}  // namespace scantune
