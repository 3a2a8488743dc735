// The functions that CUDA C++ gives to an operator without an include and whose results are determined to the bit, each
// with a second implementation to compare with. The host device must have them too.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "device/device.h"

namespace scantune {

namespace device_functions {

// Conversions of 64 bits to arguments of every type, and of results to 64 bits; all NaNs become the same bits.
inline u32 u(u64 x) { return static_cast<u32>(x); }
inline i32 i(u64 x) { return static_cast<i32>(u(x)); }
inline i64 l(u64 x) { return static_cast<i64>(x); }
inline f32 f(u64 x) { return std::bit_cast<f32>(u(x)); }
inline f64 d(u64 x) { return std::bit_cast<f64>(x); }
inline u64 bits(f32 x) { return x != x ? 1 : std::bit_cast<u32>(x); }
inline u64 bits(f64 x) { return x != x ? 1 : std::bit_cast<u64>(x); }
template <class T>
u64 bits(T x) {
  return static_cast<u64>(x);
}

inline constexpr const char* kKernelsHelpers = R"(
inline scantune::u32 u(scantune::u64 x) { return static_cast<scantune::u32>(x); }
inline scantune::i32 i(scantune::u64 x) { return static_cast<scantune::i32>(u(x)); }
inline scantune::i64 l(scantune::u64 x) { return static_cast<scantune::i64>(x); }
inline float f(scantune::u64 x) { return __uint_as_float(u(x)); }
inline double d(scantune::u64 x) { return __longlong_as_double(l(x)); }
inline scantune::u64 bits(float x) { return x != x ? 1 : __float_as_uint(x); }
inline scantune::u64 bits(double x) { return x != x ? 1 : static_cast<scantune::u64>(__double_as_longlong(x)); }
template <class T>
inline scantune::u64 bits(T x) {
  return static_cast<scantune::u64>(x);
}
)";

// The larger of two numbers as CUDA defines it: a number is larger than a NaN, also a signalling one, and 0 is larger
// than -0.
template <class T>
T larger(T x, T y) {
  if (std::isnan(x)) return y;
  if (std::isnan(y)) return x;
  if (x == y) return std::signbit(x) ? y : x;
  return std::max(x, y);
}

inline u64 reversed(u64 x, int count) {
  u64 result = 0;
  for (int bit = 0; bit < count; ++bit) result |= (x >> bit & 1) << (count - 1 - bit);
  return result;
}
inline u32 permuted(u32 x, u32 y, u32 selector) {
  unsigned char bytes[8], chosen[4];
  std::memcpy(bytes, &x, 4);
  std::memcpy(bytes + 4, &y, 4);
  for (int place = 0; place < 4; ++place) chosen[place] = bytes[selector >> 4 * place & 7];
  return std::bit_cast<u32>(chosen);
}
// Both words are shifted by one bit at a time.
inline u32 shifted_left(u32 low, u32 high, u32 shift) {
  for (; shift > 0; --shift, low <<= 1) high = high << 1 | low >> 31;
  return high;
}
inline u32 shifted_right(u32 low, u32 high, u32 shift) {
  for (; shift > 0; --shift, high >>= 1) low = low >> 1 | high << 31;
  return low;
}
// The upper half of a product, computed from products of halves.
inline u64 high_product(u64 x, u64 y) {
  const u64 xl = u(x), xh = x >> 32, yl = u(y), yh = y >> 32;
  const u64 middle = xh * yl + (xl * yl >> 32);
  return xh * yh + (middle >> 32) + ((u(middle) + xl * yh) >> 32);
}
inline i64 high_product(i64 x, i64 y) {
  u64 high = high_product(static_cast<u64>(x), static_cast<u64>(y));
  if (x < 0) high -= static_cast<u64>(y);
  if (y < 0) high -= static_cast<u64>(x);
  return static_cast<i64>(high);
}
inline i32 low_24_bits(i32 x) {
  const i32 low = x & 0xffffff;
  return low < 1 << 23 ? low : low - (1 << 24);
}
template <class Byte, class Sum>
Sum dot(Sum x, Sum y, Sum sum) {
  const auto xs = std::bit_cast<std::array<Byte, 4>>(x), ys = std::bit_cast<std::array<Byte, 4>>(y);
  for (std::size_t place = 0; place < 4; ++place)
    sum = static_cast<Sum>(static_cast<u32>(sum) + static_cast<u32>(xs[place] * ys[place]));
  return sum;
}
// A single-precision result from a double one that is exact, or whose rounding does not change the second rounding.
inline f32 rounded(f64 x) { return static_cast<f32>(x); }
inline f64 wide(u64 x) { return static_cast<f64>(f(x)); }

}  // namespace device_functions

