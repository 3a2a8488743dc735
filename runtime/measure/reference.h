// What a scan must return, computed on the CPU.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "measure/known_input.h"

namespace scantune {

// What is in an output before a run; where nothing is a result it stays, unless the output is the input.
inline constexpr std::byte kUnwritten{0xa5};

struct Mismatch {
  u64 index;  // index of the first wrong item
  std::string expected;
  std::string found;
};

// The first item of an operand that is not what it must be. Both begin with item `first`.
std::optional<Mismatch> first_mismatch(const Request& request, const RequestOperand& operand, u64 first,
                                       std::span<const std::byte> expected, std::span<const std::byte> found);

// The expected output of a request for one input. Neither input nor output is kept: only the running value at every
// chunk, from which any part of the output follows, so 2^30 items cost a few megabytes.
//
// Integers wrap and are exact, as are minima and maxima, in which NaN propagates and -0 orders below +0, and the
// stand-ins for custom operators. Floating-point sums and products are compared with long double, exactly where the
// input makes every order of combining exact (InputPattern::exact). Elsewhere a bound holds for any order, for k
// roundings in the accumulator's unit roundoff u: k * u * (|init| + |x_0| + ... + |x_i|) for sums (Jeannerod and Rump,
// "Improved error bounds for inner products in floating-point arithmetic", 2013), (e^(k * u) - 1) * |product| for
// products (after Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1). What an accumulator within
// the bound rounds to in the output's type is right, also an infinity.
class Reference {
 public:
  static constexpr u64 kChunkItems = u64{1} << 14;

  virtual ~Reference() = default;

  virtual u64 item_bytes() const = 0;  // size of the output's items
  virtual u64 bytes() const = 0;       // memory that this reference takes

  // Compares part of an output, whole items from item `first` on. It uses all cores.
  virtual std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const = 0;

  // How many items of an operand that is written are results, the first ones. Nothing is written to the others.
  virtual u64 written(const RequestOperand& operand) const { return operand.items; }
  // Writes what such an operand beside the output must hold, from item `first` on, as much as fills `expected`.
  virtual void expect_beside(OperandRole role, u64 first, std::span<std::byte> expected) const;
  // Compares part of such an operand of the request, to the last bit unless a reference says otherwise.
  virtual std::optional<Mismatch> check_beside(const Request& request, const RequestOperand& operand, u64 first,
                                               std::span<const std::byte> found) const;

  // Writes the whole output, as it is expected. input is that of this reference. It uses all cores.
  virtual void expect(const KnownInput& input, std::span<std::byte> output) const = 0;
};

// The initial value, if the request has one, is fill_init()'s. The items, if they are known, are not kept.
std::unique_ptr<const Reference> make_reference(const KnownInput& input);

// The same for repeated checks. An output of up to kMostKeptBytes is kept where only one is right, bit by bit; a check
// then compares bytes. Outputs that differ from the kept one are checked as above.
std::unique_ptr<const Reference> make_lasting_reference(const KnownInput& input);

}  // namespace scantune
