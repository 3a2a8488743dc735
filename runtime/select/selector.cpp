#include "select/selector.h"

#include <cmath>
#include <compare>
#include <cstdlib>

namespace scantune {
namespace {

// How far a record is from a problem; compared member by member, the least wins.
struct Distance {
  ConfigOrigin origin;
  int other_operator;  // 1 if so
  int sm_count;        // difference; 0 on the same device
  int guarantees;      // how many the request asks for that the record was not tuned under
  double octaves;      // |log2(n of the record / n)|
  int stale;           // 1 if the kernels have changed since
  int other_kind;      // 1 if so
  Layer layer;         // then the order of the files

  auto operator<=>(const Distance&) const = default;
};

bool same_device(const DeviceIdentity& a, const DeviceIdentity& b) {
  return a.name == b.name && a.sm_count == b.sm_count;
}

ConfigOrigin origin_of(const TuningRecord& record, const DeviceIdentity& device, const ScanRequest& request) {
  if (record.layer == Layer::built_in) return ConfigOrigin::built_in;
  if (!same_device(record.device, device)) return ConfigOrigin::other_device;
  if (record.request.op != request.op) return ConfigOrigin::other_operator;
  return record.request.n == request.n ? ConfigOrigin::exact_n : ConfigOrigin::between_n;
}

Distance distance(const TuningRecord& record, const DeviceIdentity& device, const ScanRequest& request) {
  return {
      .origin = origin_of(record, device, request),
      .other_operator = record.request.op != request.op,
      .sm_count = std::abs(record.device.sm_count - device.sm_count),
      .guarantees = (record.request.determinism != request.determinism) +
                    (record.request.forward_progress != request.forward_progress),
      .octaves = std::abs(std::log2(static_cast<double>(record.request.n)) - std::log2(static_cast<double>(request.n))),
      .stale = record.is_stale(),
      .other_kind = record.request.kind != request.kind,
      .layer = record.layer};
}

// A search under a guarantee left out configs that a request without it may use.
bool searched_widely_enough(const ScanRequest& tuned, const ScanRequest& request) {
  return tuned.determinism <= request.determinism && tuned.forward_progress <= request.forward_progress;
}

bool serves(const TuningRecord& record, const Distance& distance, const DeviceIdentity& device,
            const ScanRequest& request) {
  if (!searched_widely_enough(record.request, request)) return false;
  if (reject_reason(record.config, request, device.sm) != nullptr) return false;
  // Far from where it won, a family that calls itself a last resort is worse than the default.
  return distance.octaves <= 1 || record.config.family().preference(request) > 0;
}

std::string where(const TuningRecord& record, ConfigOrigin origin) {
  switch (origin) {
    case ConfigOrigin::other_device:
      return "on " + record.device.name + " with " + std::to_string(record.device.sm_count) +
             " SMs, the nearest device of this architecture that serves it";
    case ConfigOrigin::built_in:
      return "on " + record.device.name + ", a record that came with the library";
    default:
      return "on this device";
  }
}

std::string reason_of(const TuningRecord& record, const Distance& distance, const ScanRequest& request) {
  std::string text = "tuned for ";
  if (distance.other_operator) text += std::string(token(record.request.op)) + " of the same types and ";
  text += "n = " + std::to_string(record.request.n);
  if (record.request.n != request.n) text += " (the nearest that serves n = " + std::to_string(request.n) + ')';
  text += ' ';
  text += where(record, distance.origin);
  if (distance.guarantees) text += "; tuned without a guarantee that was asked for, and keeps it";
  if (distance.stale) text += "; measured with other kernel templates, so it may no longer be the best";
  return text;
}

std::string describe(const DeviceIdentity& device) { return device.name + " (" + device.arch + ")"; }

}  // namespace

Selection select(const TuningTable& table, const DeviceIdentity& device, const ScanRequest& request) {
  const TuningRecord* best = nullptr;
  Distance least{};
  for (const TuningRecord& record : table.candidates(device.sm, request)) {
    const Distance candidate = distance(record, device, request);
    if (best != nullptr && !(candidate < least)) continue;
    if (!serves(record, candidate, device, request)) continue;
    best = &record;
    least = candidate;
  }
  if (best != nullptr) return {best->config, least.origin, reason_of(*best, least, request), *best};
  return {default_config(request, device.sm), ConfigOrigin::untuned,
          "no tuning record serves " + to_string(request) + " on " + describe(device), std::nullopt};
}

}  // namespace scantune
