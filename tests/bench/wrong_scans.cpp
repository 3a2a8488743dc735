#include "wrong_scans.h"

namespace scantune::bench {
namespace {

// Compares every scan that is not known to be wrong. False as soon as the reference itself turns out to be.
bool compare_all(const ScanOutputs& outputs, int reference, std::vector<std::string>& wrong) {
  for (int scan = 0; scan < outputs.scans; ++scan) {
    if (!wrong[static_cast<std::size_t>(scan)].empty()) continue;
    const std::optional<Difference> difference = outputs.compare(scan);
    if (!difference) continue;
    wrong[static_cast<std::size_t>(difference->expected_is_wrong ? reference : scan)] = difference->message;
    if (difference->expected_is_wrong) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> wrong_scans(const ScanOutputs& outputs) {
  std::vector<std::string> wrong(static_cast<std::size_t>(outputs.scans));
  for (int turn = 1; turn <= outputs.scans; ++turn) {
    const int reference = turn % outputs.scans;
    std::string& fault = wrong[static_cast<std::size_t>(reference)];
    if (!fault.empty()) continue;
    fault = outputs.expect(reference).value_or("");
    if (fault.empty() && compare_all(outputs, reference, wrong)) break;
  }
  return wrong;
}

}  // namespace scantune::bench
