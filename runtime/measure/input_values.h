// The items of the inputs declared in inputs.h.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "measure/inputs.h"
#include "measure/value_types.h"

namespace scantune {
namespace detail {

// SplitMix64: a bijection of the index, so neighbouring seeds share nothing.
constexpr u64 hash(u64 seed, u64 index) {
  u64 x = seed * 0x9e3779b97f4a7c15u + index * 0xd1342543de82ef95u + 0x632be59bd9b4e019u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

template <class T>
T random_nonzero_integer(u64 bits) {
  const T value = static_cast<T>(bits);
  return value == 0 ? T(1) : value;
}

// Prefix sums of the telescoping input. Odd and even alternate, so neighbours differ; before item 0 it is zero. Any sum
// of consecutive items is the difference of two of these, and takes two bits fewer than the significand has.
template <class T>
T telescoping_prefix(u64 seed, u64 index) {
  constexpr int kBits = std::numeric_limits<T>::digits - 4;
  const i64 centred = static_cast<i64>(hash(seed, index) >> (64 - kBits)) - (i64{1} << (kBits - 1));
  return static_cast<T>(2 * centred + static_cast<i64>((index + 1) & 1));
}

template <class T>
T rounding_item(u64 bits) {
  const T magnitude = std::ldexp(static_cast<T>((bits >> 12) | 1), -52 + static_cast<int>(bits & 7));
  return (bits & 8) != 0 ? -magnitude : magnitude;
}

// Half of the items lie on a slope from the low end of the type's range to near its high end, the others below it.
template <class T>
T growing_item(u64 bits, u64 index, u64 n) {
  const double progress = static_cast<double>(index) / static_cast<double>(n);
  const bool on_slope = index == 0 || (bits & 1) != 0;
  const double below = on_slope ? 1 : static_cast<double>(bits >> 11) * 0x1p-53;
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(2e6 * progress * below - 1e6);
  } else {
    using Unsigned = std::make_unsigned_t<T>;
    const double range = 0.9 * static_cast<double>(std::numeric_limits<Unsigned>::max());
    const auto offset = static_cast<Unsigned>(progress * below * range);
    return static_cast<T>(static_cast<Unsigned>(std::numeric_limits<T>::lowest()) + offset);
  }
}

template <class T>
T special_item(u64 bits, u64 index, u64 n) {
  if (index < n / 8) return -std::numeric_limits<T>::infinity();
  if (index < n / 2) return (bits & 1) != 0 ? T(-0.0) : T(-1);
  if (index < n / 2 + n / 8) return (bits & 1) != 0 ? T(-0.0) : T(0.0);
  if (index == n / 4 * 3) return std::numeric_limits<T>::quiet_NaN();
  return growing_item<T>(bits, index, n);
}

}  // namespace detail

template <class T>
T initial_value(Operator op) {
  if (op == Operator::sum) return static_cast<T>(12345);
  if constexpr (std::is_floating_point_v<T>) return T(-5e5);
  return static_cast<T>(std::numeric_limits<T>::lowest() / 2 + std::numeric_limits<T>::max() / 4);
}

// Calls visit(index, item) for the items [first, first + count) in order.
template <class T, class Visit>
void visit_input(const InputSpec& spec, u64 first, u64 count, Visit&& visit) {
  if constexpr (std::is_floating_point_v<T>) {
    if (spec.op == Operator::sum && spec.pattern == InputPattern::exact) {
      T before = first == 0 ? T(0) : detail::telescoping_prefix<T>(spec.seed, first - 1);
      for (u64 index = first; index < first + count; ++index) {
        const T prefix = detail::telescoping_prefix<T>(spec.seed, index);
        visit(index, static_cast<T>(prefix - before));
        before = prefix;
      }
      return;
    }
  }
  for (u64 index = first; index < first + count; ++index) {
    const u64 bits = detail::hash(spec.seed, index);
    if (spec.op == Operator::max) {
      if constexpr (std::is_floating_point_v<T>) {
        if (spec.pattern == InputPattern::specials) {
          visit(index, detail::special_item<T>(bits, index, spec.n));
          continue;
        }
      }
      visit(index, detail::growing_item<T>(bits, index, spec.n));
    } else if constexpr (std::is_floating_point_v<T>) {
      visit(index, detail::rounding_item<T>(bits));
    } else {
      visit(index, detail::random_nonzero_integer<T>(bits));
    }
  }
}

}  // namespace scantune
