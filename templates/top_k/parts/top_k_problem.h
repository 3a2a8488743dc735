// The top-k as kernels see it: keys as unsigned numbers, of which the least come first.
#pragma once

#include "core/machine/memory.h"
#include "core/parts/no_source.h"
#include "core/parts/ordered_bits.h"
#include "core/parts/type_of.h"
#include "top_k/config/top_k.h"

namespace scantune {

// The bits of +infinity. Those of a NaN without its sign are greater.
template <ValueType kType>
constexpr u64 infinity_bits() {
  constexpr int kBytes = size_of(kType);
  constexpr int kExponent = kBytes == 8 ? 11 : kBytes == 4 ? 8 : kExponentBits<typename TypeOf<kType>::Type>;
  return ((u64{1} << kExponent) - 1) << (8 * kBytes - 1 - kExponent);
}

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
  SCANTUNE_DEVICE static Key key_of(Stored stored) {
    if constexpr (request.nan_order == NanOrder::last)
      if ((stored & kMagnitude) > static_cast<Stored>(infinity_bits<request.input_type>())) return kNan;
    return Bits::key_of(stored);
  }

  // How many results there are, at most so many.
  SCANTUNE_DEVICE static u32 results(const KernelArguments& arguments, u32 most) {
    if constexpr (request.reads_k()) {
      constexpr bool kIsNarrow = request.k_source == CountSource::memory_32;
      using Count = typename TypeOf<kIsNarrow ? ValueType::u32 : ValueType::u64>::Type;
      const u64 k = scantune::load_global<CacheHint::normal>(arguments.operand<const Count>(place_of(OperandRole::k)));
      return k < most ? static_cast<u32>(k) : most;
    } else {
      return most;
    }
  }

  // Writes a result to a place of the outputs. index: of the key in its row, which begins with item `first`.
  SCANTUNE_DEVICE static void store(const KernelArguments& arguments, u64 place, Key key, u64 index, u64 first) {
    constexpr CacheHint kHint = CacheHint::normal;
    if constexpr (request.writes_keys())
      scantune::store_global<kHint>(arguments.operand<Stored>(OperandRole::output) + place,
                                    stored_of(arguments, key, first + index));
    if constexpr (request.writes_indices()) {
      constexpr OperandRole kRole = request.writes_keys() ? OperandRole::indices : OperandRole::output;
      scantune::store_global<kHint>(arguments.operand<Value>(kRole) + place, static_cast<Value>(index));
    }
    if constexpr (request.has_values())
      scantune::store_global<kHint>(
          arguments.operand<Value>(OperandRole::values_output) + place,
          scantune::load_global<kHint>(arguments.operand<const Value>(OperandRole::values) + first + index));
  }

 private:
  static constexpr auto kMagnitude = static_cast<Stored>(static_cast<Stored>(~Key{0}) >> 1);
  // The key of all NaNs that come last: in both orders the last key is a NaN's.
  static constexpr Key kNan = static_cast<Stored>(~Key{0});

  // The bits of an item by its key. A NaN that comes last has its own in the input alone.
  SCANTUNE_DEVICE static Stored stored_of(const KernelArguments& arguments, Key key, u64 item) {
    if constexpr (request.nan_order == NanOrder::last)
      if (key == kNan) return scantune::load_global<CacheHint::normal>(input(arguments) + item);
    return Bits::stored_of(key);
  }
};

}  // namespace scantune
