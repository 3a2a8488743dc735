#include "c_api/identity.h"

#include <cstring>
#include <limits>
#include <utility>

namespace scantune::c_api {
namespace {

template <class Input>
Input identity_over(Operator op) {
  using Limits = std::numeric_limits<Input>;
  switch (op) {
    case Operator::product:
      return 1;
    case Operator::min:
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case Operator::max:
      return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case Operator::bit_and:
      if constexpr (Limits::is_integer) return static_cast<Input>(~Input{0});
      [[fallthrough]];
    default:
      return 0;
  }
}

template <class Accumulator, class Input>
InitialValue as(Input value) {
  const auto accumulator = static_cast<Accumulator>(value);
  InitialValue init;
  std::memcpy(init.bytes, &accumulator, sizeof accumulator);
  return init;
}

template <class Input>
InitialValue identity_in(const ScanRequest& request) {
  const Input identity = identity_over<Input>(request.op);
  if (request.accumulator_type == ValueType::f64) return as<f64>(identity);
  if (request.accumulator_type == ValueType::f32) return as<f32>(identity);
  if constexpr (std::numeric_limits<Input>::is_integer) {
    if (size_of(request.accumulator_type) == 8) return as<u64>(identity);
    return as<u32>(identity);
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
