// The text around the source of a custom operator. The source comes between this include and SCANTUNE_CUSTOM_OPERATOR,
// after the kernels' headers, so that its macros cannot change those.
#pragma once

#include "core/machine/kernel.h"

#ifndef __CUDACC_RTC__
#include "core/machine/host_functions.h"

#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__

// An operator's inline PTX would be taken for assembly of the CPU.
#define asm static_assert(false, "the host device has no PTX: write this in C++");
#define __asm asm
#define __asm__ asm
#endif

namespace scantune {

template <class A, class B>
inline constexpr bool kIsSame = false;
template <class A>
inline constexpr bool kIsSame<A, A> = true;

template <class T>
inline constexpr bool kIsDefaultConstructible = requires { T(); };
template <class T>
inline constexpr bool kIsAssignable = requires(T& to, const T& from) { to = from; };

}  // namespace scantune

// What a struct of the source's that has items must be.
#define SCANTUNE_CUSTOM_ITEM(type, item_bytes, item_alignment)                                          \
  static_assert(sizeof(type) == item_bytes && alignof(type) == item_alignment,                          \
                #type " must have the size and the alignment of the type that is scanned: " #item_bytes \
                      " and " #item_alignment " bytes");                                                \
  static_assert(__is_trivially_copyable(type), #type " must be trivially copyable");                    \
  static_assert(scantune::kIsDefaultConstructible<type>, #type " must have a default constructor");     \
  static_assert(scantune::kIsAssignable<type>, #type " must be assignable: it cannot have const members");

// What every source must define: the Value whose size and alignment are those of the items. The namespace comes first:
// there the compiler finds that the source lacks a closing brace.
#define SCANTUNE_CUSTOM_VALUE(value_bytes, value_alignment) \
  namespace scantune {}                                     \
  SCANTUNE_CUSTOM_ITEM(Value, value_bytes, value_alignment)

// The State that comes by value with every call.
#define SCANTUNE_CUSTOM_STATE(state_bytes)                                                       \
  static_assert(sizeof(State) == state_bytes && alignof(State) <= 16,                            \
                "State must have the size of the state that is passed: " #state_bytes " bytes"); \
  static_assert(__is_trivially_copyable(State), "State must be trivially copyable");             \
  static_assert(scantune::kIsDefaultConstructible<State>, "State must have a default constructor");

// Declares the operator `name` from the caller's ::Value and ::combine. value_bytes and value_alignment are those of
// the type whose items are scanned. combine is looked for without ::, since only then its absence makes a concept
// false.
#define SCANTUNE_CUSTOM_OPERATOR(name, value_bytes, value_alignment)                                             \
  SCANTUNE_CUSTOM_VALUE(value_bytes, value_alignment)                                                            \
  template <class ScantuneValue>                                                                                 \
  concept name##Combines = requires(ScantuneValue& scantune_value) { combine(scantune_value, scantune_value); }; \
  template <class ScantuneValue>                                                                                 \
  concept name##Returns = requires(ScantuneValue& scantune_value) {                                              \
    requires scantune::kIsSame<decltype(combine(scantune_value, scantune_value)), ScantuneValue>;                \
  };                                                                                                             \
  static_assert(name##Combines<::Value>,                                                                         \
                "combine must take two Values: define __device__ Value combine(Value earlier, Value later)");    \
  static_assert(!name##Combines<::Value> || name##Returns<::Value>, "combine must return a Value");              \
  struct name {                                                                                                  \
    using Value = ::Value;                                                                                       \
    SCANTUNE_DEVICE static Value combine(Value earlier, Value later) { return ::combine(earlier, later); }       \
  };

// The same of a combine() that takes a ::State, whose bytes come with every call.
#define SCANTUNE_CUSTOM_OPERATOR_WITH_STATE(name, value_bytes, value_alignment, state_bytes)                          \
  SCANTUNE_CUSTOM_VALUE(value_bytes, value_alignment)                                                                 \
  SCANTUNE_CUSTOM_STATE(state_bytes)                                                                                  \
  template <class ScantuneValue, class ScantuneState>                                                                 \
  concept name##Combines = requires(ScantuneValue& scantune_value, ScantuneState (*scantune_state)()) {               \
    combine(scantune_value, scantune_value, scantune_state());                                                        \
  };                                                                                                                  \
  template <class ScantuneValue, class ScantuneState>                                                                 \
  concept name##Returns = requires(ScantuneValue& scantune_value, ScantuneState (*scantune_state)()) {                \
    requires scantune::kIsSame<decltype(combine(scantune_value, scantune_value, scantune_state())), ScantuneValue>;   \
  };                                                                                                                  \
  static_assert(name##Combines<::Value, ::State>,                                                                     \
                "combine must take two Values and a State: define __device__ Value "                                  \
                "combine(Value earlier, Value later, State state)");                                                  \
  static_assert(!name##Combines<::Value, ::State> || name##Returns<::Value, ::State>, "combine must return a Value"); \
  struct name {                                                                                                       \
    using Value = ::Value;                                                                                            \
    SCANTUNE_DEVICE static Value combine(Value earlier, Value later) {                                                \
      return ::combine(earlier, later, scantune::operator_state<::State>());                                          \
    }                                                                                                                 \
  };
