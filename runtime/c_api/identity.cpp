#include "c_api/identity.h"

#include <type_traits>

#include "primitives/neutral_item.h"

namespace scantune::c_api {
namespace {

template <class Input, class Accumulator>
Accumulator identity(Operator op) {
  switch (op) {
    case Operator::product:
      return 1;
    case Operator::min:
      return static_cast<Accumulator>(neutral_item<Operator::min, Input, Accumulator>());
    case Operator::max:
      return static_cast<Accumulator>(neutral_item<Operator::max, Input, Accumulator>());
    case Operator::bit_and:
      if constexpr (std::is_integral_v<Accumulator>)
        return static_cast<Accumulator>(neutral_item<Operator::bit_and, Input, Accumulator>());
      [[fallthrough]];
    default:
      return 0;  // also of floating-point sums, whose neutral item is -0: exclusive ones begin with it
  }
}

template <class Input, class Accumulator>
InitialValue identity_as(const ScanRequest& request) {
  const auto value = identity<Input, Accumulator>(request.op);
  return {request, &value};
}

template <class Input>
InitialValue identity_in(const ScanRequest& request) {
  if (request.accumulator_type == ValueType::f64) return identity_as<Input, f64>(request);
  if (request.accumulator_type == ValueType::f32) return identity_as<Input, f32>(request);
  if constexpr (std::is_integral_v<Input>) {
    if (request.accumulator_type == ValueType::i64) return identity_as<Input, i64>(request);
    if (request.accumulator_type == ValueType::u64) return identity_as<Input, u64>(request);
    if (request.accumulator_type == ValueType::i32) return identity_as<Input, i32>(request);
    return identity_as<Input, u32>(request);
  }
  return {};
}

}  // namespace

InitialValue identity_of(const ScanRequest& request) {
  switch (request.input_type) {
    case ValueType::i8:
      return identity_in<i8>(request);
    case ValueType::i16:
      return identity_in<i16>(request);
    case ValueType::i32:
      return identity_in<i32>(request);
    case ValueType::i64:
      return identity_in<i64>(request);
    case ValueType::u8:
      return identity_in<u8>(request);
    case ValueType::u16:
      return identity_in<u16>(request);
    case ValueType::u32:
      return identity_in<u32>(request);
    case ValueType::u64:
      return identity_in<u64>(request);
    default:  // 0, 1 and the infinities are the same numbers in every floating-point type
      return identity_in<f64>(request);
  }
}

}  // namespace scantune::c_api
