// Fixed-width names for configs and kernels, without a CUDA or std header.
#pragma once

namespace scantune {

using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;

template <class T>
inline constexpr bool kIsFloating = static_cast<T>(0.5) != static_cast<T>(0);

// The spelling of an enum's values in JSON, SQL and generated source, indexed by enumerator.
template <class Enum>
struct Tokens;

template <class T>
constexpr T ceil_div(T a, T b) {
  return a / b + (a % b != 0);
}

constexpr u64 round_up(u64 value, u64 multiple) { return ceil_div(value, multiple) * multiple; }

}  // namespace scantune
