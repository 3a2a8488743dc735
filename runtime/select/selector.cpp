#include "select/selector.h"

#include <algorithm>
#include <cstdio>
#include <optional>
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
  return std::ranges::all_of(kRequestMembers, [&](const RequestMember& member) {
    return member.match != Match::at_most || member.get(tuned) <= member.get(request);
  });
}

bool may_run(const TuningRecord& record, const Wanted& wanted) {
  return searched_widely_enough(record.request, wanted.request) &&
         reject_reason(record.config, wanted.request, wanted.device.sm) == nullptr;
}

// Whether no family is preferred to the record's for what is asked for. The fastest kernels for little and for much are
// of different families.
bool is_preferred(const TuningRecord& record, const Wanted& wanted) {
  return record.config.family().preference(wanted.request, wanted.device.sm) >=
         wanted.default_family.preference(wanted.request, wanted.device.sm);
}

// Whether the record won as the rule has it by which families are preferred, and the rule has another family take over
// for what is asked for: then the measurement is no evidence against it. A family that is preferred only because the
// record's is not any more takes nothing over.
bool is_superseded(const TuningRecord& record, const Wanted& wanted) {
  const int sm = wanted.device.sm;
  return wanted.default_family.preference(wanted.request, sm) > wanted.default_family.preference(record.request, sm) &&
         &default_config(record.request, sm).family() == &record.config.family();
}

// Whether the config held its own n in one tile or one cluster, and n no longer: it would take tile after tile, or tell
// other clusters by way of a workspace, which other configs do faster.
bool is_outgrown(const TuningRecord& record, const ScanRequest& request) {
  if (request.n <= record.request.n) return false;
  const FamilyModel& family = record.config.family();
  ScanRequest measured = request;
  measured.n = record.request.n;
  const auto kernel = [&](const ScanRequest& of) { return family.launches(record.config, of).launches[0].kernel; };
  const auto has_workspace = [&](const ScanRequest& of) { return family.workspace(record.config, of).bytes > 0; };
  return kernel(measured) != kernel(request) || has_workspace(measured) != has_workspace(request);
}

// The nearest record that may run of those that `admits` lets pass; without a record when there is none.
template <class Admits>
Choice nearest_of(std::span<const TuningRecord> candidates, const Wanted& wanted, const Admits& admits) {
  Choice nearest;
  for (const TuningRecord& record : candidates) {
    const Distance candidate = distance(record, wanted);
    if (nearest.record != nullptr && !(candidate < nearest.distance)) continue;
    if (admits(record, candidate) && may_run(record, wanted)) nearest = {&record, candidate};
  }
  return nearest;
}

// The nearest record of the same problem on the other side of n; without a record when another problem's is nearer
// there, or none is.
Choice across(const TuningRecord& record, const Distance& distance, std::span<const TuningRecord> candidates,
              const Wanted& wanted) {
  const u64 n = wanted.request.n;
  if (record.request.n == n) return {};
  const Choice other = nearest_of(candidates, wanted, [&](const TuningRecord& candidate, const Distance& its_distance) {
    return (candidate.request.n < n) != (record.request.n < n) && candidate.request.n != n &&
           its_distance.is_alike(distance);
  });
  return other.record != nullptr && problem_of(*other.record) == problem_of(record) ? other : Choice{};
}

// The nearest record or the one on the other side of n, where a measurement between the two says which.
std::optional<Choice> by_breakpoint(const Choice& nearest, std::span<const TuningRecord> candidates,
                                    const Wanted& wanted) {
  if (nearest.record == nullptr) return std::nullopt;
  const Choice other = across(*nearest.record, nearest.distance, candidates, wanted);
  if (other.record == nullptr) return std::nullopt;
  const u64 n = wanted.request.n;
  const bool nearest_is_low = nearest.record->request.n < n;
  const TuningRecord &low = *(nearest_is_low ? nearest : other).record,
                     &high = *(nearest_is_low ? other : nearest).record;
  if (!low.breakpoint || low.breakpoint->n_high != high.request.n) return std::nullopt;
  Choice choice = (n >= low.breakpoint->n_switch) == nearest_is_low ? other : nearest;
  choice.other = choice.record == &low ? &high : &low;
  return choice;
}

// Within an octave a measurement knows better than the rule by which families are preferred, unless another takes over,
// and the record's own did not win against it beyond n.
bool is_in_reach(const TuningRecord& record, const Distance& distance, std::span<const TuningRecord> candidates,
                 const Wanted& wanted) {
  if (is_preferred(record, wanted)) return true;
  if (distance.far) return false;
  if (!is_superseded(record, wanted)) return true;
  const Choice beyond = across(record, distance, candidates, wanted);
  return beyond.record != nullptr && &beyond.record->config.family() == &record.config.family() &&
         !is_superseded(*beyond.record, wanted);
}

