#include "select/distance.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

namespace scantune {
namespace {

bool is_other_device(const TuningRecord& record, const DeviceIdentity& device) {
  return record.device.name != device.name || record.device.sm_count != device.sm_count;
}

TypeMatch types_of(const ScanRequest& tuned, const ScanRequest& asked) {
  auto match = TypeMatch::same;
  for (const RequestMember& member : kRequestMembers) {
    if (member.match != Match::width || member.get(tuned) == member.get(asked)) continue;
    const bool same_class = is_floating(static_cast<ValueType>(member.get(tuned))) ==
                            is_floating(static_cast<ValueType>(member.get(asked)));
    match = std::max(match, same_class ? TypeMatch::same_class : TypeMatch::other_class);
  }
  return match;
}

// The members of that kind in which the two differ.
int differing(Match match, const ScanRequest& tuned, const ScanRequest& asked) {
  return static_cast<int>(std::ranges::count_if(kRequestMembers, [&](const RequestMember& member) {
    return member.match == match && member.spelling == Spelling::token && member.get(tuned) != member.get(asked);
  }));
}

OperatorMatch match_of(const TuningRecord& record, const Wanted& wanted) {
  const bool same_name = record.operator_name == wanted.operator_name;
  if (same_name && !record.operator_name.empty()) return OperatorMatch::same;
  if (record.request.op != wanted.request.op) return OperatorMatch::other;
  if (same_name) return OperatorMatch::same;
  return record.operator_name.empty() ? OperatorMatch::cost_class : OperatorMatch::sibling;
}

auto all_but_n(const Distance& distance) {
  return std::tuple(distance.other_device, distance.types, distance.match, distance.otherwise, distance.sm_count,
                    distance.guarantees);
}

}  // namespace

bool Distance::is_alike(const Distance& other) const { return all_but_n(*this) == all_but_n(other); }

Distance distance(const TuningRecord& record, const Wanted& wanted) {
  const ScanRequest &tuned = record.request, &request = wanted.request;
  const double octaves = std::abs(std::log2(static_cast<double>(tuned.n)) - std::log2(static_cast<double>(request.n)));
  const bool far = octaves > 1;
  const int otherwise = differing(Match::nearest, tuned, request);
  Distance distance{.other_device = is_other_device(record, wanted.device),
                    .types = types_of(tuned, request),
                    .match = match_of(record, wanted),
                    .far = far,
                    .otherwise_nearby = far ? 0 : otherwise,
                    .other_n = 0,
                    .sm_count = std::abs(record.device.sm_count - wanted.device.sm_count),
                    .guarantees = differing(Match::at_most, tuned, request),
                    .octaves = octaves,
                    .otherwise = otherwise,
                    .stale = record.is_stale(),
                    .other_served = differing(Match::served, tuned, request),
                    .layer = record.layer};
  distance.other_n = !distance.other_device && !distance.other_operator() && tuned.n != request.n;
  return distance;
}

}  // namespace scantune
