// An input and its items, if they are few enough to be stored.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "measure/inputs.h"
#include "space/operands.h"

namespace scantune {

// An input or output of up to this many bytes is kept; a larger one is computed again, part by part.
constexpr u64 kMostKeptBytes = u64{16} << 20;

class KnownItems {
 public:
  explicit KnownItems(const InputSpec& spec);  // makes them, on all cores

  std::span<const std::byte> items() const { return items_; }
  u64 bytes() const { return items_.size(); }

 private:
  std::vector<std::byte> items_;
};

struct KnownInput {
  KnownInput(const InputSpec& input, std::shared_ptr<const KnownItems> items = nullptr)
      : spec(input), operand(Operands(spec.request).of(OperandRole::input)), known(std::move(items)) {}

  InputSpec spec;
  RequestOperand operand;
  std::shared_ptr<const KnownItems> known;  // null: an item is made whenever it is looked at

  u64 bytes() const { return operand.bytes(); }
  u64 item_bytes() const { return static_cast<u64>(operand.item_bytes); }

  // Items from `first` on: the kept ones, or made in scratch, which has room for them.
  std::span<const std::byte> items(u64 first, std::span<std::byte> scratch) const;
  // write() writes the items that fill `out`, equals() compares those that should be `found`, both on all cores.
  void write(u64 first, std::span<std::byte> out) const;
  bool equals(u64 first, std::span<const std::byte> found) const;

 private:
  std::span<const std::byte> kept(u64 first, u64 bytes) const;
};

}  // namespace scantune
