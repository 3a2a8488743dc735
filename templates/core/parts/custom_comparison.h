// The text around the source of a comparison, as custom_operator.h for an operator. The source defines less(Value,
// Value), with or without a State as last argument.
#pragma once

#include "core/parts/custom_operator.h"

// Declares the comparison `name` from the caller's ::Value and ::less.
#define SCANTUNE_CUSTOM_COMPARISON(name, value_bytes, value_alignment)                                                \
  SCANTUNE_CUSTOM_VALUE(value_bytes, value_alignment)                                                                 \
  template <class ScantuneValue>                                                                                      \
  concept name##Compares = requires(ScantuneValue& scantune_value) { less(scantune_value, scantune_value) ? 1 : 0; }; \
  static_assert(name##Compares<::Value>, "less must take two Values: define __device__ bool less(Value a, Value b)"); \
  struct name {                                                                                                       \
    using Value = ::Value;                                                                                            \
    SCANTUNE_DEVICE static bool less(const Value& a, const Value& b) { return ::less(a, b) ? 1 : 0; }                 \
  };

// The same of a less() that takes a ::State, whose bytes come with every call.
#define SCANTUNE_CUSTOM_COMPARISON_WITH_STATE(name, value_bytes, value_alignment, state_bytes)          \
  SCANTUNE_CUSTOM_VALUE(value_bytes, value_alignment)                                                   \
  SCANTUNE_CUSTOM_STATE(state_bytes)                                                                    \
  template <class ScantuneValue, class ScantuneState>                                                   \
  concept name##Compares = requires(ScantuneValue& scantune_value, ScantuneState (*scantune_state)()) { \
    less(scantune_value, scantune_value, scantune_state()) ? 1 : 0;                                     \
  };                                                                                                    \
  static_assert(name##Compares<::Value, ::State>,                                                       \
                "less must take two Values and a State: define __device__ bool "                        \
                "less(Value a, Value b, State state)");                                                 \
  struct name {                                                                                         \
    using Value = ::Value;                                                                              \
    SCANTUNE_DEVICE static bool less(const Value& a, const Value& b) {                                  \
      return ::less(a, b, scantune::operator_state<::State>()) ? 1 : 0;                                 \
    }                                                                                                   \
  };
