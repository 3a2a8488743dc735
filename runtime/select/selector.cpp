#include "select/selector.h"

#include <cstdio>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "select/printable.h"
#include "select/rules.h"
#include "space/config_json.h"
#include "space/spelling.h"

namespace scantune {
namespace {

// A record that serves, and the one on the other side of n if a breakpoint between them decided.
struct Choice {
  const TuningRecord* record = nullptr;
  const TuningRecord* other = nullptr;
};

bool has_shape_of(const Request& tuned, const Request& request) {
  return key_of(tuned).magnitudes == key_of(request).magnitudes;
}

ConfigOrigin origin_of(const TuningRecord& record, const Wanted& wanted) {
  if (record.layer == Layer::built_in) return ConfigOrigin::built_in;
  if (is_of_other_device(record, wanted)) return ConfigOrigin::other_device;
  if (type_match(record, wanted) != TypeMatch::same) return ConfigOrigin::other_types;
  if (operator_match(record, wanted) >= OperatorMatch::sibling) return ConfigOrigin::other_operator;
  const bool is_exact = record.request.n == wanted.request.n && has_shape_of(record.request, wanted.request);
  return is_exact ? ConfigOrigin::exact_n : ConfigOrigin::between_n;
}

using Filter = bool (*)(const TuningRecord&, const Wanted&);

// The record that comes first of those that the filter lets pass; null where there is none.
const TuningRecord* first_of(std::span<const TuningRecord> candidates, const Wanted& wanted, Filter filter) {
  const TuningRecord* first = nullptr;
  Distance least{};
  for (const TuningRecord& record : candidates) {
    const Distance its = distance(record, wanted);
    if (first != nullptr && !(its < least)) continue;
    if (!filter(record, wanted)) continue;
    first = &record;
    least = its;
  }
  return first;
}

// The next record of the same problem on the other side of n; null where there is none.
const TuningRecord* across(const TuningRecord& record, std::span<const TuningRecord> candidates, const Wanted& wanted) {
  const u64 n = wanted.request.n;
  if (record.request.n == n) return nullptr;
  const TuningRecord* next = nullptr;
  for (const TuningRecord& candidate : candidates) {
    const u64 its = candidate.request.n;
    const bool is_next = record.request.n < n ? its > n && (next == nullptr || its < next->request.n)
                                              : its < n && (next == nullptr || its > next->request.n);
    if (is_next && problem_of(candidate) == problem_of(record) && may_serve(candidate, wanted)) next = &candidate;
  }
  return next;
}

// Rule 11: the nearest record or the one on the other side of n, where a measurement between the two says which.
std::optional<Choice> by_breakpoint(const TuningRecord& nearest, std::span<const TuningRecord> candidates,
                                    const Wanted& wanted) {
  // The probes of a breakpoint had the shape of its ends.
  if (!has_shape_of(nearest.request, wanted.request)) return std::nullopt;
  const TuningRecord* const other = across(nearest, candidates, wanted);
  if (other == nullptr) return std::nullopt;
  const auto [low, high] =
      nearest.request.n < other->request.n ? std::pair(&nearest, other) : std::pair(other, &nearest);
  if (!low->breakpoint || low->breakpoint->n_high != high->request.n) return std::nullopt;
  return wanted.request.n < low->breakpoint->n_switch ? Choice{low, high} : Choice{high, low};
}

// Between the ends of a breakpoint their configs were measured, so no rule keeps either out. The choice has no record
// when none serves.
Choice choose(std::span<const TuningRecord> candidates, Wanted wanted) {
  wanted.nearest = first_of(candidates, wanted, may_serve);
  if (wanted.nearest == nullptr) return {};
  if (const auto measured = by_breakpoint(*wanted.nearest, candidates, wanted)) return *measured;
  return {reaches(*wanted.nearest, wanted) ? wanted.nearest : first_of(candidates, wanted, reaches)};
}

// Rule 15: whether the record says no more than that the default config of its n was good, and n is too far to be
// served by it.
bool stands_for_the_default(const Choice& choice, const Wanted& wanted) {
  const TuningRecord& record = *choice.record;
  return choice.other == nullptr && is_far(record, wanted) &&
         record.config == record.config.family().default_config(record.request, record.device.sm);
}

std::string where(const TuningRecord& record, const Wanted& wanted) {
  const std::string sms = std::to_string(record.device.sm_count) + " SMs";
  if (record.layer == Layer::built_in) return ": built-in record (" + record.device.name + ", " + sms + ")";
  if (!is_of_other_device(record, wanted)) return " on this device";
  return " on " + record.device.name + " with " + sms + ", the nearest device of this architecture that serves it";
}

// Where a record that is not the user's own stands, and who exported it.
std::string by_whom(const TuningRecord& record) {
  std::string text;
  if (record.layer != Layer::user && record.layer != Layer::built_in)
    text += std::string(" (") + token(record.layer) + " database " + printable(record.database) + ')';
  if (record.origin) text += "; " + phrase(*record.origin);
  return text;
}

std::string spelled_operator(const TuningRecord& record) {
  const auto op = record.request.op();
  return op ? spell(SpelledOperator{*op, record.operator_name}) : "";
}

std::string whose(const TuningRecord& record, const Wanted& wanted) {
  const std::string op = spelled_operator(record);
  if (type_match(record, wanted) != TypeMatch::same)
    return spell_types(record.request) + (op.empty() ? "" : " ") + op + ", types of the same sizes, and ";
  switch (operator_match(record, wanted)) {
    case OperatorMatch::same:
      return record.request.has_custom_operator() && !record.operator_name.empty() ? op + " and " : "";
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

// Whether the probes of its breakpoint timed the problem at hand.
bool was_probed_alike(const TuningRecord& record, const Wanted& wanted) {
  return !is_of_other_device(record, wanted) && type_match(record, wanted) == TypeMatch::same &&
         operator_match(record, wanted) == OperatorMatch::same && differing(Match::nearest, record, wanted) == 0;
}

// Why a record of another n serves this one.
std::string by_which_n(const Choice& choice, const Wanted& wanted) {
  const u64 n = wanted.request.n;
  if (choice.other == nullptr) return n_equals("the nearest that serves ", n);
  const Breakpoint& breakpoint = breakpoint_of(choice);
  std::string text = n_equals("which serves ", n) + (choice.record->request.n < n ? ", below" : ", from") +
                     n_equals(" the breakpoint ", breakpoint.n_switch) +
                     n_equals(" between it and ", choice.other->request.n);
  if (was_probed_alike(*choice.record, wanted))
    text += ", by its probes up to " + percent(breakpoint.regret) + " slower than the other";
  return text;
}

std::string reason_of(const Choice& choice, const Wanted& wanted) {
  const TuningRecord& record = *choice.record;
  const Request& request = wanted.request;
  std::string text = "tuned for " + whose(record, wanted) + "n = " + std::to_string(record.request.n);
  if (record.request.n != request.n) text += " (" + by_which_n(choice, wanted) + ')';
  text += where(record, wanted) + by_whom(record);
  for (const MemberModel& member : request.members())
    if (member.match == Match::nearest && member.is_option() && record.request[member] != request[member])
      text += "; tuned for " + phrase(member, record.request) + ", for want of a record of " + phrase(member, request);
  for (const ExtentModel& extent : request.algorithm().extents())
    if (record.request.has(extent) && magnitude_of(record.request[extent]) != magnitude_of(request[extent]))
      text += "; tuned for about " + std::to_string(record.request[extent]) + ' ' + extent.name;
  if (stands_for_the_default(choice, wanted)) text += "; the default won there, so this n has its own default";
  if (differing(Match::at_most, record, wanted) > 0)
    text += "; tuned without a guarantee that was asked for, and keeps it";
  if (record.is_stale()) text += "; measured with other kernel templates, so it may no longer be the best";
  if (choice.other != nullptr && breakpoint_of(choice).is_stale)
    text += "; the breakpoint was measured with other kernel templates";
  return text;
}

std::string describe(const DeviceIdentity& device) { return device.name + " (" + device.arch + ")"; }

Selection select_among(std::span<const TuningRecord> candidates, const DeviceIdentity& device, const Request& request,
                       std::string_view operator_name) {
  const Config untuned = default_config(request, device.sm);
  if (request.n == 0) return {untuned, ConfigOrigin::untuned, "nothing is tuned for no items", std::nullopt};
  const Wanted wanted{device, request, operator_name, untuned.family()};
  if (const Choice choice = choose(candidates, wanted); choice.record != nullptr) {
    const Config& measured = choice.record->config;
    const Config config =
        stands_for_the_default(choice, wanted) ? measured.family().default_config(request, device.sm) : measured;
    return {config, origin_of(*choice.record, wanted), reason_of(choice, wanted), *choice.record};
  }
  return {untuned, ConfigOrigin::untuned,
          "no tuning record serves " + to_string(request, operator_name) + " on " + describe(device), std::nullopt};
}

// The default of the family that is preferred among the others; nullopt where no other supports the request.
std::optional<Selection> other_default(const FamilyModel& but, const Request& request, int sm) {
  const FamilyModel* best = nullptr;
  for (const FamilyModel* family : request.algorithm().families())
    if (family != &but && family->standing() != Standing::gallery &&
        family->unsupported_reason(request, sm) == nullptr &&
        (best == nullptr || family->preference(request, sm) > best->preference(request, sm)))
      best = family;
  if (best == nullptr) return std::nullopt;
  return Selection{best->default_config(request, sm), ConfigOrigin::untuned,
                   std::string("the default of ") + best->name() + ", the family that is preferred next", std::nullopt};
}

}  // namespace

Selection select(const TuningTable& table, const DeviceIdentity& device, const Request& request,
                 std::string_view operator_name) {
  return select_among(table.candidates(device.sm, request), device, request, operator_name);
}

std::optional<Selection> runner_up(const TuningTable& table, const DeviceIdentity& device, const Request& request,
                                   std::string_view operator_name) {
  const auto candidates = table.candidates(device.sm, request);
  std::vector<TuningRecord> left(candidates.begin(), candidates.end());
  const Selection selected = select_among(left, device, request, operator_name);
  Selection next = selected;
  while (next.record && next.config == selected.config) {
    std::erase_if(left, [config = next.record->config](const TuningRecord& record) { return record.config == config; });
    next = select_among(left, device, request, operator_name);
  }
  if (next.config == selected.config) return other_default(selected.config.family(), request, device.sm);
  if (!next.record) next.reason = "no other tuning record serves, so the default would";
  return next;
}

Selection select_given(std::string_view config, const DeviceIdentity& device, const Request& request) {
  return {given_config(config, request, device.sm), ConfigOrigin::given, "by the caller", std::nullopt};
}

}  // namespace scantune
