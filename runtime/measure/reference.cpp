#include "measure/reference.h"

#include <algorithm>
#include <vector>

#include "measure/parallel.h"
#include "measure/references/algorithm_reference.h"
#include "measure/value_types.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

u64 output_bytes(const Request& request) { return Operands(request).of(OperandRole::output).bytes(); }

// Equal bytes are right; only others are looked at item by item.
class LastingReference final : public Reference {
 public:
  LastingReference(std::unique_ptr<const Reference> computed, const KnownInput& input)
      : computed_(std::move(computed)), expected_(output_bytes(input.spec.request)) {
    computed_->expect(input, expected_);
  }

  u64 item_bytes() const override { return computed_->item_bytes(); }
  u64 bytes() const override { return computed_->bytes() + expected_.size(); }

  std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const override {
    if (equal_on_all_cores(std::span(expected_).subspan(first * item_bytes(), found.size()), found))
      return std::nullopt;
    return computed_->check(first, found);
  }

  u64 written(const RequestOperand& operand) const override { return computed_->written(operand); }
  void expect_beside(OperandRole role, u64 first, std::span<std::byte> expected) const override {
    computed_->expect_beside(role, first, expected);
  }
  std::optional<Mismatch> check_beside(const Request& request, const RequestOperand& operand, u64 first,
                                       std::span<const std::byte> found) const override {
    return computed_->check_beside(request, operand, first, found);
  }

  void expect(const KnownInput&, std::span<std::byte> output) const override {
    std::ranges::copy(expected_, output.begin());
  }

 private:
  std::unique_ptr<const Reference> computed_;
  std::vector<std::byte> expected_;
};

}  // namespace

std::optional<Mismatch> first_mismatch(const Request& request, const RequestOperand& operand, u64 first,
                                       std::span<const std::byte> expected, std::span<const std::byte> found) {
  if (equal_on_all_cores(expected, found)) return std::nullopt;
  const auto wrong = std::ranges::mismatch(expected, found).in1;
  const u64 item_bytes = static_cast<u64>(operand.item_bytes);
  const u64 item = static_cast<u64>(wrong - expected.begin()) / item_bytes, place = item * item_bytes;
  const auto spelled = [&](const std::byte* value) {
    const bool is_of_its_type = operand.item_bytes == request.bytes_of(operand.type);  // not several of these
    return is_of_its_type ? spell_value(request, operand.type, value) : hexadecimal(value, operand.item_bytes);
  };
  return Mismatch{first + item, spelled(&expected[place]), spelled(&found[place])};
}

void Reference::expect_beside(OperandRole role, u64, std::span<std::byte>) const {
  throw Error(std::string("nothing says what ") + token(role) + " must hold");
}

std::optional<Mismatch> Reference::check_beside(const Request& request, const RequestOperand& operand, u64 first,
                                                std::span<const std::byte> found) const {
  std::vector<std::byte> expected(found.size());
  expect_beside(operand.role, first, expected);
  return first_mismatch(request, operand, first, expected, found);
}

std::unique_ptr<const Reference> make_reference(const KnownInput& input) {
  return reference_of(input.spec.request.algorithm()).reference(input);
}

std::unique_ptr<const Reference> make_lasting_reference(const KnownInput& input) {
  auto computed = make_reference(input);
  const bool keeps = output_bytes(input.spec.request) <= kMostKeptBytes;
  if (!keeps || input.spec.pattern == InputPattern::rounding) return computed;
  return std::make_unique<LastingReference>(std::move(computed), input);
}

}  // namespace scantune