// Between the ends of a breakpoint their configs were measured, so no rule keeps either out. Without a record when none
// serves.
Choice choose(std::span<const TuningRecord> candidates, const Wanted& wanted) {
  const Choice nearest = nearest_of(candidates, wanted, [](auto&&...) { return true; });
  if (const auto measured = by_breakpoint(nearest, candidates, wanted)) return *measured;
  const bool is_near = nearest.record != nullptr && !nearest.distance.far;
  const bool is_near_and_outgrown = is_near && is_outgrown(*nearest.record, wanted.request);
  // Where n has outgrown what is near, what is far knows no more than the default. What is near and superseded counts
  // for nothing: as if it were not there, records of the family that takes over serve from afar.
  const Choice in_reach = nearest_of(candidates, wanted, [&](const TuningRecord& record, const Distance& candidate) {
    return is_in_reach(record, candidate, candidates, wanted) && !is_outgrown(record, wanted.request) &&
           !(candidate.far && is_near_and_outgrown);
  });
  const Choice served = by_breakpoint(in_reach, candidates, wanted).value_or(in_reach);
  // If what was measured of another problem calls for the family of the nearest record after all, that record knows it
  // best.
  const bool is_same_family =
      is_near && served.record != nullptr && &served.record->config.family() == &nearest.record->config.family();
  return is_same_family && !is_near_and_outgrown ? nearest : served;
}

// Whether the record says no more than that the default config of its n was good, and n is too far to be served by it.
bool stands_for_the_default(const Choice& choice) {
  const TuningRecord& record = *choice.record;
  return choice.distance.far && choice.other == nullptr &&
         record.config == record.config.family().default_config(record.request, record.device.sm);
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

std::string percent(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * fraction);
  return text;
}

std::string n_equals(const char* words, u64 n) { return words + std::string("n = ") + std::to_string(n); }

// The breakpoint that decided.
const Breakpoint& breakpoint_of(const Choice& choice) {
  const bool is_low = choice.record->request.n < choice.other->request.n;
  return *(is_low ? choice.record : choice.other)->breakpoint;
}

// Whether the probes of its breakpoint timed what is asked for.
bool was_probed_alike(const Distance& distance) {
  return !distance.other_device && distance.types == TypeMatch::same && distance.match == OperatorMatch::same &&
         !distance.otherwise;
}

// Why a record of another n serves this one.
std::string by_which_n(const Choice& choice, u64 n) {
  if (choice.other == nullptr) return n_equals("the nearest that serves ", n);
  const Breakpoint& breakpoint = breakpoint_of(choice);
  std::string text = n_equals("which serves ", n) + (choice.record->request.n < n ? ", below" : ", from") +
                     n_equals(" the breakpoint ", breakpoint.n_switch) +
                     n_equals(" between it and ", choice.other->request.n);
  if (was_probed_alike(choice.distance))
    text += ", by its probes up to " + percent(breakpoint.regret) + " slower than the other";
  return text;
}

std::string reason_of(const Choice& choice, const ScanRequest& request) {
  const TuningRecord& record = *choice.record;
  const Distance& distance = choice.distance;
  std::string text = "tuned for " + whose(record, distance) + "n = " + std::to_string(record.request.n);
  if (record.request.n != request.n) text += " (" + by_which_n(choice, request.n) + ')';
  text += where(record, distance);
  for (const RequestMember& member : kRequestMembers)
    if (member.match == Match::nearest && is_option(member) && member.get(record.request) != member.get(request))
      text += "; tuned for " + phrase(member, record.request) + ", for want of a record of " + phrase(member, request);
  if (stands_for_the_default(choice)) text += "; the default won there, so this n has its own default";
  if (distance.guarantees) text += "; tuned without a guarantee that was asked for, and keeps it";
  if (distance.stale) text += "; measured with other kernel templates, so it may no longer be the best";
  if (choice.other != nullptr && breakpoint_of(choice).is_stale)
    text += "; the breakpoint was measured with other kernel templates";
  return text;
}

std::string describe(const DeviceIdentity& device) { return device.name + " (" + device.arch + ")"; }

}  // namespace

Selection select(const TuningTable& table, const DeviceIdentity& device, const ScanRequest& request,
                 std::string_view operator_name) {
  const Config untuned = default_config(request, device.sm);
  const Wanted wanted{device, request, operator_name, untuned.family()};
  const auto candidates = table.candidates(device.sm, request);
  if (const Choice choice = choose(candidates, wanted); choice.record != nullptr) {
    const Config& measured = choice.record->config;
    const Config config =
        stands_for_the_default(choice) ? measured.family().default_config(request, device.sm) : measured;
    return {config, origin_of(choice.distance), reason_of(choice, request), *choice.record};
  }
  return {untuned, ConfigOrigin::untuned,
          "no tuning record serves " + to_string(request, operator_name) + " on " + describe(device), std::nullopt};
}

}  // namespace scantune
