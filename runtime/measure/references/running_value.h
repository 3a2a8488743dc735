// The running value of a scan on the CPU, and whether an output agrees with it. All kinds have the same members:
// add_item() takes an item of the input's type, add_init() an accumulator, add() a later running value.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "measure/reference.h"
#include "measure/references/scan_inputs.h"
#include "measure/stand_in.h"
#include "measure/value_types.h"

namespace scantune {

// Integers, which wrap and are exact.
class RunningInteger {
 public:
  explicit RunningInteger(const ScanSpec& spec) : request_(&spec.request) {}

  void add_item(const std::byte* item) { combine(integer_at(request_->input_type, item)); }
  void add_init(const std::byte* init) { combine(integer_at(request_->accumulator_type, init)); }
  void add(const RunningInteger& later) {
    if (!later.empty_) combine(later.value_);
  }

  void output(std::byte* output) const { put_integer(request_->output_type, value_, output); }
  bool agrees(const std::byte* found) const {
    return integer_at(request_->output_type, found) == reduced(request_->output_type, value_);
  }

 private:
  void combine(u64 later) {
    later = reduced(request_->accumulator_type, later);
    value_ = reduced(request_->accumulator_type, empty_ ? later : combined(value_, later));
    empty_ = false;
  }

  u64 combined(u64 a, u64 b) const {
    switch (request_->op) {
      case Operator::sum:
        return a + b;
      case Operator::product:
        return a * b;
      case Operator::min:
        return less(a, b) ? a : b;
      case Operator::max:
        return less(a, b) ? b : a;
      case Operator::bit_and:
        return a & b;
      case Operator::bit_or:
        return a | b;
      default:
        return a ^ b;
    }
  }

  bool less(u64 a, u64 b) const {
    return is_signed(request_->accumulator_type) ? static_cast<i64>(a) < static_cast<i64>(b) : a < b;
  }

  const ScanRequest* request_;
  bool empty_ = true;
  u64 value_ = 0;  // an accumulator
};

// An item as a kernel loads it.
inline long double accumulator_of(const ScanRequest& request, const std::byte* item) {
  const long double number = floating_at(request.input_type, item);
  return request.input_type == request.accumulator_type ? number : rounded(request.accumulator_type, number);
}

// Floating-point minima and maxima, which are exact: NaN propagates, -0 orders below +0.
class RunningExtreme {
 public:
  explicit RunningExtreme(const ScanSpec& spec) : request_(&spec.request) {}

  void add_item(const std::byte* item) { combine(accumulator_of(*request_, item)); }
  void add_init(const std::byte* init) { combine(floating_at(request_->accumulator_type, init)); }
  void add(const RunningExtreme& later) {
    if (!later.empty_) combine(later.value_);
  }

  void output(std::byte* output) const { put_floating(request_->output_type, value_, output); }
  bool agrees(const std::byte* found) const {
    const long double expected = rounded(request_->output_type, value_);
    const long double number = floating_at(request_->output_type, found);
    if (std::isnan(expected)) return std::isnan(number);
    return number == expected && std::signbit(number) == std::signbit(expected);
  }

 private:
  void combine(long double later) {
    if (empty_ || std::isnan(later) || replaces(later)) value_ = later;
    empty_ = false;
  }

  bool replaces(long double later) const {
    const bool later_is_less = later < value_ || (later == value_ && std::signbit(later));
    return !std::isnan(value_) && later_is_less == (request_->op == Operator::min);
  }

  const ScanRequest* request_;
  bool empty_ = true;
  long double value_ = 0;
};

// Floating-point sums and products, with what bounds the error of combining in any order.
class RunningRounded {
 public:
  explicit RunningRounded(const ScanSpec& spec)
      : request_(&spec.request),
        exact_(spec.pattern == InputPattern::exact),
        value_(spec.request.op == Operator::product ? 1 : 0) {}

  void add_item(const std::byte* item) { combine(accumulator_of(*request_, item)); }
  void add_init(const std::byte* init) { combine(floating_at(request_->accumulator_type, init)); }
  void add(const RunningRounded& later) {
    is_product() ? value_ *= later.value_ : value_ += later.value_;
    magnitude_ += later.magnitude_;
    roundings_ += later.roundings_;
  }

  void output(std::byte* output) const { put_floating(request_->output_type, value_, output); }

