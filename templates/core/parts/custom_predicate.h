// The text around the source of a custom predicate, as custom_operator.h for an operator. The source defines
// keep(Value), equal(Value, Value) for neighbours, or part(Value), each with or without a State as last argument.
#pragma once

#include "core/parts/custom_operator.h"

// Declares the predicate `name` from the caller's ::Value and ::keep.
#define SCANTUNE_CUSTOM_PREDICATE(name, value_bytes, value_alignment)                                     \
  SCANTUNE_CUSTOM_VALUE(value_bytes, value_alignment)                                                     \
  template <class ScantuneValue>                                                                          \
  concept name##Keeps = requires(ScantuneValue& scantune_value) { keep(scantune_value) ? 1 : 0; };        \
  static_assert(name##Keeps<::Value>, "keep must take a Value: define __device__ bool keep(Value item)"); \
  struct name {                                                                                           \
    using Value = ::Value;                                                                                \
    SCANTUNE_DEVICE static bool keeps(Value item, const unsigned char*) { return ::keep(item) ? 1 : 0; }  \
  };

// The same of a keep() that takes a ::State, whose bytes come with every call.
#define SCANTUNE_CUSTOM_PREDICATE_WITH_STATE(name, value_bytes, value_alignment, state_bytes)                \
  SCANTUNE_CUSTOM_VALUE(value_bytes, value_alignment)                                                        \
  SCANTUNE_CUSTOM_STATE(state_bytes)                                                                         \
  template <class ScantuneValue>                                                                             \
  concept name##Keeps = requires(ScantuneValue& scantune_value, const unsigned char* scantune_state) {       \
    keep(scantune_value, scantune::from_bytes<::State>(scantune_state)) ? 1 : 0;                             \
  };                                                                                                         \
  static_assert(name##Keeps<::Value>,                                                                        \
                "keep must take a Value and a State: define __device__ bool keep(Value item, State state)"); \
  struct name {                                                                                              \
    using Value = ::Value;                                                                                   \
    SCANTUNE_DEVICE static bool keeps(Value item, const unsigned char* state) {                              \
      return ::keep(item, scantune::from_bytes<::State>(state)) ? 1 : 0;                                     \
    }                                                                                                        \
  };

// Declares the predicate `name` of neighbours from the caller's ::Value and ::equal.
#define SCANTUNE_CUSTOM_EQUALITY(name, value_bytes, value_alignment)                                                   \
  SCANTUNE_CUSTOM_VALUE(value_bytes, value_alignment)                                                                  \
  template <class ScantuneValue>                                                                                       \
  concept name##Compares = requires(ScantuneValue& scantune_value) { equal(scantune_value, scantune_value) ? 1 : 0; }; \
  static_assert(name##Compares<::Value>,                                                                               \
                "equal must take two Values: define __device__ bool equal(Value before, Value item)");                 \
  struct name {                                                                                                        \
    using Value = ::Value;                                                                                             \
    SCANTUNE_DEVICE static bool equals(Value before, Value item, const unsigned char*) {                               \
      return ::equal(before, item) ? 1 : 0;                                                                            \
    }                                                                                                                  \
  };

// The same of an equal() that takes a ::State.
#define SCANTUNE_CUSTOM_EQUALITY_WITH_STATE(name, value_bytes, value_alignment, state_bytes)              \
  SCANTUNE_CUSTOM_VALUE(value_bytes, value_alignment)                                                     \
  SCANTUNE_CUSTOM_STATE(state_bytes)                                                                      \
  template <class ScantuneValue>                                                                          \
  concept name##Compares = requires(ScantuneValue& scantune_value, const unsigned char* scantune_state) { \
    equal(scantune_value, scantune_value, scantune::from_bytes<::State>(scantune_state)) ? 1 : 0;         \
  };                                                                                                      \
  static_assert(name##Compares<::Value>,                                                                  \
                "equal must take two Values and a State: define __device__ bool "                         \
                "equal(Value before, Value item, State state)");                                          \
  struct name {                                                                                           \
    using Value = ::Value;                                                                                \
    SCANTUNE_DEVICE static bool equals(Value before, Value item, const unsigned char* state) {            \
      return ::equal(before, item, scantune::from_bytes<::State>(state)) ? 1 : 0;                         \
    }                                                                                                     \
  };

// Declares the rule `name` by which items are in one of three parts from the caller's ::Value and ::part. Whatever is
// neither 0 nor 1 stands for the third.
#define SCANTUNE_CUSTOM_PARTS(name, value_bytes, value_alignment)                                                \
  SCANTUNE_CUSTOM_VALUE(value_bytes, value_alignment)                                                            \
  template <class ScantuneValue>                                                                                 \
  concept name##Tells = requires(ScantuneValue& scantune_value) { static_cast<int>(part(scantune_value)); };     \
  static_assert(name##Tells<::Value>, "part must take a Value: define __device__ int part(Value item)");         \
  struct name {                                                                                                  \
    using Value = ::Value;                                                                                       \
    SCANTUNE_DEVICE static int part(Value item, const unsigned char*) { return static_cast<int>(::part(item)); } \
  };

// The same of a part() that takes a ::State.
#define SCANTUNE_CUSTOM_PARTS_WITH_STATE(name, value_bytes, value_alignment, state_bytes)                   \
  SCANTUNE_CUSTOM_VALUE(value_bytes, value_alignment)                                                       \
  SCANTUNE_CUSTOM_STATE(state_bytes)                                                                        \
  template <class ScantuneValue>                                                                            \
  concept name##Tells = requires(ScantuneValue& scantune_value, const unsigned char* scantune_state) {      \
    static_cast<int>(part(scantune_value, scantune::from_bytes<::State>(scantune_state)));                  \
  };                                                                                                        \
  static_assert(name##Tells<::Value>,                                                                       \
                "part must take a Value and a State: define __device__ int part(Value item, State state)"); \
  struct name {                                                                                             \
    using Value = ::Value;                                                                                  \
    SCANTUNE_DEVICE static int part(Value item, const unsigned char* state) {                               \
      return static_cast<int>(::part(item, scantune::from_bytes<::State>(state)));                          \
    }                                                                                                       \
  };
