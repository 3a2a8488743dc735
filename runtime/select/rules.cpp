#include "select/rules.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <tuple>

namespace scantune {
namespace {

// A search under a guarantee left out configs that a request without it may use. Other results take other work.
bool asks_for_other_results(const TuningRecord& record, const Wanted& wanted) {
  return std::ranges::any_of(wanted.request.members(), [&](const MemberModel& member) {
    const int recorded = record.request[member], asked = wanted.request[member];
    return (member.match == Match::at_most && recorded > asked) || (member.match == Match::exact && recorded != asked);
  });
}

bool cannot_run(const TuningRecord& record, const Wanted& wanted) {
  return reject_reason(record.config, wanted.request, wanted.device.sm) != nullptr;
}

double type_distance(const TuningRecord& record, const Wanted& wanted) {
  return static_cast<double>(type_match(record, wanted));
}

double operator_distance(const TuningRecord& record, const Wanted& wanted) {
  return static_cast<double>(operator_match(record, wanted));
}

double device_distance(const TuningRecord& record, const Wanted& wanted) { return is_of_other_device(record, wanted); }
double octave_distance(const TuningRecord& record, const Wanted& wanted) { return is_far(record, wanted); }

double option_distance(const TuningRecord& record, const Wanted& wanted) {
  return differing(Match::nearest, record, wanted) + differing(Match::at_most, record, wanted);
}

double sm_distance(const TuningRecord& record, const Wanted& wanted) {
  return std::abs(record.device.sm_count - wanted.device.sm_count);
}

// A quotient, which grows with the distance in log n. Records know the extents beside n by their magnitudes.
double n_distance(const TuningRecord& record, const Wanted& wanted) {
  const auto [less, more] = std::minmax({static_cast<double>(record.request.n), static_cast<double>(wanted.request.n)});
  double distance = more / less;
  for (const ExtentModel& extent : wanted.request.algorithm().extents())
    distance *= std::exp2(std::abs(magnitude_of(record.request[extent]) - magnitude_of(wanted.request[extent])));
  return distance;
}

double layer_distance(const TuningRecord& record, const Wanted&) { return static_cast<double>(record.layer); }

// The fastest kernels for little and for much are of different families. Within an octave a measurement is the better
// guide, unless it agreed with the rule by which families are preferred. A family that is preferred only because the
// record's is not any more takes nothing over.
bool is_left_to_another_family(const TuningRecord& record, const Wanted& wanted) {
  const FamilyModel &own = record.config.family(), &preferred = wanted.default_family;
  const int sm = wanted.device.sm;
  if (own.preference(wanted.request, sm) >= preferred.preference(wanted.request, sm)) return false;
  return is_far(record, wanted) ||
         (preferred.preference(wanted.request, sm) > preferred.preference(record.request, sm) &&
          &default_config(record.request, sm).family() == &own);
}

// An outgrown config would take tile after tile, or exchange aggregates of clusters through a workspace; other configs
// do both faster.
bool is_outgrown(const TuningRecord& record, const Wanted& wanted) {
  const Request& request = wanted.request;
  if (request.n <= record.request.n) return false;
  const FamilyModel& family = record.config.family();
  Request measured = request;
  measured.n = record.request.n;
  const auto kernel = [&](const Request& of) {
    return family.launches(record.config, of, Variant::aligned).launches[0].kernel;
  };
  const auto has_workspace = [&](const Request& of) { return family.workspace(record.config, of).bytes > 0; };
  return kernel(measured) != kernel(request) || has_workspace(measured) != has_workspace(request);
}

// A record that far away is no better guide than the default.
bool is_beyond_outgrown(const TuningRecord& record, const Wanted& wanted) {
  return is_far(record, wanted) && !is_far(*wanted.nearest, wanted) && is_outgrown(*wanted.nearest, wanted);
}

struct KeepsOut : Rule {
  bool (*applies)(const TuningRecord&, const Wanted&);
};

struct Orders : Rule {
  double (*distance)(const TuningRecord&, const Wanted&);
};

constexpr KeepsOut kKeepOut[] = {
    {{1, "results", "keeps out what was tuned under a guarantee that is not asked for, or for other results"},
     asks_for_other_results},
    {{2, "config", "keeps out a config that cannot run what is asked for, or breaks a guarantee"}, cannot_run}};

constexpr Orders kOrder[] = {
    {{3, "device", "puts this device (name and SM count) before others of its architecture"}, device_distance},
    {{4, "types", "puts the same types first, then integers for integers and floating-point for such"}, type_distance},
    {{5, "operator", "puts the same operator first, by name if it has one, then its cost class"}, operator_distance},
    {{6, "octave", "puts what is within an octave of its N before what is farther away"}, octave_distance},
    {{7, "options", "puts what was tuned for the options that are asked for first (latency, guarantees)"},
     option_distance},
    {{8, "SM count", "puts the device nearest in SM count first"}, sm_distance},
    {{9, "N", "puts the nearest N first, in log N, and the nearest extents beside it"}, n_distance},
    {{10, "layer", "puts the user's own first, then the project's, synced, the system's, and what the library brings"},
     layer_distance}};
static_assert(std::size(kOrder) == std::tuple_size_v<Distance>);

constexpr Rule kBreakpoint{11, "breakpoint", "says which of the first and its neighbour beyond N serves, if measured"};

constexpr KeepsOut kKeepOutUnmeasured[] = {
    {{12, "family",
      "where another family is preferred, keeps out what is far, and winners of the one preferred at their N"},
     is_left_to_another_family},
    {{13, "tile", "keeps out a config that held its own N in one tile or cluster, which do not hold this N"},
     is_outgrown},
    {{14, "beyond", "keeps out what is far where rule 13 keeps out the first, which is not"}, is_beyond_outgrown}};

constexpr Rule kOwnDefault{15, "own default", "runs this N's own default in place of a default that won far away"};

}  // namespace

std::vector<Rule> rules() {
  std::vector<Rule> all(std::begin(kKeepOut), std::end(kKeepOut));
  all.insert(all.end(), std::begin(kOrder), std::end(kOrder));
  all.push_back(kBreakpoint);
  all.insert(all.end(), std::begin(kKeepOutUnmeasured), std::end(kKeepOutUnmeasured));
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

bool reaches(const TuningRecord& record, const Wanted& wanted) {
  return may_serve(record, wanted) &&
         std::ranges::none_of(kKeepOutUnmeasured, [&](const KeepsOut& rule) { return rule.applies(record, wanted); });
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

bool is_far(const TuningRecord& record, const Wanted& wanted) { return n_distance(record, wanted) > 2; }

int differing(Match match, const TuningRecord& record, const Wanted& wanted) {
  return static_cast<int>(std::ranges::count_if(wanted.request.members(), [&](const MemberModel& member) {
    return member.match == match && member.spelling == Spelling::token &&
           record.request[member] != wanted.request[member];
  }));
}

}  // namespace scantune
