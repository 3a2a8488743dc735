// Inputs of every kind for the tests of references, and what a plain loop makes of them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "measure/reference.h"
#include "space/operands.h"
#include "space/spelling.h"
#include "worker_plain_scan.h"
#include "worker_problems.h"

namespace scantune::testing {

inline std::vector<std::byte> items_of(const InputSpec& spec) {
  std::vector<std::byte> items(Operands(spec.request).of(OperandRole::input).bytes());
  fill_input(spec, 0, items);
  return items;
}

inline std::vector<std::byte> plain_scan(const ScanRequest& request, const std::vector<std::byte>& items) {
  unsigned char init[kMaxValueBytes];
  fill_init(request, init);
  std::vector<std::byte> output(request.n * static_cast<u64>(request.output_bytes()));
  plain_scan(request, items.data(), init, output.data());
  return output;
}
inline std::vector<std::byte> plain_scan(const InputSpec& spec) {
  return plain_scan(typed<ScanRequest>(spec.request), items_of(spec));
}

inline InputSpec with(ScanRequest request, u64 n, InputPattern pattern = InputPattern::exact) {
  request.n = n;
  return {request, pattern, 7};
}

inline ScanRequest exclusive(ScanRequest request) {
  request.kind = Kind::exclusive;
  request.init = Init::value;
  return request;
}

// Inputs of every kind with every pattern.
inline std::vector<InputSpec> inputs_of(const ScanRequest& types, u64 n) {
  std::vector<InputSpec> all;
  for (const ScanRequest& request : with_operators(types))
    for (const InputPattern pattern : {InputPattern::exact, InputPattern::rounding, InputPattern::specials}) {
      if (!applies(pattern, request)) continue;
      ScanRequest from_init = request;
      from_init.init = Init::memory;
      for (const ScanRequest& kind : {request, from_init, exclusive(request)}) all.push_back(with(kind, n, pattern));
    }
  return all;
}

inline std::string named(const InputSpec& spec) { return to_string(spec.request) + ", " + token(spec.pattern); }

inline std::vector<ScanRequest> all_types() {
  auto all = type_triples();
  for (const ScanRequest& custom : custom_types()) all.push_back(custom);
  return all;
}

inline constexpr auto kNameOfTypes = [](const auto& types) {
  const ScanRequest& request = types.param;
  return spell_type(request, request.input_type) + "_" + spell_type(request, request.accumulator_type) + "_" +
         spell_type(request, request.output_type) + "_" + std::to_string(request.custom_alignment);
};

// The reference takes the output of a plain scan for right, and writes the same where one alone is.
inline void expect_agreement_with_a_plain_scan(const InputSpec& input) {
  const auto reference = make_reference(input);
  const auto expected = plain_scan(input);
  const auto wrong = reference->check(0, expected);
  EXPECT_FALSE(wrong) << named(input) << ", at " << wrong->index << ": " << wrong->expected << ", " << wrong->found;
  if (input.pattern != InputPattern::exact) return;
  std::vector<std::byte> written(expected.size());
  reference->expect({input}, written);
  EXPECT_EQ(written, expected) << named(input);
}

}  // namespace scantune::testing
