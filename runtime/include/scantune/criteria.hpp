// What decides whether a selection keeps an item, and which part it is in. Included by select.hpp.
#pragma once

#include "scantune/cxx20.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "scantune/initial_value.hpp"
#include "scantune/source.hpp"
#include "scantune/types.hpp"

namespace scantune::runtime {

namespace detail {

// What items are compared with, before their type is known.
template <class X>
struct Comparison {
  scantune_criterion criterion;
  X constant;
};

// A source of the caller's and its state. Copies share the text.
class SelectSource {
 public:
  SelectSource() = default;  // none
  explicit SelectSource(std::string source) {
    refuse_null_characters("source", source, "a selection");
    text_ = std::make_shared<const std::string>(std::move(source));
  }
  template <class State>
  SelectSource(std::string source, const State& state) : SelectSource(std::move(source)) {
    state_ = bytes_of_state(state);
    state_bytes_ = sizeof(State);
  }

  bool is_given() const { return text_ != nullptr; }

  // The selection points to what this holds.
  void put_in(scantune_selection& selection, scantune_criterion criterion) const {
    selection.criterion = criterion;
    selection.source = text_->c_str();
    selection.state = state_bytes_ == 0 ? nullptr : state_.bytes;
    selection.state_bytes = state_bytes_;
  }

 private:
  std::shared_ptr<const std::string> text_;
  CallBytes state_;
  std::uint32_t state_bytes_ = 0;
};

inline constexpr ValueWords kConstantWords = {"the predicate's constant", "an item, ", "pass a constant that it holds"};
inline constexpr ValueWords kPivotWords = {"the pivot", "an item, ", "pass a pivot that it holds"};

// The bits of a half-precision number, by its bits of fraction and its least exponent.
template <int kFractionBits, int kLeastExponent, class X>
std::uint16_t half_bits(const ValueWords& words, scantune_type type, const X& value) {
  constexpr int kExponents = 2 * (1 - kLeastExponent) + 1;  // the last one is that of infinities and NaN
  constexpr auto kInfinity = static_cast<std::uint16_t>(kExponents << kFractionBits);
  // A long double that becomes a double first would be rounded twice.
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

// The constant as an item, by the rules of InitialValue.
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

// The rule by which a selection keeps an item: the item's value alone.
class Predicate {
 public:
  // Comparisons of an item with a constant, as C++ compares two numbers of the items' type: only not_equal() keeps a
  // NaN. The constant is any number that an item holds. Floating-point numbers never become integers. An integer that
  // an item does not hold exactly is a RequestError of the selection, as is a floating-point number that it could only
  // round to infinity.
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

  // A predicate in CUDA C++ source, which is compiled with the kernel. The source defines
  //     __device__ bool keep(Value item)
  // at global scope. Value is the type of the items: declared already if that is a number; for a struct the source
  // defines a Value of the same members. It must give the same answer whenever it is asked about an item, once or
  // twice. All else holds as for Op::custom(), but a predicate has no name. Throws RequestError when the source holds a
  // null character.
  static Predicate source(std::string source) { return Predicate(detail::SelectSource(std::move(source))); }
  // The same with a state, which the source's function takes behind the item:
  //     struct State { float least; };
  //     __device__ bool keep(Value item, State state)
  // The source defines a State of the same members, of at most 32 bytes. It comes with every call, so another state
  // needs no other kernel. A plan keeps the one that it was made with.
  template <class State>
  static Predicate source(std::string source, const State& state) {
    return Predicate(detail::SelectSource(std::move(source), state));
  }

  const detail::SelectSource& get() const { return source_; }

 private:
  explicit Predicate(detail::SelectSource source) : source_(std::move(source)) {}

  detail::SelectSource source_;
};

// Whether an item is equal to the one before it. By default numbers are compared as C++ compares them: a NaN is equal
// to nothing. Structs need a source.
class Equality {
 public:
  Equality() = default;

  // An equality in CUDA C++ source, by the rules of Predicate::source(). The source defines
  //     __device__ bool equal(Value before, Value item)
  static Equality source(std::string source) { return Equality(detail::SelectSource(std::move(source))); }
  // The same with a state: the source defines equal(Value before, Value item, State state).
  template <class State>
  static Equality source(std::string source, const State& state) {
    return Equality(detail::SelectSource(std::move(source), state));
  }

  const detail::SelectSource& get() const { return source_; }

 private:
  explicit Equality(detail::SelectSource source) : source_(std::move(source)) {}

  detail::SelectSource source_;
};

namespace detail {

// What items are told apart by, before their type is known.
template <class X>
struct Pivot {
  X constant;
};

}  // namespace detail

// The rule by which a three-way partition tells three parts apart: by the item's value alone.
class Parts {
 public:
  // Items less than the pivot, those equal to it, and the others, with the NaNs among these. The pivot is any number
  // that an item holds, by the rules of Predicate's constants.
  template <class X>
  static detail::Pivot<X> around(const X& pivot) {
    return {pivot};
  }

  // A rule in CUDA C++ source, by the rules of Predicate::source(). The source defines
  //     __device__ int part(Value item)
  // which returns 0 for the first part, 1 for the second, and anything else for the third.
  static Parts source(std::string source) { return Parts(detail::SelectSource(std::move(source))); }
  // The same with a state: the source defines part(Value item, State state).
  template <class State>
  static Parts source(std::string source, const State& state) {
    return Parts(detail::SelectSource(std::move(source), state));
  }

  const detail::SelectSource& get() const { return source_; }

 private:
  explicit Parts(detail::SelectSource source) : source_(std::move(source)) {}

  detail::SelectSource source_;
};

namespace detail {

// A rule for items T: a pivot or a source.
template <class T>
class PartRule {
 public:
  template <class X>
  PartRule(const Pivot<X>& pivot) : constant_(constant_of<T>(kPivotWords, pivot.constant)) {}
  PartRule(const Parts& parts) : source_(parts.get()) {}

  // The selection points to what this holds.
  void put_in(scantune_selection& selection) const {
    if (source_.is_given()) return source_.put_in(selection, SCANTUNE_PARTS);
    selection.criterion = SCANTUNE_AROUND;
    selection.constant = constant_.bytes;
  }

 private:
  CallBytes constant_;
  SelectSource source_;
};

// A predicate of items T: a comparison or a source.
template <class T>
class Criterion {
 public:
  Criterion() = default;  // other than 0
  template <class X>
  Criterion(const Comparison<X>& comparison)
      : comparison_(comparison.criterion), constant_(constant_of<T>(kConstantWords, comparison.constant)) {}
  Criterion(const Predicate& predicate) : source_(predicate.get()) {}

  // The selection points to what this holds.
  void put_in(scantune_selection& selection) const {
    if (source_.is_given()) return source_.put_in(selection, SCANTUNE_PREDICATE);
    selection.criterion = comparison_;
    selection.constant = constant_.bytes;
  }

 private:
  scantune_criterion comparison_ = SCANTUNE_NOT_EQUAL;
  CallBytes constant_;
  SelectSource source_;
};

}  // namespace detail

}  // namespace scantune::runtime
