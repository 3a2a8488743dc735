#include "judge.h"

namespace scantune::bench {
namespace {

// Compares every scan that is not known to be wrong. False as soon as the judge itself turns out to be.
bool judge_all(const Trial& trial, int judge, std::vector<std::string>& wrong) {
  for (int scan = 0; scan < trial.scans; ++scan) {
    if (!wrong[static_cast<std::size_t>(scan)].empty()) continue;
    const std::optional<Difference> difference = trial.compare(scan);
    if (!difference) continue;
    wrong[static_cast<std::size_t>(difference->expected_is_wrong ? judge : scan)] = difference->message;
    if (difference->expected_is_wrong) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> wrong_scans(const Trial& trial) {
  std::vector<std::string> wrong(static_cast<std::size_t>(trial.scans));
  for (int turn = 1; turn <= trial.scans; ++turn) {
    const int judge = turn % trial.scans;
    std::string& wrong_judge = wrong[static_cast<std::size_t>(judge)];
    if (!wrong_judge.empty()) continue;
    wrong_judge = trial.expect(judge).value_or("");
    if (wrong_judge.empty() && judge_all(trial, judge, wrong)) break;
  }
  return wrong;
}

}  // namespace scantune::bench
