// The problem as kernels see it: types and operator of a request.
#pragma once

#include "primitives/operators.h"

namespace scantune {

template <ValueType kType>
struct TypeOf;
template <>
struct TypeOf<ValueType::i32> {
  using Type = i32;
};
template <>
struct TypeOf<ValueType::i64> {
  using Type = i64;
};
template <>
struct TypeOf<ValueType::f32> {
  using Type = f32;
};
template <>
struct TypeOf<ValueType::f64> {
  using Type = f64;
};

// first_tile: the tile at which a launch starts, so that item indices past 2^32 can be tested without that many items.
// The items before it are taken not to exist.
template <ScanRequest request, u64 first_tile = 0,
          class Operation = OperatorOf<typename TypeOf<request.accumulator_type>::Type, request.op>>
struct Problem {
  using Input = typename TypeOf<request.input_type>::Type;
  using Accumulator = typename TypeOf<request.accumulator_type>::Type;
  using Output = typename TypeOf<request.output_type>::Type;
  using Op = Operation;
  static constexpr ScanRequest kRequest = request;
  static constexpr bool kExclusive = request.kind == Kind::exclusive;
  static constexpr bool kHasInit = request.has_init();
  static constexpr u64 kFirstTile = first_tile;

  SCANTUNE_DEVICE static Accumulator init(const KernelArguments& arguments) {
    return from_bytes<Accumulator>(arguments.init);
  }
};

}  // namespace scantune