struct DeviceFunction {
  const char* call;                      // an expression of the 64-bit words a, b and c
  u64 (*expected)(u64 a, u64 b, u64 c);  // the bits that it must have
};

inline std::vector<DeviceFunction> device_functions_to_test() {
  using namespace device_functions;
#define ROW(call, expected)                                                                                      \
  {                                                                                                              \
    #call, []([[maybe_unused]] u64 a, [[maybe_unused]] u64 b, [[maybe_unused]] u64 c) { return bits(expected); } \
  }
  return {
      ROW(__popc(u(a)), std::popcount(u(a))),
      ROW(__popcll(a), std::popcount(a)),
      ROW(__ffs(i(a)), u(a) == 0 ? 0 : std::countr_zero(u(a)) + 1),
      ROW(__ffsll(l(a)), a == 0 ? 0 : std::countr_zero(a) + 1),
      ROW(__clz(i(a)), std::countl_zero(u(a))),
      ROW(__clzll(l(a)), std::countl_zero(a)),
      ROW(__brev(u(a)), u(reversed(u(a), 32))),
      ROW(__brevll(a), reversed(a, 64)),
      ROW(__byte_perm(u(a), u(b), u(c)), permuted(u(a), u(b), u(c))),
      ROW(__funnelshift_l(u(a), u(b), u(c)), shifted_left(u(a), u(b), u(c) % 32)),
      ROW(__funnelshift_r(u(a), u(b), u(c)), shifted_right(u(a), u(b), u(c) % 32)),
      ROW(__funnelshift_lc(u(a), u(b), u(c)), shifted_left(u(a), u(b), std::min(u(c), 32u))),
      ROW(__funnelshift_rc(u(a), u(b), u(c)), shifted_right(u(a), u(b), std::min(u(c), 32u))),
      ROW(__mulhi(i(a), i(b)), static_cast<i32>(high_product(i64{i(a)} << 32, i64{i(b)}))),
      ROW(__umulhi(u(a), u(b)), u(high_product(u64{u(a)} << 32, u64{u(b)}))),
      ROW(__mul64hi(l(a), l(b)), high_product(l(a), l(b))),
      ROW(__umul64hi(a, b), high_product(a, b)),
      ROW(__mul24(i(a), i(b)), static_cast<i32>(i64{low_24_bits(i(a))} * low_24_bits(i(b)))),
      ROW(__umul24(u(a), u(b)), (u(a) % (1u << 24)) * (u(b) % (1u << 24))),
      ROW(__sad(i(a), i(b), u(c)), u(c) + static_cast<u32>(std::abs(i64{i(a)} - i(b)))),
      ROW(__usad(u(a), u(b), u(c)), u(c) + (std::max(u(a), u(b)) - std::min(u(a), u(b)))),
      ROW(__hadd(i(a), i(b)), static_cast<i32>(std::floor((f64{1} * i(a) + i(b)) / 2))),
      ROW(__rhadd(i(a), i(b)), static_cast<i32>(std::floor((f64{1} * i(a) + i(b) + 1) / 2))),
      ROW(__uhadd(u(a), u(b)), static_cast<u32>(std::floor((f64{1} * u(a) + u(b)) / 2))),
      ROW(__urhadd(u(a), u(b)), static_cast<u32>(std::floor((f64{1} * u(a) + u(b) + 1) / 2))),
      ROW(__dp4a(i(a), i(b), i(c)), (dot<i8>(i(a), i(b), i(c)))),
      ROW(__dp4a(u(a), u(b), u(c)), (dot<u8>(u(a), u(b), u(c)))),
      ROW(__fadd_rn(f(a), f(b)), rounded(wide(a) + wide(b))),
      ROW(__fsub_rn(f(a), f(b)), rounded(wide(a) - wide(b))),
      ROW(__fmul_rn(f(a), f(b)), rounded(wide(a) * wide(b))),
      ROW(__fdiv_rn(f(a), f(b)), rounded(wide(a) / wide(b))),
      ROW(__frcp_rn(f(a)), rounded(1 / wide(a))),
      ROW(__fsqrt_rn(f(a)), rounded(std::sqrt(wide(a)))),
      ROW(__fmaf_rn(f(a), f(b), f(c)), std::fma(f(a), f(b), f(c))),
      ROW(fmaf(f(a), f(b), f(c)), std::fma(f(a), f(b), f(c))),
      // This has two roundings; a contracted multiplication and addition would have one.
      ROW(__fadd_rn(__fmul_rn(f(a), f(b)), f(c)), rounded(f64{rounded(wide(a) * wide(b))} + wide(c))),
      ROW(__dadd_rn(d(a), d(b)), d(a) + d(b)),
      ROW(__dsub_rn(d(a), d(b)), d(a) - d(b)),
      ROW(__dmul_rn(d(a), d(b)), d(a) * d(b)),
      ROW(__ddiv_rn(d(a), d(b)), d(a) / d(b)),
      ROW(__drcp_rn(d(a)), 1 / d(a)),
      ROW(__dsqrt_rn(d(a)), std::sqrt(d(a))),
      ROW(__fma_rn(d(a), d(b), d(c)), std::fma(d(a), d(b), d(c))),
      ROW(__saturatef(f(a)), f(a) > 0 ? std::min(f(a), 1.0f) : 0.0f),
      ROW(__float_as_int(f(a)), i(a)),
      ROW(__float_as_uint(f(a)), u(a)),
      ROW(__double_as_longlong(d(a)), l(a)),
      ROW(__longlong_as_double(l(a)), d(a)),
      ROW(__uint_as_float(u(a)), f(a)),
      ROW(__int_as_float(i(a)), f(a)),
      ROW(__double2hiint(d(a)), i(a >> 32)),
      ROW(__double2loint(d(a)), i(a)),
      ROW(__hiloint2double(i(a), i(b)), d(a << 32 | u(b))),
      ROW(__int2float_rn(i(a)), rounded(i(a))),
      ROW(__uint2float_rn(u(a)), rounded(u(a))),
      ROW(__ll2float_rn(l(a)), static_cast<f32>(l(a))),
      ROW(__ull2float_rn(a), static_cast<f32>(a)),
      ROW(__int2double_rn(i(a)), f64{1} * i(a)),
      ROW(__uint2double_rn(u(a)), f64{1} * u(a)),
      ROW(__ll2double_rn(l(a)), static_cast<f64>(l(a))),
      ROW(__ull2double_rn(a), static_cast<f64>(a)),
      ROW(__double2float_rn(d(a)), rounded(d(a))),
      ROW(floorf(f(a)), std::floor(f(a))),
      ROW(ceil(d(a)), std::ceil(d(a))),
      ROW(truncf(f(a)), std::trunc(f(a))),
      ROW(rint(d(a)), std::nearbyint(d(a))),
      ROW(roundf(f(a)), std::round(f(a))),
      ROW(fmod(d(a), d(b)), std::fmod(d(a), d(b))),
      ROW(copysignf(f(a), f(b)), std::copysign(f(a), f(b))),
      ROW(fabs(d(a)), std::fabs(d(a))),
      ROW(fminf(f(a), f(b)), -larger(-f(a), -f(b))),
      ROW(min(f(a), f(b)), -larger(-f(a), -f(b))),
      ROW(max(d(a), d(b)), larger(d(a), d(b))),
      ROW(min(i(a), i(b)), std::min(i(a), i(b))),
      ROW(max(i(a), u(b)), std::max(u(a), u(b))),
      ROW(min(l(a), l(b)), std::min(l(a), l(b))),
      ROW(max(a, b), std::max(a, b)),
      ROW(abs(i(a) | 1), std::abs(i(a) | 1)),
      ROW(abs(f(a)), std::fabs(f(a))),
      ROW(isnan(f(a))   ? 1
          : isinf(f(a)) ? 2
                        : 3,
          std::isnan(f(a))   ? 1
          : std::isinf(f(a)) ? 2
                             : 3),
  };
#undef ROW
}

