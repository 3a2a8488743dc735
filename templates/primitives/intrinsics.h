// The machine under the kernels. Everything that differs between a GPU and the host device is behind these names.
//
// Whatever takes or returns values of the caller's, or pointers to them, is called by its qualified name everywhere:
// without it the namespace of a caller's struct would be searched too, and a function there of the same name could be
// chosen. Addresses of such values are taken by __builtin_addressof() and not by &, which a struct may define.
#pragma once

#include "config/launch.h"
#include "config/tile.h"
#include "primitives/half.h"

namespace scantune {

// The types that shuffles move as they are; others go word by word.
template <class T>
inline constexpr bool kIsShuffled = false;
template <>
inline constexpr bool kIsShuffled<i32> = true;
template <>
inline constexpr bool kIsShuffled<u32> = true;
template <>
inline constexpr bool kIsShuffled<i64> = true;
template <>
inline constexpr bool kIsShuffled<u64> = true;
template <>
inline constexpr bool kIsShuffled<f32> = true;
template <>
inline constexpr bool kIsShuffled<f64> = true;

}  // namespace scantune

#ifdef __CUDACC_RTC__
#include "primitives/intrinsics_cuda.h"
#else
#include "primitives/intrinsics_host.h"
#endif
