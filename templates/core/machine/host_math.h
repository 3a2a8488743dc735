// The mathematical functions that a custom operator finds without an include on the host device, as it does in CUDA
// C++. Kernels there link the C library's.
#pragma once

#define SCANTUNE_UNARY(name) \
  double name(double);       \
  float name##f(float);
#define SCANTUNE_BINARY(name)  \
  double name(double, double); \
  float name##f(float, float);

extern "C" {
SCANTUNE_UNARY(acos)
SCANTUNE_UNARY(acosh)
SCANTUNE_UNARY(asin)
SCANTUNE_UNARY(asinh)
SCANTUNE_UNARY(atan)
SCANTUNE_UNARY(atanh)
SCANTUNE_UNARY(cbrt)
SCANTUNE_UNARY(ceil)
SCANTUNE_UNARY(cos)
SCANTUNE_UNARY(cosh)
SCANTUNE_UNARY(erf)
SCANTUNE_UNARY(erfc)
SCANTUNE_UNARY(exp)
SCANTUNE_UNARY(exp10)
SCANTUNE_UNARY(exp2)
SCANTUNE_UNARY(expm1)
SCANTUNE_UNARY(fabs)
SCANTUNE_UNARY(floor)
SCANTUNE_UNARY(log)
SCANTUNE_UNARY(log10)
SCANTUNE_UNARY(log1p)
SCANTUNE_UNARY(log2)
SCANTUNE_UNARY(nearbyint)
SCANTUNE_UNARY(rint)
SCANTUNE_UNARY(round)
SCANTUNE_UNARY(sin)
SCANTUNE_UNARY(sinh)
SCANTUNE_UNARY(sqrt)
SCANTUNE_UNARY(tan)
SCANTUNE_UNARY(tanh)
SCANTUNE_UNARY(trunc)
SCANTUNE_BINARY(atan2)
SCANTUNE_BINARY(copysign)
SCANTUNE_BINARY(fdim)
SCANTUNE_BINARY(fmod)
SCANTUNE_BINARY(hypot)
SCANTUNE_BINARY(nextafter)
SCANTUNE_BINARY(pow)
SCANTUNE_BINARY(remainder)
double fma(double, double, double);
float fmaf(float, float, float);
double ldexp(double, int);
float ldexpf(float, int);
}

#undef SCANTUNE_UNARY
#undef SCANTUNE_BINARY

inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rsqrtf(float x) { return static_cast<float>(1 / sqrt(static_cast<double>(x))); }

template <class T>
inline bool isnan(T x) {
  return __builtin_isnan(x);
}
template <class T>
inline bool isinf(T x) {
  return __builtin_isinf(x);
}
template <class T>
inline bool isfinite(T x) {
  return __builtin_isfinite(x);
}
template <class T>
inline bool signbit(T x) {
  return __builtin_signbit(x);
}

// The larger number by a GPU's rules: a number is preferred to a NaN of either kind, and 0 is larger than -0. The C
// library's functions return a NaN where one signals.
template <class T>
inline T larger_number(T x, T y) {
  if (isnan(x) || isnan(y)) return isnan(x) ? y : x;
  if (x == y) return signbit(x) ? y : x;
  return x < y ? y : x;
}
inline float fmaxf(float x, float y) { return larger_number(x, y); }
inline float fminf(float x, float y) { return -larger_number(-x, -y); }
inline double fmax(double x, double y) { return larger_number(x, y); }
inline double fmin(double x, double y) { return -larger_number(-x, -y); }

inline int abs(int x) { return x < 0 ? -x : x; }
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }

// Integers of two types are compared in the type that C++ would choose. A number is preferred to a NaN.
template <class A, class B>
inline auto min(A a, B b) {
  const decltype(true ? a : b) x = a, y = b;
  return y < x ? y : x;
}
template <class A, class B>
inline auto max(A a, B b) {
  const decltype(true ? a : b) x = a, y = b;
  return x < y ? y : x;
}
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }
