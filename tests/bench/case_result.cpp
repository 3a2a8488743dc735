#include "case_result.h"

#include <algorithm>

#include "measure/statistics.h"

namespace scantune::bench {

Time time_of(std::vector<double> samples_us, const std::vector<double>& others_us) {
  for (std::size_t sample = 0; sample < others_us.size(); ++sample) samples_us[sample] -= others_us[sample];
  return {quantile(samples_us, 0.5), spread(samples_us)};
}

const Time* CaseResult::fastest(Role role, Condition condition) const {
  const Time* best = nullptr;
  for (const ContenderTimes& contender : contenders) {
    const auto found = contender.times.find(condition);
    if (contender.role != role || found == contender.times.end()) continue;
    if (best == nullptr || found->second.median_us < best->median_us) best = &found->second;
  }
  return best;
}

std::optional<double> CaseResult::ratio(Role role, Condition condition) const {
  const Time *other = fastest(role, condition), *own = fastest(Role::scantune, condition);
  if (other == nullptr || own == nullptr) return std::nullopt;
  return other->median_us / own->median_us;
}

double CaseResult::spread(Condition condition) const {
  double most = 0;
  for (const Role role : {Role::scantune, Role::cub})
    if (const Time* time = fastest(role, condition)) most = std::max(most, time->spread);
  return most;
}

double CaseResult::gigabytes_per_second(const Time& time) const {
  return static_cast<double>(moved_bytes(subject.request)) / time.median_us * 1e-3;
}

}  // namespace scantune::bench
