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
// chunk, from which any part of the output follows, so 2^30 items cost a fraction of a megabyte.
//
// Integer sums wrap and are exact, as are maxima, in which NaN propagates and -0 orders below +0. Floating-point sums
// are compared with a sum in long double: exactly where the input makes every order of additions exact
// (InputPattern::exact), else within k * u * (|init| + |x_0| + ... + |x_i|) for k additions and unit roundoff u, which
// holds for any order of additions (Higham, "Accuracy and Stability of Numerical Algorithms", section 4.2), and u of
// the result for its rounding.
class Reference {
 public:
  static constexpr u64 kChunkItems = u64{1} << 16;

  virtual ~Reference() = default;

  virtual u64 item_bytes() const = 0;

  // Compares part of an output, whole items starting at item `first`, a multiple of kChunkItems. Uses all cores.
  virtual std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const = 0;
};

// input.n must be request.n; the initial value is fill_init()'s. Throws RequestError for types without CPU arithmetic.
std::unique_ptr<const Reference> make_reference(const ScanRequest& request, const InputSpec& input);

}  // namespace scantune
