// The initial value: an accumulator that is combined before the first item.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <bit>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "scantune/error.hpp"
#include "scantune/types.hpp"

namespace scantune::runtime {

namespace detail {

template <class T>
inline constexpr bool kIsInteger =
    std::is_integral_v<T> || (std::is_enum_v<T> && std::is_convertible_v<T, std::int64_t>);
template <class T, class Acc>
inline constexpr bool kIsNumber = kIsInteger<T> || std::is_floating_point_v<T> ||
                                  (kHalfType<T> != SCANTUNE_DEFAULT_TYPE && std::is_convertible_v<const T&, Acc>);

// An integer of any type, by sign and magnitude.
struct Integer {
  bool is_negative;
  std::uint64_t magnitude;

  template <class T>
  static constexpr Integer of(T value) {
    const auto promoted = +value;  // an int where T is bool or a character
    static_assert(sizeof promoted <= 8, "a number must have at most 64 bits");
    const auto bits = static_cast<std::uint64_t>(promoted);
    if constexpr (std::is_signed_v<decltype(+value)>)
      if (promoted < 0) return {true, 0 - bits};
    return {false, bits};
  }

  // Significant bits: from the highest 1 to the lowest 1; 0 for 0.
  constexpr int bits() const {
    return magnitude == 0 ? 0 : 64 - std::countl_zero(magnitude) - std::countr_zero(magnitude);
  }
  std::string text() const { return std::string(is_negative, '-') + std::to_string(magnitude); }
};

template <class Acc>
constexpr bool holds(Integer integer) {
  using Limits = std::numeric_limits<Acc>;
  if constexpr (std::is_floating_point_v<Acc>) {
    return integer.bits() <= Limits::digits;
  } else {
    constexpr auto kGreatest = static_cast<std::uint64_t>(Limits::max());
    return integer.magnitude <= kGreatest + (integer.is_negative ? 1u : 0u) &&
           (Limits::is_signed || !integer.is_negative);
  }
}

// How messages name a value that the caller passes, and the type that must hold it.
struct ValueWords {
  const char* value;
  const char* holder;
  const char* advice;
};
inline constexpr ValueWords kInitWords = {
    "init", "the accumulator, ", "pass a value that it holds, or name another accumulator, as in scan<In, Out, Acc>()"};

[[noreturn]] inline void refuse_value(const ValueWords& words, const std::string& value, scantune_type type,
                                      const std::string& held) {
  throw RequestError(std::string(words.value) + " is " + value + ", and " + words.holder + type_name(type, 0, 0) +
                     ", holds " + held + ": " + words.advice);
}

template <class Acc>
[[noreturn]] void refuse_integer(const ValueWords& words, Integer integer) {
  using Limits = std::numeric_limits<Acc>;
  if constexpr (std::is_floating_point_v<Acc>)
    refuse_value(words, integer.text(), type_of<Acc>(), "integers of " + std::to_string(Limits::digits) + " bits");
  else
    refuse_value(words, integer.text(), type_of<Acc>(),
                 std::to_string(Limits::min()) + " to " + std::to_string(Limits::max()));
}

inline std::string short_text(long double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%Lg", value);
  return text;
}

template <class Acc, class T>
Acc number_from_integer(const ValueWords& words, const T& value) {
  if (const Integer integer = Integer::of(value); !holds<Acc>(integer)) refuse_integer<Acc>(words, integer);
  return static_cast<Acc>(value);
}

// Rounds as a literal is converted, but throws instead of rounding to infinity.
template <class Acc, class T>
Acc number_from_floating(const ValueWords& words, const T& value) {
  constexpr Acc kGreatest = std::numeric_limits<Acc>::max();
  if constexpr (sizeof(T) > sizeof(Acc)) {
    const bool is_finite = value - value == 0;
    if (is_finite && (value > kGreatest || value < -kGreatest))
      refuse_value(words, short_text(value), type_of<Acc>(), "numbers up to " + short_text(kGreatest));
  }
  return static_cast<Acc>(value);
}

// Returns the value as an Acc. A struct and nullopt come back as they are.
template <class Acc, class T>
auto accumulator_from(const T& value) {
  if constexpr (std::is_same_v<T, std::nullopt_t>) {
    return value;
  } else if constexpr (!std::is_arithmetic_v<Acc>) {
    static_assert(std::is_convertible_v<const T&, Acc>, "init must be a value of the struct that is scanned");
    return value;
  } else if constexpr (std::is_integral_v<Acc>) {
    static_assert(kIsInteger<T>,
                  "init must be an integer, for the accumulator is one: convert it, or name a floating-point "
                  "accumulator, as in scan<In, Out, Acc>()");
    return number_from_integer<Acc>(kInitWords, value);
  } else {
    static_assert(kIsNumber<T, Acc>,
                  "init must be a number; f16 and bf16 of types.hpp are combined in float: pass a float");
    if constexpr (kIsInteger<T>)
      return number_from_integer<Acc>(kInitWords, value);
    else
      return number_from_floating<Acc>(kInitWords, value);
  }
}

}  // namespace detail

// No value, or a value of any type that the accumulator Acc can hold. A floating-point number is not converted to an
// integer. Throws RequestError for an integer that Acc cannot hold exactly, and for a floating-point number that would
// round to infinity.
template <class Acc>
class InitialValue {
 public:
  InitialValue() = default;
  InitialValue(const Acc& value) : value_(value) {}
  InitialValue(const std::optional<Acc>& value) : value_(value) {}
  template <class T>
  InitialValue(const T& value) : value_(detail::accumulator_from<Acc>(value)) {}

  const Acc* get() const { return value_ ? &*value_ : nullptr; }  // null without a value

 private:
  std::optional<Acc> value_;
};

}  // namespace scantune::runtime

#endif
