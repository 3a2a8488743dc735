// What a scan must return, computed on the CPU.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "measure/inputs.h"

namespace scantune {

struct Mismatch {
  u64 index;  // of the first wrong item
  std::string expected;
  std::string found;
};

// The expected output of a request for one input. Neither input nor output is kept: only the running value at every
// chunk, from which any part of the output follows, so 2^30 items cost a few megabytes.
//
// Integers wrap and are exact, as are minima and maxima, in which NaN propagates and -0 orders below +0, and the
// stand-ins for custom operators. Floating-point sums and products are compared with long double: exactly where the
// input makes every order of combining exact (InputPattern::exact), else within a bound that holds for any order, for k
// roundings in the accumulator's unit roundoff u: k * u * (|init| + |x_0| + ... + |x_i|) for sums (Jeannerod and Rump,
// "Improved error bounds for inner products in floating-point arithmetic", 2013), (e^(k * u) - 1) * |product| for
// products (after Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1). What an accumulator within
// the bound rounds to in the output's type is right, also an infinity.
class Reference {
 public:
  static constexpr u64 kChunkItems = u64{1} << 16;

  virtual ~Reference() = default;

  virtual u64 item_bytes() const = 0;  // of the output

  // Compares part of an output, whole items starting at item `first`, a multiple of kChunkItems. Uses all cores.
  virtual std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const = 0;
};

// The initial value, if the request has one, is fill_init()'s.
std::unique_ptr<const Reference> make_reference(const InputSpec& input);

}  // namespace scantune
