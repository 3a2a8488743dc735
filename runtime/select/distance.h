// How far a tuning record is from the problem that it may serve.
#pragma once

#include <compare>
#include <string_view>

#include "select/tuning_record.h"

namespace scantune {

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

// Compared member by member, the least wins.
struct Distance {
  int other_device;  // 1 if so
  TypeMatch types;
  OperatorMatch match;
  int far;               // 1 if more than an octave from its n
  int otherwise_nearby;  // members that are matched as nearest and differ, if not far
  int other_n;           // 1 if so, on this device and for operators that match
  int sm_count;          // difference; 0 on the same device
  int guarantees;        // how many the request asks for that the record was not tuned under
  double octaves;        // |log2(n of the record / n)|
  int otherwise;         // members that are matched as nearest and differ, however far
  int stale;             // 1 if the kernels have changed since
  int other_served;      // members of which one value serves all, and that differ
  Layer layer;           // built-in records last; then the order of the files

  auto operator<=>(const Distance&) const = default;

  bool other_operator() const { return match >= OperatorMatch::sibling; }
  // Whether two records are as far but for their n and what counts less.
  bool is_alike(const Distance& other) const;
};

Distance distance(const TuningRecord& record, const Wanted& wanted);

}  // namespace scantune
