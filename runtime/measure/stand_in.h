// Operators that stand in for custom ones, of any size and cost class. They are associative to the last bit, so that a
// config can be verified whatever its grouping, and not commutative, so that a wrong order shows. Records of a cost
// class are tuned with them.
#pragma once

#include <cstddef>

#include "space/custom_operator.h"
#include "space/request.h"

namespace scantune {

// The operator or comparison for a request with a custom one, of any accumulator type: only integer instructions touch
// its bits.
CustomOperator stand_in_for(const Request& request);

// The same operator on the CPU. The three pointers may be equal.
class StandIn {
 public:
  explicit StandIn(const Request& request);
  void combine(const std::byte* earlier, const std::byte* later, std::byte* combined) const {
    combine_(earlier, later, combined, bytes_);
  }

 private:
  using Combine = void (*)(const std::byte* earlier, const std::byte* later, std::byte* combined, int bytes);

  Combine combine_;
  int bytes_;
};

// The comparison of extremes on the CPU, of accumulators.
class StandInLess {
 public:
  explicit StandInLess(const Request& request);
  bool operator()(const std::byte* a, const std::byte* b) const { return less_(a, b); }

 private:
  bool (*less_)(const std::byte* a, const std::byte* b);
};

}  // namespace scantune
