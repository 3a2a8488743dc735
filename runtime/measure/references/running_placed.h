// The running minimum or maximum of a row on the CPU, with the index of its item.
#pragma once

#include <cmath>
#include <cstring>

#include "measure/stand_in.h"
#include "measure/value_types.h"
#include "reduce/config/reduce.h"

namespace scantune {

// The first or last item that is the minimum or maximum, and its index in the row. Without items, the operator's
// identity.
class RunningPlaced {
 public:
  RunningPlaced(const ReduceRequest& request, Operator op)
      : request_(&request), is_min_(op == Operator::min), value_(bound_of(request, is_min_)) {}

  void add_item(const std::byte* item, u64 index) { take(number(item), index); }
  void add(const RunningPlaced& later) {
    if (later.exists_) take(later.value_, later.index_);
  }

  u64 index() const { return index_; }
  void output(std::byte* output) const {
    const ValueType type = request_->output_type;
    if (is_floating(type)) return put_floating(type, value_, output);
    put_integer(type, value_ < 0 ? static_cast<u64>(static_cast<i64>(value_)) : static_cast<u64>(value_), output);
  }
  bool agrees(const std::byte* found) const {
    const ValueType type = request_->output_type;
    if (is_floating(type) && std::isnan(value_)) return std::isnan(floating_at(type, found));
    std::byte expected[kMaxValueBytes];
    output(expected);
    return std::memcmp(expected, found, static_cast<std::size_t>(request_->output_bytes())) == 0;
  }

 private:
  // The least or the greatest number that items have as accumulators.
  static long double bound_of(const ReduceRequest& request, bool greatest) {
    const auto bound = [](ValueType type, bool high) -> long double {
      const int bits = 8 * size_of(type) - (is_signed(type) ? 1 : 0);
      if (high) return std::ldexp(1.0L, bits) - 1;
      return is_signed(type) ? -std::ldexp(1.0L, bits) : 0;
    };
    const ValueType input = request.input_type, accumulator = request.accumulator_type;
    if (is_floating(input)) return greatest ? HUGE_VALL : -HUGE_VALL;
    const bool keeps_order = is_floating(accumulator) || (bound(input, false) >= bound(accumulator, false) &&
                                                          bound(input, true) <= bound(accumulator, true));
    return bound(keeps_order ? input : accumulator, greatest);
  }

  // Returns an item converted to the accumulator type. long double holds every integer of 64 bits and every number of
  // a floating-point type.
  long double number(const std::byte* item) const {
    const ValueType input = request_->input_type, accumulator = request_->accumulator_type;
    if (is_floating(accumulator)) {
      const long double value = floating_at(input, item);
      return input == accumulator ? value : rounded(accumulator, value);
    }
    const u64 integer = reduced(accumulator, integer_at(input, item));
    return is_signed(accumulator) ? static_cast<long double>(static_cast<i64>(integer))
                                  : static_cast<long double>(integer);
  }

  void take(long double later, u64 index) {
    if (exists_ && !is_replaced_by(later)) return;
    value_ = later;
    index_ = index;
    exists_ = true;
  }

  bool is_replaced_by(long double later) const {
    const bool is_last = request_->position == Position::last;
    if (std::isnan(value_)) return is_last && std::isnan(later);
    if (std::isnan(later)) return true;
    if (later != value_) return is_min_ ? later < value_ : value_ < later;
    return std::signbit(later) == std::signbit(value_) ? is_last : std::signbit(later) == is_min_;
  }

  const ReduceRequest* request_;
  bool is_min_;
  long double value_;
  u64 index_ = ~u64{0};
  bool exists_ = false;
};

// The same by the stand-in for a less() of the caller's. Without items, any value is right.
class RunningByLess {
 public:
  RunningByLess(const ReduceRequest& request, Operator op)
      : request_(&request), is_min_(op == Operator::min), less_(request) {}

  void add_item(const std::byte* item, u64 index) {
    std::byte accumulator[kMaxValueBytes] = {};
    to(request_->accumulator_type, request_->input_type, item, accumulator);
    take(accumulator, index);
  }
  void add(const RunningByLess& later) {
    if (later.index_ != ~u64{0}) take(later.value_, later.index_);
  }

  u64 index() const { return index_; }
  void output(std::byte* output) const { to(request_->output_type, request_->accumulator_type, value_, output); }
  bool agrees(const std::byte* found) const {
    std::byte expected[kMaxValueBytes];
    output(expected);
    return index_ == ~u64{0} || std::memcmp(expected, found, static_cast<std::size_t>(request_->output_bytes())) == 0;
  }

 private:
  void take(const std::byte* later, u64 index) {
    const bool is_last = request_->position == Position::last;
    const std::byte *const before = is_last ? value_ : later, *const after = is_last ? later : value_;
    const bool is_before = is_min_ ? less_(before, after) : less_(after, before);
    if (index_ != ~u64{0} && is_before == is_last) return;
    std::memcpy(value_, later, sizeof value_);
    index_ = index;
  }

  void to(ValueType type, ValueType from, const std::byte* value, std::byte* converted) const {
    if (type == from)
      std::memcpy(converted, value, static_cast<std::size_t>(request_->bytes_of(type)));
    else
      convert(from, value, type, converted);
  }

  const ReduceRequest* request_;
  bool is_min_;
  StandInLess less_;
  std::byte value_[kMaxValueBytes] = {};
  u64 index_ = ~u64{0};
};

}  // namespace scantune
