// The rules by which a tuning record is chosen. docs/tuning.md has the same list, and tests are named by its numbers.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "select/tuning_record.h"

namespace scantune {

struct Rule {
  int number;  // in the order in which they apply
  const char* name;
  const char* says;
};

std::vector<Rule> rules();

// The request that a record is to serve.
struct Wanted {
  const DeviceIdentity& device;
  const Request& request;
  std::string_view operator_name;
};

// Rules 1 to 3: whether a record may serve at all.
bool may_serve(const TuningRecord& record, const Wanted& wanted);

// Rules 4 to 10 as distances, which are compared in order: the least comes first.
using Distance = std::array<double, 7>;
Distance distance(const TuningRecord& record, const Wanted& wanted);

// Rule 11: whether the record only confirms the default config of its own request.
bool stands_for_the_default(const TuningRecord& record);

// The types that a record was measured with, and the request's types of the same widths.
enum class TypeMatch {
  same,
  same_class,  // integers for integers, floating-point numbers for floating-point numbers
  other_class
};
TypeMatch type_match(const TuningRecord& record, const Wanted& wanted);

// The operator that a record was measured with, and the request's. A custom operator is known by its name where it has
// one.
enum class OperatorMatch {
  same,        // this operator's: built-in, of the same name, or without a name as this one
  cost_class,  // the stand-in's of this operator's cost class
  sibling,     // a named one's of this operator's cost class
  other
};
OperatorMatch operator_match(const TuningRecord& record, const Wanted& wanted);

bool is_of_other_device(const TuningRecord& record, const Wanted& wanted);

// The members of that kind in which the two differ, types and operators aside.
int differing(Match match, const TuningRecord& record, const Wanted& wanted);

}  // namespace scantune
