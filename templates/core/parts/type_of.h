// The types of C++ that a request names.
#pragma once

#include "core/contract/value.h"
#include "core/machine/half.h"

namespace scantune {

// A custom type is what the operator combines.
template <ValueType kType, class Custom = void>
struct TypeOf {
  using Type = Custom;
};
#define SCANTUNE_TYPE_OF(name, bytes, type_class, constant) \
  template <class Custom>                                   \
  struct TypeOf<ValueType::name, Custom> {                  \
    using Type = name;                                      \
  };
SCANTUNE_VALUE_TYPES(SCANTUNE_TYPE_OF)
#undef SCANTUNE_TYPE_OF

}  // namespace scantune
