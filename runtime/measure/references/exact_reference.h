// Results that must match to the last bit. They are computed again whenever they are needed.
#pragma once

#include "measure/reference.h"

namespace scantune {

class ExactReference : public Reference {
 public:
  explicit ExactReference(const KnownInput& input)
      : input_(input.spec), output_(Operands(input.spec.request).of(OperandRole::output)) {}

  u64 item_bytes() const final { return static_cast<u64>(output_.item_bytes); }
  std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const final;
  void expect(const KnownInput& input, std::span<std::byte> output) const final;
  void expect_beside(OperandRole role, u64 first, std::span<std::byte> expected) const final {
    make(input_, role, first, expected);
  }

 protected:
  // Writes the results in an operand from item `first` on, as many as fill `out`. It uses all cores.
  virtual void make(const KnownInput& input, OperandRole role, u64 first, std::span<std::byte> out) const = 0;

  const InputSpec& spec() const { return input_.spec; }

 private:
  KnownInput input_;  // without its items
  RequestOperand output_;
};

}  // namespace scantune
