// The running value of a scan on the CPU: what it has combined so far, and whether an output agrees with it.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "config/request.h"

namespace scantune {

template <class T, Operator kOperator>
class RunningValue;

// Integer sums: they wrap.
template <class T>
  requires std::is_integral_v<T>
class RunningValue<T, Operator::sum> {
  using Unsigned = std::make_unsigned_t<T>;

 public:
  void add(T item) { sum_ = static_cast<Unsigned>(sum_ + static_cast<Unsigned>(item)); }
  void add(const RunningValue& later) { sum_ = static_cast<Unsigned>(sum_ + later.sum_); }
  T value() const { return static_cast<T>(sum_); }
  bool agrees(T found, bool) const { return found == value(); }

 private:
  Unsigned sum_ = 0;
};

// Floating-point sums, with the sum of magnitudes that bounds the error of any order of additions.
template <class T>
  requires std::is_floating_point_v<T>
class RunningValue<T, Operator::sum> {
 public:
  void add(T item) {
    sum_ += static_cast<long double>(item);
    magnitude_ += std::abs(static_cast<long double>(item));
    additions_ += 1;
  }
  void add(const RunningValue& later) {
    sum_ += later.sum_;
    magnitude_ += later.magnitude_;
    additions_ += later.additions_;
  }
  T value() const { return static_cast<T>(sum_); }
  bool agrees(T found, bool exact) const {
    if (exact) return found == value();
    const long double unit_roundoff = static_cast<long double>(std::numeric_limits<T>::epsilon()) / 2;
    const long double bound = unit_roundoff * (additions_ * magnitude_ + std::abs(sum_));
    return std::abs(static_cast<long double>(found) - sum_) <= bound;  // false for NaN
  }

 private:
  long double sum_ = 0;
  long double magnitude_ = 0;
  long double additions_ = 0;
};

// Maxima: NaN propagates, -0 orders below +0.
template <class T>
class RunningValue<T, Operator::max> {
 public:
  void add(T item) { value_ = larger(value_, item); }
  void add(const RunningValue& later) { add(later.value_); }
  T value() const { return value_; }
  bool agrees(T found, bool) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value_)) return std::isnan(found);
      return found == value_ && std::signbit(found) == std::signbit(value_);
    } else {
      return found == value_;
    }
  }

 private:
  static T larger(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a)) return a;
      if (std::isnan(b)) return b;
      if (a == b) return std::signbit(a) ? b : a;
    }
    return a < b ? b : a;
  }
  static constexpr T kIdentity =
      std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  T value_ = kIdentity;
};

}  // namespace scantune
