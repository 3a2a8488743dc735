// Runs that are reduced and scanned as 32-bit words of two or four items.
#pragma once

#include "core/contract/value.h"

namespace scantune {

// The consecutive items that a thread holds, and how they are combined: everything that decides how they are packed.
struct Run {
  ValueType input_type;
  ValueType accumulator_type;
  int input_bytes;
  int output_bytes;
  Operator op;
  bool from_value;  // an initial value comes before the items, as it does where they are scanned exclusively
};

constexpr bool has_small_integers(const Run& run) {
  return is_integer(run.input_type) && is_integer(run.accumulator_type) && run.input_bytes <= 2 &&
         run.output_bytes == run.input_bytes;
}

constexpr bool packs_sums(const Run& run) { return run.op == Operator::sum && has_small_integers(run); }

// Minima and maxima are packed where the machine has instructions for it. Not with an initial value, which might be
// outside the items' range, nor with an unsigned accumulator, to which a negative item is a large one.
constexpr bool packs_extremes(const Run& run) {
  const bool same_order = !is_signed(run.input_type) || is_signed(run.accumulator_type);
  return (run.op == Operator::min || run.op == Operator::max) && has_small_integers(run) && same_order &&
         !run.from_value;
}

}  // namespace scantune
