#include "select/distance.h"

#include <cmath>
#include <cstdlib>
#include <tuple>

namespace scantune {
namespace {

bool is_other_device(const TuningRecord& record, const DeviceIdentity& device) {
  return record.device.name != device.name || record.device.sm_count != device.sm_count;
}

TypeMatch types_of(const ScanRequest& tuned, const ScanRequest& asked) {
  const auto all = [&](auto alike) {
    return alike(tuned.input_type, asked.input_type) && alike(tuned.accumulator_type, asked.accumulator_type) &&
           alike(tuned.output_type, asked.output_type);
  };
  if (all([](ValueType one, ValueType other) { return one == other; })) return TypeMatch::same;
  const bool same_class = all([](ValueType one, ValueType other) { return is_floating(one) == is_floating(other); });
  return same_class ? TypeMatch::same_class : TypeMatch::other_class;
}

OperatorMatch match_of(const TuningRecord& record, const Wanted& wanted) {
  const bool same_name = record.operator_name == wanted.operator_name;
  if (same_name && !record.operator_name.empty()) return OperatorMatch::same;
  if (record.request.op != wanted.request.op) return OperatorMatch::other;
  if (same_name) return OperatorMatch::same;
  return record.operator_name.empty() ? OperatorMatch::cost_class : OperatorMatch::sibling;
}

auto all_but_n(const Distance& distance) {
  return std::tuple(distance.other_device, distance.types, distance.match, distance.other_latency, distance.sm_count,
                    distance.guarantees);
}

}  // namespace

bool Distance::is_alike(const Distance& other) const { return all_but_n(*this) == all_but_n(other); }

Distance distance(const TuningRecord& record, const Wanted& wanted) {
  const ScanRequest &tuned = record.request, &request = wanted.request;
  const double octaves = std::abs(std::log2(static_cast<double>(tuned.n)) - std::log2(static_cast<double>(request.n)));
  const bool far = octaves > 1, other_latency = tuned.latency != request.latency;
  Distance distance{
      .other_device = is_other_device(record, wanted.device),
      .types = types_of(tuned, request),
      .match = match_of(record, wanted),
      .far = far,
      .other_latency_nearby = other_latency && !far,
      .other_n = 0,
      .sm_count = std::abs(record.device.sm_count - wanted.device.sm_count),
      .guarantees = (tuned.determinism != request.determinism) + (tuned.forward_progress != request.forward_progress),
      .octaves = octaves,
      .other_latency = other_latency,
      .stale = record.is_stale(),
      .other_kind = tuned.kind != request.kind,
      .layer = record.layer};
  distance.other_n = !distance.other_device && !distance.other_operator() && tuned.n != request.n;
  return distance;
}

}  // namespace scantune
