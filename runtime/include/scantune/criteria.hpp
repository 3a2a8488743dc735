// Predicates, equalities and three-way rules of selections. Included by select.hpp.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

#include "scantune/function.hpp"
#include "scantune/initial_value.hpp"
#include "scantune/op.hpp"
#include "scantune/types.hpp"

namespace scantune::runtime {

namespace detail {

// A comparison with a constant, before the type of the items is known.
template <class X>
struct Comparison {
  scantune_criterion criterion;
  X constant;
};

// The pivot of a three-way partition, before the type of the items is known.
template <class X>
struct Pivot {
  X constant;
};

inline constexpr ValueWords kConstantWords = {"the predicate's constant", "an item, ", "pass a constant that it holds"};
inline constexpr ValueWords kFlagWords = {"the predicate's constant", "a flag, ", "pass a constant that it holds"};
inline constexpr ValueWords kPivotWords = {"the pivot", "an item, ", "pass a pivot that it holds"};

// The bits of a half-precision number, for a format given by its fraction bits and least exponent.
template <int kFractionBits, int kLeastExponent, class X>
std::uint16_t half_bits(const ValueWords& words, scantune_type type, const X& value) {
  constexpr int kExponents = 2 * (1 - kLeastExponent) + 1;  // the last one is for infinities and NaN
  constexpr auto kInfinity = static_cast<std::uint16_t>(kExponents << kFractionBits);
  // Converting a long double to double first would round twice.
  using Number = std::conditional_t<std::is_same_v<X, long double>, long double, double>;
  const auto number = static_cast<Number>(value);
  const auto sign = static_cast<std::uint16_t>(std::signbit(number) ? 0x8000 : 0);
  if (std::isnan(number)) return sign | kInfinity | 1;
  if (std::isinf(number)) return sign | kInfinity;
  const int exponent = number == 0 ? kLeastExponent : std::max(std::ilogb(number), kLeastExponent);
  const Number fraction = std::nearbyint(std::ldexp(std::fabs(number), kFractionBits - exponent));
  const Number bits = std::ldexp(static_cast<Number>(exponent - kLeastExponent), kFractionBits) + fraction;
  if (bits >= kInfinity)
    refuse_value(words, short_text(number), type,
                 "numbers up to " + short_text(std::ldexp(2 - std::ldexp(1, -kFractionBits), 1 - kLeastExponent)));
  if constexpr (kIsInteger<X>)
    if (const Integer integer = Integer::of(value); integer.bits() > kFractionBits + 1)
      refuse_value(words, integer.text(), type, "integers of " + std::to_string(kFractionBits + 1) + " bits");
  return sign | static_cast<std::uint16_t>(bits);
}

// The constant as an item, with the checks of InitialValue.
template <class T, class X>
CallBytes constant_of(const ValueWords& words, const X& value) {
  if constexpr (kHalfType<T> != SCANTUNE_DEFAULT_TYPE) {
    if constexpr (kHalfType<X> != SCANTUNE_DEFAULT_TYPE) {
      static_assert(kHalfType<X> == kHalfType<T>, "the predicate's constant must be of the items' type, or a float");
      return CallBytes::of(value);
    } else {
      static_assert(kIsInteger<X> || std::is_floating_point_v<X>, "the predicate's constant must be a number");
      if constexpr (kHalfType<T> == SCANTUNE_F16)
        return CallBytes::of(half_bits<10, -14>(words, SCANTUNE_F16, value));
      else
        return CallBytes::of(half_bits<7, -126>(words, SCANTUNE_BF16, value));
    }
  } else if constexpr (std::is_integral_v<T>) {
    static_assert(kIsInteger<X>, "the predicate's constant must be an integer, for the items are: convert it");
    return CallBytes::of(number_from_integer<T>(words, value));
  } else {
    static_assert(std::is_floating_point_v<T>, "structs have no order: keep them by Predicate::source()");
    static_assert(kIsNumber<X, T>, "the predicate's constant must be a number");
    if constexpr (kIsInteger<X>)
      return CallBytes::of(number_from_integer<T>(words, value));
    else
      return CallBytes::of(number_from_floating<T>(words, value));
  }
}

}  // namespace detail

// A predicate: it says of each item, by its value or its flag's, whether a selection keeps it.
struct Predicate {
  // Compare an item with a constant, as C++ compares two numbers of the item type: only not_equal() keeps a NaN. The
  // constant is any number that the item type can represent. A floating-point number is not converted to an integer.
  // The selection throws RequestError for an integer that an item cannot hold exactly, and for a floating-point number
  // that would round to infinity.
  template <class X>
  static detail::Comparison<X> less(const X& constant) {
    return {SCANTUNE_LESS, constant};
  }
  template <class X>
  static detail::Comparison<X> less_equal(const X& constant) {
    return {SCANTUNE_LESS_EQUAL, constant};
  }
  template <class X>
  static detail::Comparison<X> greater(const X& constant) {
    return {SCANTUNE_GREATER, constant};
  }
  template <class X>
  static detail::Comparison<X> greater_equal(const X& constant) {
    return {SCANTUNE_GREATER_EQUAL, constant};
  }
  template <class X>
  static detail::Comparison<X> equal(const X& constant) {
    return {SCANTUNE_EQUAL, constant};
  }
  template <class X>
  static detail::Comparison<X> not_equal(const X& constant) {
    return {SCANTUNE_NOT_EQUAL, constant};
  }

