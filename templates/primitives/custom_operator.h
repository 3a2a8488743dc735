// What stands around the source of a custom operator, which comes between this include and SCANTUNE_CUSTOM_OPERATOR.
#pragma once

#include "primitives/intrinsics.h"

#ifndef __CUDACC_RTC__
#define __device__
#define __host__
#define __forceinline__ inline
#endif

namespace scantune {

template <class A, class B>
inline constexpr bool kIsSame = false;
template <class A>
inline constexpr bool kIsSame<A, A> = true;

template <class T>
T& any_value();

}  // namespace scantune

// Declares the operator `name` from the caller's ::Value and ::combine. value_bytes and value_alignment are those of
// the type whose items are scanned.
#define SCANTUNE_CUSTOM_OPERATOR(name, value_bytes, value_alignment)                                                   \
  static_assert(sizeof(::Value) == value_bytes && alignof(::Value) == value_alignment,                                 \
                "Value must have the size and the alignment of the type that is scanned: " #value_bytes                \
                " and " #value_alignment " bytes");                                                                    \
  static_assert(__is_trivially_copyable(::Value), "Value must be trivially copyable");                                 \
  static_assert(                                                                                                       \
      scantune::kIsSame<decltype(::combine(scantune::any_value<::Value>(), scantune::any_value<::Value>())), ::Value>, \
      "combine must return a Value");                                                                                  \
  struct name {                                                                                                        \
    using Value = ::Value;                                                                                             \
    SCANTUNE_DEVICE static Value combine(Value earlier, Value later) { return ::combine(earlier, later); }             \
  };
