// What a comparison measures, and its result.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "space/operands.h"

namespace scantune::bench {

// How the launches of one graph follow each other, and on which buffers.
enum class Condition {
  cold,           // back to back, rotating over more memory than the L2 cache holds
  hot,            // back to back on one pair of buffers
  cold_isolated,  // each between two ordinary kernels, whose own time is taken off
  hot_isolated
};
inline constexpr Condition kAllConditions[] = {Condition::cold, Condition::hot, Condition::cold_isolated,
                                               Condition::hot_isolated};

constexpr bool is_isolated(Condition condition) { return condition >= Condition::cold_isolated; }
constexpr bool is_cold(Condition condition) {
  return condition == Condition::cold || condition == Condition::cold_isolated;
}

enum class Role {
  scantune,
  cub,        // CUB under its own policies
  lookahead,  // CUB's other algorithm, which it does not choose by itself
  copy,       // the fastest of the copies
  memcpy
};

}  // namespace scantune::bench

namespace scantune {

template <>
struct Tokens<bench::Condition> {
  static constexpr const char* kNames[] = {"cold", "hot", "cold_isolated", "hot_isolated"};
};
template <>
struct Tokens<bench::Role> {
  static constexpr const char* kNames[] = {"scantune", "cub", "lookahead", "copy", "memcpy"};
};

}  // namespace scantune

namespace scantune::bench {

struct Case {
  Request request = ScanRequest{};
  u64 input_offset = 0;  // items by which the input starts behind a 256-byte boundary
  u64 output_offset = 0;

  RequestOperand input() const { return Operands(request).of(OperandRole::input); }
  RequestOperand output() const { return Operands(request).of(OperandRole::output); }
  bool is_reduction() const { return &request.algorithm() == &algorithm_of<ReduceRequest>(); }
  bool has_position() const { return request.value<Position>() == Position::first; }
};

// The time of one launch.
struct Time {
  double median_us = 0;
  double spread = 0;  // interquartile range over the median
};

// The time by samples in the order in which they were taken. others_us, if not empty, is the part of each that belongs
// to kernels beside the launch.
Time time_of(std::vector<double> samples_us, const std::vector<double>& others_us = {});

struct ContenderTimes {
  Role role;
  std::string name;  // "CUB 3.6.0", "copy_vectors{...}"
  std::map<Condition, Time> times;
  std::string wrong = {};  // what is wrong with its result, so that it was not timed
};

struct CaseResult {
  Case subject;
  int launches;  // number in one graph
  int buffers;   // pairs that "cold" rotates over
  int samples;   // number for every graph
  std::vector<ContenderTimes> contenders;
  std::string chosen;  // what scantune ran, and why

  // The time of the fastest contender in a role. Null if there is none.
  const Time* fastest(Role role, Condition condition) const;

  // The time of the fastest contender in a role over scantune's.
  std::optional<double> ratio(Role role, Condition condition) const;

  // The larger spread of scantune and the faster CUB: how far their ratio can be trusted.
  double spread(Condition condition) const;

  double gigabytes_per_second(const Time& time) const;
};

}  // namespace scantune::bench
