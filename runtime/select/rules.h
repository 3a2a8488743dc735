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
  const FamilyModel& default_family;      // that of the config without records
  const TuningRecord* nearest = nullptr;  // the record that comes first of those that may serve, once it is known
};

// Rules 1 and 2: whether a record may serve at all.
bool may_serve(const TuningRecord& record, const Wanted& wanted);

// Rules 3 to 10 as distances, which are compared in order: the least comes first.
using Distance = std::array<double, 8>;
Distance distance(const TuningRecord& record, const Wanted& wanted);

// Rules 1, 2 and 12 to 14: whether it also reaches from its n to that of the request. They need wanted.nearest.
bool reaches(const TuningRecord& record, const Wanted& wanted);

// The types that a record was measured with, beside those of the request, which are as wide.
enum class TypeMatch {
  same,
  same_class,  // integers for integers, floating-point numbers for floating-point numbers
  other_class
};
TypeMatch type_match(const TuningRecord& record, const Wanted& wanted);

// The operator that a record was measured with, beside that of the request. A custom operator is known by its name
// where it has one.
enum class OperatorMatch {
  same,        // this operator's: built-in, of the same name, or without a name as this one
  cost_class,  // the stand-in's of this operator's cost class
  sibling,     // a named one's of this operator's cost class
  other
};
OperatorMatch operator_match(const TuningRecord& record, const Wanted& wanted);

bool is_of_other_device(const TuningRecord& record, const Wanted& wanted);
bool is_far(const TuningRecord& record, const Wanted& wanted);  // more than an octave from its n

// The members of that kind in which the two differ, types and operators aside.
int differing(Match match, const TuningRecord& record, const Wanted& wanted);

}  // namespace scantune
