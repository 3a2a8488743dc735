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

// The comparison on the CPU, of what its source takes: accumulators of extremes, or keys.
class StandInLess {
 public:
  static constexpr int kRankBits = 16;

  explicit StandInLess(const Request& request);
  bool operator()(const std::byte* a, const std::byte* b) const { return less_(a, b); }
  // A number of kRankBits bits that is less for what is less.
  u32 rank(const std::byte* value) const { return rank_(value); }
  // Changes the value so that its rank is `share` of 2^16 of the way from the least to the greatest one.
  void put_rank(u32 share, std::byte* value) const { put_rank_(share, value); }

 private:
  bool (*less_)(const std::byte* a, const std::byte* b);
  u32 (*rank_)(const std::byte* value);
  void (*put_rank_)(u32 share, std::byte* value);
};

}  // namespace scantune
