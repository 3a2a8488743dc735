// Inputs for verifying and measuring: each item is a function of seed and index, so that any part of an input can be
// made again, in any order and on any thread, without keeping the whole.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "config/launch.h"

namespace scantune {

enum class InputPattern {
  // Every order of combining gives the same bits: sums of integers wrap over their whole range; floating-point sums
  // telescope, so that the sum of any segment is a small integer. Running maxima keep growing to the end. No item of a
  // sum is zero.
  exact,
  rounding,  // floating-point sums only: magnitudes that make every addition round
  specials   // floating-point max only: -infinity, -0 before +0, and a NaN at three quarters
};
template <>
struct Tokens<InputPattern> {
  static constexpr const char* kNames[] = {"exact", "rounding", "specials"};
};

struct InputSpec {
  ValueType type = ValueType::i32;
  Operator op = Operator::sum;
  InputPattern pattern = InputPattern::exact;
  u64 n = 0;
  u64 seed = 1;

  constexpr auto operator<=>(const InputSpec&) const = default;
};

// Whether the pattern exists for the type and operator.
constexpr bool applies(InputPattern pattern, ValueType type, Operator op) {
  if (pattern == InputPattern::rounding) return is_floating(type) && op == Operator::sum;
  if (pattern == InputPattern::specials) return is_floating(type) && op == Operator::max;
  return true;
}

// Writes items [first, first + bytes / size_of(type)) of the input.
void fill_input(const InputSpec& spec, u64 first, std::span<std::byte> out);

// An initial value that matters: it changes every sum, and beats the first items of a running maximum but not the last.
// Writes size_of(type) bytes to init, which has room for kMaxValueBytes.
void fill_init(const InputSpec& spec, unsigned char* init);

}  // namespace scantune
