// The problems that are reduced and scanned by 32-bit words, each of which holds two or four items.
#pragma once

#include "config/scan.h"

namespace scantune {

constexpr bool has_small_integers(const ScanRequest& request) {
  return is_integer(request.input_type) && is_integer(request.accumulator_type) && request.input_bytes() <= 2 &&
         request.output_bytes() == request.input_bytes();
}

constexpr bool packs_sums(const ScanRequest& request) {
  return request.op == Operator::sum && has_small_integers(request);
}

// Minima and maxima are packed where the machine has instructions for it. An initial value might lie outside the items'
// range, and a negative item is a large one to an unsigned accumulator.
constexpr bool packs_extremes(const ScanRequest& request) {
  const bool same_order = !is_signed(request.input_type) || is_signed(request.accumulator_type);
  return (request.op == Operator::min || request.op == Operator::max) && has_small_integers(request) && same_order &&
         request.kind == Kind::inclusive && !request.has_init();
}

}  // namespace scantune
