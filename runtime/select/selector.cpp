#include "select/selector.h"

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

ConfigOrigin origin_of(const TuningRecord& record, const Wanted& wanted) {
  if (record.layer == Layer::built_in) return ConfigOrigin::built_in;
  if (is_of_other_device(record, wanted)) return ConfigOrigin::other_device;
  if (type_match(record, wanted) != TypeMatch::same) return ConfigOrigin::other_types;
  if (operator_match(record, wanted) >= OperatorMatch::sibling) return ConfigOrigin::other_operator;
  return record.request.n == wanted.request.n ? ConfigOrigin::exact_n : ConfigOrigin::between_n;
}

// The first record of those that may serve; null if no record may.
const TuningRecord* first_of(std::span<const TuningRecord> candidates, const Wanted& wanted) {
  const TuningRecord* first = nullptr;
  Distance least{};
  for (const TuningRecord& record : candidates) {
    const Distance its = distance(record, wanted);
    if (first != nullptr && !(its < least)) continue;
    if (!may_serve(record, wanted)) continue;
    first = &record;
    least = its;
  }
  return first;
}

std::string where(const TuningRecord& record, const Wanted& wanted) {
  const std::string sms = std::to_string(record.device.sm_count) + " SMs";
  if (record.layer == Layer::built_in) return ": built-in record (" + record.device.name + ", " + sms + ")";
  if (!is_of_other_device(record, wanted)) return ", on this device";
  return ", on " + record.device.name + " with " + sms + ", the nearest device of this architecture that serves it";
}

// The source of a record that is not the user's own, and who exported it.
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

std::string range_of(const TuningRecord& record) {
  return "which serves " + std::to_string(record.served_above + 1) + " to " + std::to_string(record.served_up_to) +
         " items";
}

std::string reason_of(const TuningRecord& record, const Config& config, const Wanted& wanted) {
  const Request& request = wanted.request;
  std::string text = "tuned for " + whose(record, wanted) + "n = " + std::to_string(record.request.n) + ", " +
                     range_of(record) + where(record, wanted) + by_whom(record);
  for (const MemberModel& member : request.members())
    if (member.match == Match::nearest && member.is_option() && record.request[member] != request[member])
      text += "; tuned for " + phrase(member, record.request) + ", for want of a record of " + phrase(member, request);
  if (config != record.config) text += "; the default won there, so this n has its own default";
  if (differing(Match::at_most, record, wanted) > 0)
    text += "; tuned without a guarantee that was asked for, and keeps it";
  if (record.is_stale()) text += "; measured with other kernel templates, so it may no longer be the best";
  return text;
}

std::string describe(const DeviceIdentity& device) { return device.name + " (" + device.arch + ")"; }

Selection select_among(std::span<const TuningRecord> candidates, const DeviceIdentity& device, const Request& request,
                       std::string_view operator_name) {
  const Config untuned = default_config(request, device.sm);
  if (request.n == 0) return {untuned, ConfigOrigin::untuned, "nothing is tuned for no items", std::nullopt};
  const Wanted wanted{device, request, operator_name};
  if (const TuningRecord* const record = first_of(candidates, wanted)) {
    const Config& config = stands_for_the_default(*record) ? untuned : record->config;
    return {config, origin_of(*record, wanted), reason_of(*record, config, wanted), *record};
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
