// The inputs of scans.
#pragma once

#include <cstddef>
#include <span>

#include "measure/inputs.h"

namespace scantune {

// An InputSpec with the request as its own struct.
struct ScanSpec {
  explicit ScanSpec(const InputSpec& spec)
      : request(typed<ScanRequest>(spec.request)),
        pattern(spec.pattern),
        seed(spec.seed),
        whole_items(spec.whole_items) {}

  ScanRequest request;
  InputPattern pattern;
  u64 seed;
  u64 whole_items;
};

// Whether the pattern exists for the request's types and operator.
constexpr bool applies_to_scan(InputPattern pattern, const ScanRequest& request) {
  const bool floating = is_floating(request.accumulator_type), floating_items = is_floating(request.input_type);
  if (pattern == InputPattern::rounding)
    return (floating && request.op == Operator::sum) || (floating_items && request.op == Operator::product);
  if (pattern == InputPattern::specials)
    return floating_items && (request.op == Operator::min || request.op == Operator::max);
  return pattern == InputPattern::exact;
}

void fill_scan_input(const ScanSpec& spec, u64 first, std::span<std::byte> out);
void fill_scan_init(const ScanRequest& request, unsigned char* init);

}  // namespace scantune
