#include "select/selector.h"

#include <cmath>
#include <compare>
#include <cstdlib>

#include "space/spelling.h"

namespace scantune {
namespace {

// Whose kernels a record was measured with. A custom operator is known by its name where it has one.
enum class OperatorMatch {
  same,        // this operator's: built-in, of the same name, or without a name as this one
  cost_class,  // the stand-in's of this operator's cost class
  sibling,     // a named one's of this operator's cost class
  other
};

// Whose values a record was measured with. All are as wide as those asked for.
enum class TypeMatch {
  same,
  same_class,  // integers for integers, floating-point numbers for such
  other_class
};

// What is asked for.
struct Wanted {
  const DeviceIdentity& device;
  const ScanRequest& request;
  std::string_view operator_name;
  const FamilyModel& default_family;  // of the config without records
};

// How far a record is from a problem; compared member by member, the least wins.
struct Distance {
  int other_device;  // 1 if so
  TypeMatch types;
  OperatorMatch match;
  int other_n;     // 1 if so, on this device and for operators that match
  int sm_count;    // difference; 0 on the same device
  int guarantees;  // how many the request asks for that the record was not tuned under
  double octaves;  // |log2(n of the record / n)|
  int stale;       // 1 if the kernels have changed since
  int other_kind;  // 1 if so
  Layer layer;     // built-in records last; then the order of the files

  auto operator<=>(const Distance&) const = default;

  bool other_operator() const { return match >= OperatorMatch::sibling; }
};

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

Distance distance(const TuningRecord& record, const Wanted& wanted) {
  const ScanRequest &tuned = record.request, &request = wanted.request;
  Distance distance{
      .other_device = is_other_device(record, wanted.device),
      .types = types_of(tuned, request),
      .match = match_of(record, wanted),
      .other_n = 0,
      .sm_count = std::abs(record.device.sm_count - wanted.device.sm_count),
      .guarantees = (tuned.determinism != request.determinism) + (tuned.forward_progress != request.forward_progress),
      .octaves = std::abs(std::log2(static_cast<double>(tuned.n)) - std::log2(static_cast<double>(request.n))),
      .stale = record.is_stale(),
      .other_kind = tuned.kind != request.kind,
      .layer = record.layer};
  distance.other_n = !distance.other_device && !distance.other_operator() && tuned.n != request.n;
  return distance;
}

ConfigOrigin origin_of(const Distance& distance) {
  if (distance.layer == Layer::built_in) return ConfigOrigin::built_in;
  if (distance.other_device) return ConfigOrigin::other_device;
  if (distance.types != TypeMatch::same) return ConfigOrigin::other_types;
  if (distance.other_operator()) return ConfigOrigin::other_operator;
  return distance.other_n ? ConfigOrigin::between_n : ConfigOrigin::exact_n;
}

// A search under a guarantee left out configs that a request without it may use.
bool searched_widely_enough(const ScanRequest& tuned, const ScanRequest& request) {
  return tuned.determinism <= request.determinism && tuned.forward_progress <= request.forward_progress;
}

bool serves(const TuningRecord& record, const Distance& distance, const Wanted& wanted) {
  if (!searched_widely_enough(record.request, wanted.request)) return false;
  if (reject_reason(record.config, wanted.request, wanted.device.sm) != nullptr) return false;
  // Within an octave a measurement knows better than any rule. Farther away no family displaces a preferred one: the
  // fastest kernels for little and for much are of different families.
  return distance.octaves <= 1 ||
         record.config.family().preference(wanted.request) >= wanted.default_family.preference(wanted.request);
}

std::string where(const TuningRecord& record, const Distance& distance) {
  const std::string sms = std::to_string(record.device.sm_count) + " SMs";
  if (record.layer == Layer::built_in) return ": built-in record (" + record.device.name + ", " + sms + ")";
  if (!distance.other_device) return " on this device";
  return " on " + record.device.name + " with " + sms + ", the nearest device of this architecture that serves it";
}

std::string whose(const TuningRecord& record, const Distance& distance) {
  const std::string op = spell(SpelledOperator{record.request.op, record.operator_name});
  if (distance.types != TypeMatch::same)
    return spell_types(record.request) + ' ' + op + ", types of the same sizes, and ";
  switch (distance.match) {
    case OperatorMatch::same:
      return is_custom(record.request.op) && !record.operator_name.empty() ? op + " and " : "";
    case OperatorMatch::cost_class:
      return op + " operators of this size and ";
    default:
      return op + " of the same types and ";
  }
}

// The hash covers comments too: of built-in records no more is known than that something was edited.
const char* staleness(const TuningRecord& record) {
  return record.layer == Layer::built_in ? "; the kernel templates were edited after it was measured"
                                         : "; measured with other kernel templates, so it may no longer be the best";
}

std::string reason_of(const TuningRecord& record, const Distance& distance, const ScanRequest& request) {
  std::string text = "tuned for " + whose(record, distance) + "n = " + std::to_string(record.request.n);
  if (record.request.n != request.n) text += " (the nearest that serves n = " + std::to_string(request.n) + ')';
  text += where(record, distance);
  if (distance.guarantees) text += "; tuned without a guarantee that was asked for, and keeps it";
  if (distance.stale) text += staleness(record);
  return text;
}

std::string describe(const DeviceIdentity& device) { return device.name + " (" + device.arch + ")"; }

}  // namespace

Selection select(const TuningTable& table, const DeviceIdentity& device, const ScanRequest& request,
                 std::string_view operator_name) {
  const Config untuned = default_config(request, device.sm);
  const Wanted wanted{device, request, operator_name, untuned.family()};
  const TuningRecord* best = nullptr;
  Distance least{};
  for (const TuningRecord& record : table.candidates(device.sm, request)) {
    const Distance candidate = distance(record, wanted);
    if (best != nullptr && !(candidate < least)) continue;
    if (!serves(record, candidate, wanted)) continue;
    best = &record;
    least = candidate;
  }
  if (best != nullptr) return {best->config, origin_of(least), reason_of(*best, least, request), *best};
  return {untuned, ConfigOrigin::untuned,
          "no tuning record serves " + to_string(request, operator_name) + " on " + describe(device), std::nullopt};
}

}  // namespace scantune
