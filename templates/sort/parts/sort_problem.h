// The sort as kernels see it: keys as unsigned numbers that order as the request does.
#pragma once

#include "core/machine/kernel.h"
#include "core/parts/mapped_items.h"
#include "core/parts/no_source.h"
#include "core/parts/ordered_bits.h"
#include "core/parts/type_of.h"
#include "sort/config/sort.h"

namespace scantune {

// The place of a digit in keys.
class DigitPlace {
 public:
  // It begins at that bit, and the keys' last bit may end it.
  SCANTUNE_DEVICE DigitPlace(u32 bit, u32 last_bit, u32 digit_bits)
      : shift_(bit), mask_((1u << (last_bit - bit < digit_bits ? last_bit - bit : digit_bits)) - 1) {}

  template <class Key>
  SCANTUNE_DEVICE u32 of(Key key) const {
    return static_cast<u32>(key >> shift_) & mask_;
  }

 private:
  u32 shift_, mask_;
};

// Maps: of the values, which only a load may convert. What other problems have before them is unused.
template <SortRequest request, Variant variant, u64 = 0, class Source = NoSource<request>, class Maps = NoMaps>
struct SortProblem {
  using Comparison = Source;  // with less(), where the request has one of the caller's
  using Bits = OrderedBits<request.input_type, request.order>;
  using Stored = typename Bits::Stored;  // the bits of a key in memory
  using Key = typename Bits::Key;        // the number that is compared
  // A value of a custom type is moved and not looked into.
  using Value = typename TypeOf<request.value_type, typename NoSource<request>::Value>::Type;
  using Values = InputItemsOf<typename Maps::Load, Value>;
  static constexpr SortRequest kRequest = request;
  static constexpr Variant kVariant = variant;

  SCANTUNE_DEVICE static const Stored* input(const KernelArguments& arguments) {
    return arguments.operand<const Stored>(OperandRole::input);
  }
  SCANTUNE_DEVICE static Stored* output(const KernelArguments& arguments) {
    return arguments.operand<Stored>(OperandRole::output);
  }
  SCANTUNE_DEVICE static Value* indices(const KernelArguments& arguments) {
    return arguments.operand<Value>(request.writes_keys() ? OperandRole::indices : OperandRole::output);
  }
  SCANTUNE_DEVICE static Values values(const KernelArguments& arguments) {
    if constexpr (kIsMapped<Values>)
      return scantune::first_mapped<Values, Direction::forward>(
          arguments.operand<const typename Maps::Load::Item>(OperandRole::values), arguments,
          scantune::load_state<typename Maps::Load>(arguments));
    else
      return arguments.operand<const Value>(OperandRole::values);
  }
  SCANTUNE_DEVICE static Value* values_output(const KernelArguments& arguments) {
    return arguments.operand<Value>(OperandRole::values_output);
  }
  // The input where it is consumed.
  SCANTUNE_DEVICE static Stored* consumed_input(const KernelArguments& arguments) {
    return arguments.operand<Stored>(OperandRole::input);
  }
  SCANTUNE_DEVICE static Value* consumed_values(const KernelArguments& arguments) {
    return arguments.operand<Value>(OperandRole::values);
  }
  // Where the payload goes: indices or values.
  SCANTUNE_DEVICE static Value* payload_output(const KernelArguments& arguments) {
    return request.has_values() ? values_output(arguments) : indices(arguments);
  }

  SCANTUNE_DEVICE static Key key_of(Stored stored) { return Bits::key_of(stored); }
  SCANTUNE_DEVICE static Stored stored_of(Key key) { return Bits::stored_of(key); }
};

}  // namespace scantune
