#include "select/selector.h"

#include <cstdio>
#include <span>

#include "select/distance.h"
#include "space/spelling.h"

namespace scantune {
namespace {

// A record that serves, and the one on the other side of n if a breakpoint between them decided.
struct Choice {
  const TuningRecord* record = nullptr;
  Distance distance{};
  const TuningRecord* other = nullptr;
};

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
  return distance.octaves <= 1 || record.config.family().preference(wanted.request, wanted.device.sm) >=
                                      wanted.default_family.preference(wanted.request, wanted.device.sm);
}

// The nearest record that serves of those that `admits` lets pass; without a record when there is none.
template <class Admits>
Choice nearest_of(std::span<const TuningRecord> candidates, const Wanted& wanted, const Admits& admits) {
  Choice nearest;
  for (const TuningRecord& record : candidates) {
    const Distance candidate = distance(record, wanted);
    if (nearest.record != nullptr && !(candidate < nearest.distance)) continue;
    if (admits(record, candidate) && serves(record, candidate, wanted)) nearest = {&record, candidate};
  }
  return nearest;
}

// The nearest record, or the one on the other side of n where a measurement between the two says so.
Choice by_breakpoint(const Choice& nearest, std::span<const TuningRecord> candidates, const Wanted& wanted) {
  const u64 n = wanted.request.n, nearest_n = nearest.record->request.n;
  if (nearest_n == n) return nearest;
  Choice other = nearest_of(candidates, wanted, [&](const TuningRecord& record, const Distance& candidate) {
    return (record.request.n > n) != (nearest_n > n) && record.request.n != n && candidate.is_alike(nearest.distance);
  });
  if (other.record == nullptr) return nearest;
  const bool nearest_is_low = nearest_n < n;
  const TuningRecord &low = *(nearest_is_low ? nearest : other).record,
                     &high = *(nearest_is_low ? other : nearest).record;
  if (!low.breakpoint || low.breakpoint->n_high != high.request.n || problem_of(low) != problem_of(high))
    return nearest;
  Choice choice = (n >= low.breakpoint->n_switch) == nearest_is_low ? other : nearest;
  choice.other = choice.record == &low ? &high : &low;
  return choice;
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

std::string percent(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * fraction);
  return text;
}

std::string n_equals(const char* words, u64 n) { return words + std::string("n = ") + std::to_string(n); }

// Why a record of another n serves this one.
std::string by_which_n(const Choice& choice, u64 n) {
  if (choice.other == nullptr) return n_equals("the nearest that serves ", n);
  const bool is_below = choice.record->request.n < n;
  const Breakpoint& breakpoint = *(is_below ? choice.record : choice.other)->breakpoint;
  return n_equals("which serves ", n) + (is_below ? ", below" : ", from") +
         n_equals(" the breakpoint ", breakpoint.n_switch) + n_equals(" between it and ", choice.other->request.n) +
         ", at most " + percent(breakpoint.regret) + " slower than the other";
}

std::string reason_of(const Choice& choice, const ScanRequest& request) {
  const TuningRecord& record = *choice.record;
  const Distance& distance = choice.distance;
  std::string text = "tuned for " + whose(record, distance) + "n = " + std::to_string(record.request.n);
  if (record.request.n != request.n) text += " (" + by_which_n(choice, request.n) + ')';
  text += where(record, distance);
  if (distance.other_latency)
    text += std::string("; measured ") + token(record.request.latency) + ", for want of a record measured " +
            token(request.latency);
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
  const auto candidates = table.candidates(device.sm, request);
  if (const Choice nearest = nearest_of(candidates, wanted, [](auto&&...) { return true; });
      nearest.record != nullptr) {
    const Choice choice = by_breakpoint(nearest, candidates, wanted);
    return {choice.record->config, origin_of(choice.distance), reason_of(choice, request), *choice.record};
  }
  return {untuned, ConfigOrigin::untuned,
          "no tuning record serves " + to_string(request, operator_name) + " on " + describe(device), std::nullopt};
}

}  // namespace scantune