  // The accumulator is within the bound, and rounding it to the output is monotone, infinities included.
  bool agrees(const std::byte* found) const {
    const long double number = floating_at(request_->output_type, found);
    if (exact_) return number == rounded(request_->output_type, value_);
    const long double bound = error_bound();
    return number >= rounded(request_->output_type, value_ - bound) &&
           number <= rounded(request_->output_type, value_ + bound);  // false for NaN
  }

 private:
  // A factor larger than what long double itself loses.
  static constexpr long double kSlack = 1.001L;

  bool is_product() const { return request_->op == Operator::product; }

  void combine(long double later) {
    is_product() ? value_ *= later : value_ += later;
    if (exact_) return;
    magnitude_ += std::abs(later);
    roundings_ += 1;
  }

  long double error_bound() const {
    const long double unit_roundoff = std::ldexp(kSlack, -significant_bits(request_->accumulator_type));
    return is_product() ? std::abs(value_) * std::expm1(roundings_ * unit_roundoff)
                        : magnitude_ * roundings_ * unit_roundoff;
  }

  const ScanRequest* request_;
  bool exact_;
  long double value_;
  long double magnitude_ = 0;
  long double roundings_ = 0;
};

// The stand-in for a custom operator, which is exact.
class RunningStandIn {
 public:
  explicit RunningStandIn(const ScanSpec& spec) : request_(&spec.request), stand_in_(spec.request) {}

  void add_item(const std::byte* item) {
    std::byte accumulator[kMaxValueBytes];
    to(request_->accumulator_type, request_->input_type, item, accumulator);
    combine(accumulator);
  }
  void add_init(const std::byte* init) { combine(init); }
  void add(const RunningStandIn& later) {
    if (!later.empty_) combine(later.value_);
  }

  void output(std::byte* output) const { to(request_->output_type, request_->accumulator_type, value_, output); }
  bool agrees(const std::byte* found) const {
    const ValueType type = request_->output_type;
    std::byte expected[kMaxValueBytes];
    output(expected);
    if (std::memcmp(expected, found, static_cast<std::size_t>(request_->output_bytes())) == 0) return true;
    // Nothing says which NaN a conversion makes.
    return type != request_->accumulator_type && is_floating(type) && std::isnan(floating_at(type, expected)) &&
           std::isnan(floating_at(type, found));
  }

 private:
  void combine(const std::byte* later) {
    if (empty_)
      std::memcpy(value_, later, static_cast<std::size_t>(request_->accumulator_bytes()));
    else
      stand_in_.combine(value_, later, value_);
    empty_ = false;
  }

  void to(ValueType type, ValueType from, const std::byte* value, std::byte* converted) const {
    if (type == from)
      std::memcpy(converted, value, static_cast<std::size_t>(request_->bytes_of(type)));
    else
      convert(from, value, type, converted);
  }

  const ScanRequest* request_;
  StandIn stand_in_;
  bool empty_ = true;
  std::byte value_[kMaxValueBytes] = {};
};

// The reference that keeps values of the kind that combines as the request's operator does.
template <template <class> class Expected>
std::unique_ptr<const Reference> reference_by(const ScanRequest& request, const KnownInput& input) {
  if (is_custom(request.op)) return std::make_unique<Expected<RunningStandIn>>(input);
  if (is_integer(request.accumulator_type)) return std::make_unique<Expected<RunningInteger>>(input);
  const bool is_extreme = request.op == Operator::min || request.op == Operator::max;
  if (is_extreme) return std::make_unique<Expected<RunningExtreme>>(input);
  return std::make_unique<Expected<RunningRounded>>(input);
}

// What comes before the first item.
template <class Running>
Running start_of(const ScanSpec& spec) {
  Running start(spec);
  if (!spec.request.has_init()) return start;
  unsigned char init[kMaxValueBytes];
  fill_scan_init(spec.request, init);
  start.add_init(reinterpret_cast<const std::byte*>(init));
  return start;
}

template <class Running>
Mismatch mismatch_of(const ScanRequest& request, u64 index, const Running& running, const std::byte* found) {
  std::byte expected[kMaxValueBytes];
  running.output(expected);
  return {index, spell_value(request, request.output_type, expected), spell_value(request, request.output_type, found)};
}

}  // namespace scantune