  // A predicate in CUDA C++ source; UserFunction has the rules. The source defines
  //     __device__ bool keep(Value item)
  // Value is the item type, or the flags'. It is already declared if it is a number; for a struct, the source defines a
  // Value with the same members. keep() is called once or twice for an item and must return the same answer both times.
  template <class... State>
  static UserFunction source(std::string source, const State&... state) {
    return {UserFunction::Role::keep, std::move(source), state...};
  }
};

// Whether an item equals the one before it, or a key of scan_by_key() and the like. By default numbers are compared as
// in C++: a NaN equals nothing. Structs need a source.
struct Equality {
  // An equality in CUDA C++ source, with the rules of Predicate::source(). A half-precision key is a float. The source
  // defines
  //     __device__ bool equal(Value before, Value item)
  template <class... State>
  static UserFunction source(std::string source, const State&... state) {
    return {UserFunction::Role::equal, std::move(source), state...};
  }
};

// How a three-way partition divides the items, by their value.
struct Parts {
  // Three parts: items less than the pivot, items equal to it, and the rest, NaNs included. The pivot has the rules of
  // Predicate's constants.
  template <class X>
  static detail::Pivot<X> around(const X& pivot) {
    return {pivot};
  }
  // A rule in CUDA C++ source, with the rules of Predicate::source(). The source defines
  //     __device__ int part(Value item)
  // which returns 0 for the first part, 1 for the second, and anything else for the third.
  template <class... State>
  static UserFunction source(std::string source, const State&... state) {
    return {UserFunction::Role::part, std::move(source), state...};
  }
};

namespace detail {

// The criterion for items of type T: a comparison with a constant, or a function.
template <class T>
class Rule {
 public:
  // Throws RequestError unless T can hold the constant.
  template <class X>
  Rule(const ValueWords& words, scantune_criterion criterion, const X& constant)
      : criterion_(criterion), constant_(constant_of<T>(words, constant)) {}
  Rule(scantune_criterion criterion, UserFunction function) : criterion_(criterion), function_(std::move(function)) {}
  explicit Rule(scantune_criterion criterion) : criterion_(criterion) {}  // the constant is 0

  // The request points into this object, which must outlive it.
  void put_in(scantune_select_request& request) const {
    request.criterion = criterion_;
    request.function = function_.get();
    request.constant = request.function != nullptr ? nullptr : constant_.bytes;
  }

  // Whether it keeps what is not 0.
  bool asks_for_others_than_0() const {
    return criterion_ == SCANTUNE_NOT_EQUAL &&
           std::all_of(std::begin(constant_.bytes), std::end(constant_.bytes), [](auto byte) { return byte == 0; });
  }

 private:
  scantune_criterion criterion_;
  CallBytes constant_;
  UserFunction function_;
};

template <class T, const ValueWords& kWords = kConstantWords>
class Criterion : public Rule<T> {
 public:
  Criterion() : Rule<T>(SCANTUNE_NOT_EQUAL) {}  // other than 0
  template <class X>
  Criterion(const Comparison<X>& comparison) : Rule<T>(kWords, comparison.criterion, comparison.constant) {}
  Criterion(const UserFunction& function) : Rule<T>(SCANTUNE_PREDICATE, function) {
    check_role<SCANTUNE_FUNCTION_KEEP>("predicate", function.get());
  }
  template <class Text>
    requires kIsText<Text>
  Criterion(const Text&) : Criterion() {
    static_assert(!kIsText<Text>, "text is not a predicate: pass Predicate::source(text)");
  }
  template <HostFunction Function>
    requires(!std::is_same_v<Function, UserFunction>)
  Criterion(const Function&) : Criterion() {
    static_assert(!HostFunction<Function>,
                  "a predicate runs on the device: pass one of Predicate's, such as Predicate::greater(0), or CUDA "
                  "source in Predicate::source()");
  }
};

template <class T>
class PartRule : public Rule<T> {
 public:
  template <class X>
  PartRule(const Pivot<X>& pivot) : Rule<T>(kPivotWords, SCANTUNE_AROUND, pivot.constant) {}
  PartRule(const UserFunction& function) : Rule<T>(SCANTUNE_PARTS, function) {
    check_role<SCANTUNE_FUNCTION_PART>("parts", function.get());
  }
  template <class Mistaken>
    requires(kIsText<Mistaken> || (HostFunction<Mistaken> && !std::is_same_v<Mistaken, UserFunction>))
  PartRule(const Mistaken&) : Rule<T>(SCANTUNE_PARTS) {
    static_assert(!kIsText<Mistaken> && !HostFunction<Mistaken>,
                  "parts are told by Parts::around(pivot), or by CUDA source in Parts::source(text)");
  }
};

}  // namespace detail

}  // namespace scantune::runtime

#endif
