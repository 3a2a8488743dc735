// The top-k as kernels see it: keys as unsigned numbers, of which the least come first.
#pragma once

#include "core/machine/memory.h"
#include "core/parts/no_source.h"
#include "core/parts/ordered_bits.h"
#include "core/parts/type_of.h"
#include "top_k/config/top_k.h"

namespace scantune {

template <TopKRequest request, Variant variant, u64 = 0, class = NoSource<request>>
struct TopKProblem {
  using Bits = OrderedBits<request.input_type, request.order>;
  using Stored = typename Bits::Stored;  // the bits of a key in memory
  using Key = typename Bits::Key;        // the number that is compared
  // A value of a custom type is moved and not looked into.
  using Value = typename TypeOf<request.value_type, typename NoSource<request>::Value>::Type;
  static constexpr TopKRequest kRequest = request;

  SCANTUNE_DEVICE static const Stored* input(const KernelArguments& arguments) {
    return arguments.operand<const Stored>(OperandRole::input);
  }
  SCANTUNE_DEVICE static Key key_of(Stored stored) { return Bits::key_of(stored); }

  // Writes a result to a place of the outputs. index: of the key in its row, which begins with item `first`.
  SCANTUNE_DEVICE static void store(const KernelArguments& arguments, u64 place, Key key, u64 index, u64 first) {
    constexpr CacheHint kHint = CacheHint::normal;
    if constexpr (request.writes_keys())
      scantune::store_global<kHint>(arguments.operand<Stored>(OperandRole::output) + place, Bits::stored_of(key));
    if constexpr (request.writes_indices()) {
      constexpr OperandRole kRole = request.writes_keys() ? OperandRole::indices : OperandRole::output;
      scantune::store_global<kHint>(arguments.operand<Value>(kRole) + place, static_cast<Value>(index));
    }
    if constexpr (request.has_values())
      scantune::store_global<kHint>(
          arguments.operand<Value>(OperandRole::values_output) + place,
          scantune::load_global<kHint>(arguments.operand<const Value>(OperandRole::values) + first + index));
  }
};

}  // namespace scantune
