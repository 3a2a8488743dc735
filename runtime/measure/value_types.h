// From a ValueType to the C++ type, for code on the CPU that must know what it computes with.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "scantune/error.hpp"
#include "space/space.h"

namespace scantune {

// Calls function(std::type_identity<T>{}). Throws RequestError for types that the CPU has no arithmetic for.
template <class Function>
auto visit_type(ValueType type, Function&& function) {
  switch (type) {
    case ValueType::i8:
      return std::forward<Function>(function)(std::type_identity<i8>{});
    case ValueType::i16:
      return std::forward<Function>(function)(std::type_identity<i16>{});
    case ValueType::i32:
      return std::forward<Function>(function)(std::type_identity<i32>{});
    case ValueType::i64:
      return std::forward<Function>(function)(std::type_identity<i64>{});
    case ValueType::u8:
      return std::forward<Function>(function)(std::type_identity<u8>{});
    case ValueType::u16:
      return std::forward<Function>(function)(std::type_identity<u16>{});
    case ValueType::u32:
      return std::forward<Function>(function)(std::type_identity<u32>{});
    case ValueType::u64:
      return std::forward<Function>(function)(std::type_identity<u64>{});
    case ValueType::f32:
      return std::forward<Function>(function)(std::type_identity<f32>{});
    case ValueType::f64:
      return std::forward<Function>(function)(std::type_identity<f64>{});
    case ValueType::f16:
    case ValueType::bf16:
    case ValueType::custom:
      break;
  }
  throw RequestError(std::string("there is no CPU reference for ") + token(type));
}

}  // namespace scantune
