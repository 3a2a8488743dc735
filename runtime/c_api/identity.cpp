#include "c_api/identity.h"

#include <cstring>
#include <type_traits>

#include "core/parts/neutral_item.h"

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
      return 0;  // exclusive floating-point sums begin with +0, too, though their neutral item is -0
  }
}

template <class Input, class Accumulator>
InitialValue identity_as(Operator op) {
  const auto value = identity<Input, Accumulator>(op);
  InitialValue init;
  std::memcpy(init.bytes, &value, sizeof value);
  return init;
}

template <class Input>
InitialValue identity_in(ValueType accumulator, Operator op) {
  if (accumulator == ValueType::f64) return identity_as<Input, f64>(op);
  if (accumulator == ValueType::f32) return identity_as<Input, f32>(op);
  if constexpr (std::is_integral_v<Input>) {
    if (accumulator == ValueType::i64) return identity_as<Input, i64>(op);
    if (accumulator == ValueType::u64) return identity_as<Input, u64>(op);
    if (accumulator == ValueType::i32) return identity_as<Input, i32>(op);
    return identity_as<Input, u32>(op);
  }
  return {};
}

}  // namespace

InitialValue identity_of(ValueType input, ValueType accumulator, Operator op) {
  switch (input) {
#define SCANTUNE_IDENTITY(name, bytes, type_class, constant)                              \
  case ValueType::name:                                                                   \
    if constexpr (is_integer(ValueType::name)) return identity_in<name>(accumulator, op); \
    break;
    SCANTUNE_VALUE_TYPES(SCANTUNE_IDENTITY)
#undef SCANTUNE_IDENTITY
    case ValueType::custom:
      break;
  }
  return identity_in<f64>(accumulator,
                          op);  // 0, 1 and the infinities are the same numbers in every floating-point type
}

}  // namespace scantune::c_api
