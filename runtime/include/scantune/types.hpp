// The C++ types that can be scanned, and the C constant of each.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "scantune/error.hpp"
#include "scantune/scantune.h"

// CUDA's types of 2 bytes; they may be incomplete here.
struct __half;
struct __nv_bfloat16;

namespace scantune::runtime {

// The bits of a half-precision number, for programs that use neither CUDA's types nor _Float16.
struct f16 {
  std::uint16_t bits;
};
struct bf16 {
  std::uint16_t bits;
};

namespace detail {

template <class T>
inline constexpr scantune_type kHalfType = SCANTUNE_DEFAULT_TYPE;  // T is not a half-precision number
template <>
inline constexpr scantune_type kHalfType<f16> = SCANTUNE_F16;
template <>
inline constexpr scantune_type kHalfType<bf16> = SCANTUNE_BF16;
template <>
inline constexpr scantune_type kHalfType<__half> = SCANTUNE_F16;
template <>
inline constexpr scantune_type kHalfType<__nv_bfloat16> = SCANTUNE_BF16;
#if defined(__FLT16_MANT_DIG__) && !defined(__CUDACC__)  // nvcc does not know it, whatever its host compiler does
template <>
inline constexpr scantune_type kHalfType<_Float16> = SCANTUNE_F16;
#endif

template <class T>
constexpr scantune_type type_of() {
  if constexpr (kHalfType<T> != SCANTUNE_DEFAULT_TYPE) {
    return kHalfType<T>;
  } else if constexpr (std::is_floating_point_v<T>) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "scantune scans float and double, and no wider numbers");
    return sizeof(T) == 4 ? SCANTUNE_F32 : SCANTUNE_F64;
  } else if constexpr (std::is_integral_v<T>) {
    static_assert(sizeof(T) <= 8, "scantune scans integers of at most 64 bits");
    constexpr int kNarrowest = std::is_signed_v<T> ? SCANTUNE_I8 : SCANTUNE_U8;
    return static_cast<scantune_type>(kNarrowest + std::countr_zero(sizeof(T)));
  } else {
    static_assert(std::is_class_v<T>, "scantune scans numbers and structs: no pointers, enumerations or unions");
    static_assert(std::is_trivially_copyable_v<T>, "a struct must be trivially copyable to be scanned on a device");
    static_assert(sizeof(T) <= 32, "a struct must have at most 32 bytes to be scanned");
    static_assert(alignof(T) <= 16, "a struct must be aligned to at most 16 bytes to be scanned");
    return SCANTUNE_CUSTOM_TYPE;
  }
}

constexpr bool is_floating(scantune_type type) { return type >= SCANTUNE_F16 && type <= SCANTUNE_F64; }

