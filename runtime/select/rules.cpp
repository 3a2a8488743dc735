#include "select/rules.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <tuple>

#include "space/operands.h"

namespace scantune {
namespace {

bool reads_flags(const Request& request) {
  const Operands operands(request);
  return std::ranges::any_of(operands.list(), [](const RequestOperand& one) { return one.role == OperandRole::flags; });
}

// A search under a guarantee left out configs that a request without it may use. Other results take other work, and
// flags are an array more to read: with a record of another criterion some selections took 1.7 times as long.
bool asks_for_other_results(const TuningRecord& record, const Wanted& wanted) {
  const bool differs = std::ranges::any_of(wanted.request.members(), [&](const MemberModel& member) {
    const int recorded = record.request[member], asked = wanted.request[member];
    return (member.match == Match::at_most && recorded > asked) || (member.match == Match::exact && recorded != asked);
  });
  return differs || reads_flags(record.request) != reads_flags(wanted.request);
}

bool cannot_run(const TuningRecord& record, const Wanted& wanted) {
  return reject_reason(record.config, wanted.request, wanted.device.sm) != nullptr;
}

// Records know the extents beside n by their classes.
bool is_out_of_range(const TuningRecord& record, const Wanted& wanted) {
  const Request& request = wanted.request;
  return request.n <= record.served_above || request.n > record.served_up_to ||
         key_of(request).classes != record.key.classes;
}

double type_distance(const TuningRecord& record, const Wanted& wanted) {
  return static_cast<double>(type_match(record, wanted));
}

double operator_distance(const TuningRecord& record, const Wanted& wanted) {
  return static_cast<double>(operator_match(record, wanted));
}

double device_distance(const TuningRecord& record, const Wanted& wanted) { return is_of_other_device(record, wanted); }

double option_distance(const TuningRecord& record, const Wanted& wanted) {
  return differing(Match::nearest, record, wanted) + differing(Match::at_most, record, wanted);
}

double sm_distance(const TuningRecord& record, const Wanted& wanted) {
  return std::abs(record.device.sm_count - wanted.device.sm_count);
}

double layer_distance(const TuningRecord& record, const Wanted&) { return static_cast<double>(record.layer); }

// A quotient, which grows with the distance in log n.
double n_distance(const TuningRecord& record, const Wanted& wanted) {
  const auto [less, more] = std::minmax({static_cast<double>(record.request.n), static_cast<double>(wanted.request.n)});
  return more / less;
}

struct KeepsOut : Rule {
  bool (*applies)(const TuningRecord&, const Wanted&);
};

struct Orders : Rule {
  double (*distance)(const TuningRecord&, const Wanted&);
};

constexpr KeepsOut kKeepOut[] = {
    {{1, "results",
      "keeps out what was tuned under a guarantee that is not asked for, for another latency, with or without flags, "
      "or for other results"},
     asks_for_other_results},
    {{2, "config", "keeps out a config that cannot run what is asked for, or breaks a guarantee"}, cannot_run},
    {{3, "range",
      "keeps out a record whose range does not hold N, or of another shape (how long rows are, how many columns)"},
     is_out_of_range}};

constexpr Orders kOrder[] = {
    {{4, "device", "puts this device (name and SM count) before others of its architecture"}, device_distance},
    {{5, "types", "puts the same types first, then integers for integers and floating-point for such"}, type_distance},
    {{6, "operator", "puts the same operator first, by name if it has one, then its cost class"}, operator_distance},
    {{7, "options", "puts what was tuned for the options that are asked for first (direction, guarantees)"},
     option_distance},
    {{8, "SM count", "puts the device nearest in SM count first"}, sm_distance},
    {{9, "layer", "puts the user's own first, then the project's, synced, the system's, and what the library brings"},
     layer_distance},
    {{10, "N", "puts the nearest N first, in log N"}, n_distance}};
static_assert(std::size(kOrder) == std::tuple_size_v<Distance>);

constexpr Rule kOwnDefault{11, "own default", "where the default won, runs the default of what is asked for"};

}  // namespace

std::vector<Rule> rules() {
  std::vector<Rule> all(std::begin(kKeepOut), std::end(kKeepOut));
  all.insert(all.end(), std::begin(kOrder), std::end(kOrder));
  all.push_back(kOwnDefault);
  return all;
}

bool may_serve(const TuningRecord& record, const Wanted& wanted) {
  return std::ranges::none_of(kKeepOut, [&](const KeepsOut& rule) { return rule.applies(record, wanted); });
}

Distance distance(const TuningRecord& record, const Wanted& wanted) {
  Distance distance;
  std::ranges::transform(kOrder, distance.begin(), [&](const Orders& rule) { return rule.distance(record, wanted); });
  return distance;
}

// The extents of a record's request are rounded, so that its family may not support it, and there may be no default.
bool stands_for_the_default(const TuningRecord& record) {
  const FamilyModel& family = record.config.family();
  const int sm = record.device.sm;
  return family.standing() != Standing::gallery && family.unsupported_reason(record.request, sm) == nullptr &&
         record.config == default_config(record.request, sm);
}

TypeMatch type_match(const TuningRecord& record, const Wanted& wanted) {
  auto match = TypeMatch::same;
  for (const MemberModel& member : wanted.request.members()) {
    if (member.match != Match::width) continue;
    const ValueType tuned = record.request.type(member), asked = wanted.request.type(member);
    if (tuned == asked) continue;
    const bool same_class = is_floating(tuned) == is_floating(asked);
    match = std::max(match, same_class ? TypeMatch::same_class : TypeMatch::other_class);
  }
  return match;
}

OperatorMatch operator_match(const TuningRecord& record, const Wanted& wanted) {
  const bool same_name = record.operator_name == wanted.operator_name;
  if (same_name && !record.operator_name.empty()) return OperatorMatch::same;
  if (record.request.op() != wanted.request.op()) return OperatorMatch::other;
  if (same_name) return OperatorMatch::same;
  return record.operator_name.empty() ? OperatorMatch::cost_class : OperatorMatch::sibling;
}

bool is_of_other_device(const TuningRecord& record, const Wanted& wanted) {
  return record.device.name != wanted.device.name || record.device.sm_count != wanted.device.sm_count;
}

int differing(Match match, const TuningRecord& record, const Wanted& wanted) {
  return static_cast<int>(std::ranges::count_if(wanted.request.members(), [&](const MemberModel& member) {
    return member.match == match && member.spelling == Spelling::token &&
           record.request[member] != wanted.request[member];
  }));
}

}  // namespace scantune