// Words that are edges of integers, of floats in their low half and of doubles, and random ones.
inline std::vector<u64> device_function_arguments() {
  std::vector<u64> words = {0,
                            1,
                            ~0ull,
                            0x8000000080000000,
                            0x7fffffff7fffffff,
                            0x3ff000003f800000,  // 1
                            0xbff80000bfc00000,  // -1.5
                            0x7ff000007f800000,  // infinity in its low half
                            0x7ff0000000000000,  // infinity
                            0x7ff800007fc00000,  // NaN
                            0x7ff000017f800001,  // a NaN that signals
                            0x8000000000000000,  // -0, 0
                            0x0000000080000000,
                            0x0000000100000001,  // subnormal
                            0x000fffff007fffff,
                            0x40c3880146200400,  // 10000.01, 10241
                            0x1234567889abcdef};
  std::mt19937_64 random(1);
  while (words.size() < 150) words.push_back(random());
  return words;
}

// A kernel that writes the results of all calls for each three neighbouring words.
inline Instantiation device_functions_kernel() {
  std::string text = "#include \"core/machine/memory.h\"\n#include \"core/parts/custom_operator.h\"\nnamespace {\n";
  text += device_functions::kKernelsHelpers;
  text += R"(}
SCANTUNE_KERNEL(kernel, 32, 1) {
  using scantune::CacheHint, scantune::u64;
  if (scantune::thread_rank() != 0) return;
  const u64* in = arguments.operand<const u64>(scantune::OperandRole::input);
  u64* out = arguments.operand<u64>(scantune::OperandRole::output);
  for (u64 word = 0; word + 2 < arguments.n; ++word) {
    const u64 a = scantune::load_global<CacheHint::normal>(in + word);
    const u64 b = scantune::load_global<CacheHint::normal>(in + word + 1);
    const u64 c = scantune::load_global<CacheHint::normal>(in + word + 2);
)";
  for (const DeviceFunction& function : device_functions_to_test())
    text += std::string("    scantune::store_global<CacheHint::normal>(out++, bits(") + function.call + "));\n";
  return {text + "  }\n}\n", {"core/machine/memory.h", "core/parts/custom_operator.h"}, {"kernel"}, "device functions"};
}

inline void expect_right_device_functions(Device& device) {
  const auto functions = device_functions_to_test();
  const auto words = device_function_arguments();
  const Instantiation kernel = device_functions_kernel();
  const int no_shared_bytes[] = {0};
  const auto module =
      device.load(device.compiler().compile(kernel, device.identity().arch), kernel.kernels, no_shared_bytes);
  const auto memory = [&](std::size_t count) {
    return std::shared_ptr<void>(device.allocate(count * sizeof(u64)), [&](void* pointer) { device.free(pointer); });
  };
  std::vector<u64> results(functions.size() * (words.size() - 2));
  const auto input = memory(words.size()), output = memory(results.size());
  device.upload(input.get(), words.data(), words.size() * sizeof(u64));
  KernelArguments arguments{};
  arguments.set_operand(OperandRole::input, input.get());
  arguments.set_operand(OperandRole::output, output.get());
  device.launch(*module, {.block_threads = 32, .n = words.size()}, arguments, nullptr);
  device.synchronize();
  device.download(results.data(), output.get(), results.size() * sizeof(u64));
  for (std::size_t index = 0; index < results.size(); ++index) {
    const DeviceFunction& function = functions[index % functions.size()];
    const u64* const word = words.data() + index / functions.size();
    ASSERT_EQ(results[index], function.expected(word[0], word[1], word[2]))
        << function.call << std::hex << " of 0x" << word[0] << ", 0x" << word[1] << ", 0x" << word[2];
  }
}

}  // namespace scantune