// Bytes of an item, for the types with a name.
constexpr int size_of(scantune_type type) {
  constexpr int kBytes[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
  return kBytes[type];
}

// Integers that number items.
template <class T>
inline constexpr bool kIsIndex = std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

// The type that values are moved as: all values of one size and alignment share their kernels.
template <class T>
constexpr scantune_type moved_type() {
  static_assert(std::is_trivially_copyable_v<T>, "values must be trivially copyable to be moved on a device");
  static_assert(sizeof(T) <= 32, "values must have at most 32 bytes: move the indices of larger ones");
  static_assert(alignof(T) <= 16, "values must be aligned to at most 16 bytes");
  if (alignof(T) != sizeof(T) || sizeof(T) > 8) return SCANTUNE_CUSTOM_TYPE;
  return static_cast<scantune_type>(SCANTUNE_U8 + std::countr_zero(sizeof(T)));
}

// A type's name in messages. bytes and alignment are those of a struct.
inline std::string type_name(scantune_type type, std::size_t bytes, std::size_t alignment) {
  constexpr const char* kNames[] = {"",    "i8",  "i16", "i32",  "i64", "u8", "u16",
                                    "u32", "u64", "f16", "bf16", "f32", "f64"};
  if (type != SCANTUNE_CUSTOM_TYPE) return kNames[type];
  return "a struct of " + std::to_string(bytes) + " bytes aligned to " + std::to_string(alignment);
}

// What scantune_accumulator() returns, where a compiler needs to know it.
constexpr scantune_type default_accumulator(scantune_type input, scantune_type output) {
  if (input == SCANTUNE_CUSTOM_TYPE || output == SCANTUNE_CUSTOM_TYPE) return SCANTUNE_CUSTOM_TYPE;
  const bool by_input = is_floating(input) == is_floating(output) && size_of(input) > size_of(output);
  const scantune_type wider = by_input ? input : output;
  if (size_of(wider) >= 4) return wider;
  if (is_floating(wider)) return SCANTUNE_F32;
  return wider >= SCANTUNE_U8 ? SCANTUNE_U32 : SCANTUNE_I32;
}

constexpr bool is_accumulator(scantune_type type) { return type == SCANTUNE_CUSTOM_TYPE || size_of(type) >= 4; }

// Whether items become accumulators, and accumulators results, without a number losing its meaning.
constexpr bool converts_to_accumulator(scantune_type input, scantune_type accumulator) {
  return !is_floating(input) || is_floating(accumulator);
}
constexpr bool converts_to_output(scantune_type accumulator, scantune_type output) {
  return is_floating(accumulator) == is_floating(output);
}

template <class Out>
constexpr void check_output() {
  static_assert(!std::is_const_v<Out>, "the output is const: a scan writes its results there");
  static_assert(!std::is_same_v<std::remove_const_t<Out>, bool>,
                "a bool cannot hold the results of a scan; use unsigned char");
}

// Whether items of one type become those of another without a map.
template <class In, class Acc>
constexpr bool converts_as_input() {
  constexpr scantune_type in = type_of<In>(), acc = type_of<Acc>();
  if constexpr (in == SCANTUNE_CUSTOM_TYPE || acc == SCANTUNE_CUSTOM_TYPE)
    return std::is_same_v<In, Acc>;
  else
    return converts_to_accumulator(in, acc);
}
template <class Acc, class Out>
constexpr bool converts_as_output() {
  constexpr scantune_type acc = type_of<Acc>(), out = type_of<Out>();
  if constexpr (acc == SCANTUNE_CUSTOM_TYPE || out == SCANTUNE_CUSTOM_TYPE)
    return std::is_same_v<Acc, Out>;
  else
    return converts_to_output(acc, out);
}

template <class T>
inline constexpr bool kIsStruct = type_of<T>() == SCANTUNE_CUSTOM_TYPE;

template <class In, class Acc, class Out>
constexpr void check_types() {
  check_output<Out>();
  static_assert(is_accumulator(type_of<Acc>()),
                "an accumulator is a number of 4 or 8 bytes, and half types accumulate in float");
  static_assert(
      !kIsStruct<Acc> || ((!kIsStruct<In> || std::is_same_v<In, Acc>) && (!kIsStruct<Out> || std::is_same_v<Acc, Out>)),
      "a struct is input, accumulator and output type at once, or a map comes between it and a number");
  static_assert(
      kIsStruct<Acc> || !kIsStruct<In> || !kIsStruct<Out> || (sizeof(In) == sizeof(Out) && alignof(In) == alignof(Out)),
      "two structs, of input and output, must have one size and one alignment");
}

// Lets the compiler refuse types that do not convert, for calls without maps.
template <class In, class Acc, class Out>
constexpr void check_unmapped() {
  constexpr bool kHasStruct = kIsStruct<In> || kIsStruct<Acc> || kIsStruct<Out>;
  static_assert(!kHasStruct || (converts_as_input<In, Acc>() && converts_as_output<Acc, Out>()),
                "a struct is input, accumulator and output type at once");
  static_assert(kHasStruct || converts_as_input<In, Acc>(), "floating-point items need a floating-point accumulator");
  static_assert(kHasStruct || converts_as_output<Acc, Out>(),
                "the output must be of a floating-point type if the accumulator is, else of an integer type");
}

// Throws RequestError if types do not convert and have no map between them.
template <class In, class Acc, class Out>
void check_maps(bool loads, bool stores) {
  if constexpr (!converts_as_input<In, Acc>())
    if (!loads)
      throw RequestError(std::string(kIsStruct<In> || kIsStruct<Acc>
                                         ? "a struct is input, accumulator and output type at once"
                                         : "floating-point items need a floating-point accumulator") +
                         ": name another accumulator, or pass a map as load");
  if constexpr (!converts_as_output<Acc, Out>())
    if (!stores)
      throw RequestError(std::string(kIsStruct<Acc> || kIsStruct<Out>
                                         ? "a struct is input, accumulator and output type at once"
                                         : "the output must be of a floating-point type if the accumulator is, else of "
                                           "an integer type") +
                         ": pass an output of another type, or a map as store");
}

template <scantune_type kType>
struct Number;
template <>
struct Number<SCANTUNE_I32> {
  using Type = std::int32_t;
};
template <>
struct Number<SCANTUNE_U32> {
  using Type = std::uint32_t;
};
template <>
struct Number<SCANTUNE_F32> {
  using Type = float;
};

// The accumulator is the caller's own type if possible: long long and long may have the same size and are two types.
template <class In, class Out>
constexpr auto accumulator_of() {
  check_output<Out>();
  constexpr scantune_type type = default_accumulator(type_of<In>(), type_of<Out>());
  if constexpr (type == type_of<Out>()) {
    return std::type_identity<Out>();
  } else if constexpr (type == type_of<In>()) {
    return std::type_identity<In>();
  } else {
    return std::type_identity<typename Number<type>::Type>();
  }
}

}  // namespace detail

// The default accumulator: the output type, or the input type if that is wider and of the same class (integer,
// floating-point); at least 4 bytes wide.
template <class In, class Out>
using default_accumulator_t = typename decltype(detail::accumulator_of<In, Out>())::type;

}  // namespace scantune::runtime

#endif
