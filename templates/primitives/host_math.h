// The mathematical functions that a custom operator finds without an include, as it does in CUDA C++: for the host
// device, whose kernels link the C library's.
#pragma once

extern "C" {
double ceil(double);
float ceilf(float);
double cos(double);
float cosf(float);
double exp(double);
float expf(float);
double exp2(double);
float exp2f(float);
double expm1(double);
float expm1f(float);
double fabs(double);
float fabsf(float);
double floor(double);
float floorf(float);
double log(double);
float logf(float);
double log1p(double);
float log1pf(float);
double log2(double);
float log2f(float);
double sin(double);
float sinf(float);
double sqrt(double);
float sqrtf(float);
double tanh(double);
float tanhf(float);
double trunc(double);
float truncf(float);
double fmax(double, double);
float fmaxf(float, float);
double fmin(double, double);
float fminf(float, float);
double pow(double, double);
float powf(float, float);
double fma(double, double, double);
float fmaf(float, float, float);
}

template <class T>
inline T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
inline T max(T a, T b) {
  return a < b ? b : a;
}
