// Inputs for verifying and measuring: each item is a function of seed and index, so that any part of an input can be
// computed again, in any order and on any thread, without storing the whole.
#pragma once

#include <cstddef>
#include <span>

#include "core/contract/launch.h"
#include "space/space.h"

namespace scantune {

enum class InputPattern {
  // Every order of combining gives the same bits, also in a narrower output, and results depend on items far back.
  // Integer sums and products wrap over their whole range. Floating-point sums and products telescope, so that those of
  // any segment are small integers or powers of two; those of reductions stay small in any order. Running minima and
  // maxima move on to the end, and so do bit_and and bit_or as far as their bits last. Items of custom operators are
  // random bytes, and keys that are sorted are random bits.
  exact,
  rounding,  // floating-point sums and products only: every combination rounds
  // Floating-point min and max: an infinity, -0 beside +0, and a NaN at three quarters. What is kept of a selection and
  // how long segments are: extremes, in long runs. Keys that are sorted: many equal ones, from the ends of their order.
  specials,
  alike,   // keys that are sorted only: they differ in a few bits or not at all
  ordered  // keys that are sorted only: they ascend or descend
};
template <>
struct Tokens<InputPattern> {
  static constexpr const char* kNames[] = {"exact", "rounding", "specials", "alike", "ordered"};
};

struct InputSpec {
  Request request;
  InputPattern pattern = InputPattern::exact;
  u64 seed = 1;
  u64 whole_items = 0;     // the input is the beginning of one of so many items; 0: it is the whole
  bool is_turned = false;  // the input is that of a reverse scan, in the order of the scan

  bool operator==(const InputSpec&) const = default;
};

// A request and the variant of the kernels that solve it.
struct RequestVariant {
  Request request;
  Variant variant;

  bool operator==(const RequestVariant&) const = default;
};

// The request whose inputs all requests get that differ only in what a record serves anyway.
Request fed_alike(Request request);

// Whether the pattern exists for the request.
bool applies(InputPattern pattern, const Request& request);

// Writes the items of the input that start at item `first` and fill `out`.
void fill_input(const InputSpec& spec, u64 first, std::span<std::byte> out);
void fill_input_on_all_cores(const InputSpec& spec, u64 first, std::span<std::byte> out);

// An initial value that matters: it changes every sum and product, and replaces the first items of a running minimum or
// maximum but not the last. Writes an accumulator to init, which has room for kMaxValueBytes.
void fill_init(const Request& request, unsigned char* init);

}  // namespace scantune
