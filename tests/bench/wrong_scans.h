// Finds which of several scans are wrong, when the CPU has time for parts of one output only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace scantune::bench {

// How an output differs from the expected one, and which of the two the CPU finds wrong there.
struct Difference {
  bool expected_is_wrong;
  std::string message;  // who is wrong, and where
};

struct ScanOutputs {
  int scans;  // their number; the others are compared with the first one only when none of them is right
  // Makes a scan's output the expected one. Returns what the CPU finds wrong in it, if anything.
  std::function<std::optional<std::string>(int scan)> expect;
  // Compares a scan's outputs with the expected one.
  std::function<std::optional<Difference>(int scan)> compare;
};

// Returns for each scan what is wrong with it, or an empty string.
std::vector<std::string> wrong_scans(const ScanOutputs& outputs);

}  // namespace scantune::bench
