// Value types and operators, declared once for the host library, the kernels and the database.
#pragma once

#include "core/contract/types.h"

#ifndef __CUDACC_RTC__
#include "core/contract/member.h"
#endif

namespace scantune {

enum class TypeClass { signed_integer, unsigned_integer, floating, none };

// Every built-in type, once: row(name, bytes, class, its constant in scantune.h after SCANTUNE_). Types are spelled by
// these names, which end in their numbers of bits.
// clang-format off
#define SCANTUNE_VALUE_TYPES(row)    \
  row(i8, 1, signed_integer, I8)     \
  row(i16, 2, signed_integer, I16)   \
  row(i32, 4, signed_integer, I32)   \
  row(i64, 8, signed_integer, I64)   \
  row(u8, 1, unsigned_integer, U8)   \
  row(u16, 2, unsigned_integer, U16) \
  row(u32, 4, unsigned_integer, U32) \
  row(u64, 8, unsigned_integer, U64) \
  row(f16, 2, floating, F16)         \
  row(bf16, 2, floating, BF16)       \
  row(f32, 4, floating, F32)         \
  row(f64, 8, floating, F64)
// clang-format on

enum class ValueType {
#define SCANTUNE_ENUMERATOR(name, bytes, type_class, constant) name,
  SCANTUNE_VALUE_TYPES(SCANTUNE_ENUMERATOR)
#undef SCANTUNE_ENUMERATOR
      custom
};
template <>
struct Tokens<ValueType> {
#define SCANTUNE_NAME(name, bytes, type_class, constant) #name,
  static constexpr const char* kNames[] = {SCANTUNE_VALUE_TYPES(SCANTUNE_NAME) "custom"};
#undef SCANTUNE_NAME
};

// The custom ones are the caller's source, divided by what one combination costs: about one instruction for each 4
// bytes of a value (cheap), a few multiplications and additions (moderate), or tens of instructions (expensive).
enum class Operator {
  sum,      // integers wrap
  product,  // integers wrap
  min,      // NaN propagates, -0 orders below +0
  max,      // like min
  bit_and,  // the last three: integers only
  bit_or,
  bit_xor,
  custom_cheap,
  custom_moderate,
  custom_expensive
};
template <>
struct Tokens<Operator> {
  static constexpr const char* kNames[] = {"sum",
                                           "product",
                                           "min",
                                           "max",
                                           "bit_and",
                                           "bit_or",
                                           "bit_xor",
                                           "custom_cheap",
                                           "custom_moderate",
                                           "custom_expensive"};
};

constexpr bool is_custom(Operator op) { return op >= Operator::custom_cheap; }

// The size of a built-in type; a request holds that of ValueType::custom.
constexpr int size_of(ValueType type) {
#define SCANTUNE_BYTES(name, bytes, type_class, constant) bytes,
  constexpr int kBytes[] = {SCANTUNE_VALUE_TYPES(SCANTUNE_BYTES) 0};
#undef SCANTUNE_BYTES
  return kBytes[static_cast<int>(type)];
}

constexpr TypeClass class_of(ValueType type) {
#define SCANTUNE_CLASS(name, bytes, type_class, constant) TypeClass::type_class,
  constexpr TypeClass kClasses[] = {SCANTUNE_VALUE_TYPES(SCANTUNE_CLASS) TypeClass::none};
#undef SCANTUNE_CLASS
  return kClasses[static_cast<int>(type)];
}

constexpr bool is_floating(ValueType type) { return class_of(type) == TypeClass::floating; }
constexpr bool is_integer(ValueType type) { return class_of(type) < TypeClass::floating; }
constexpr bool is_signed(ValueType type) { return class_of(type) == TypeClass::signed_integer || is_floating(type); }

inline constexpr int kVectorAlignmentBytes = 16;  // what the widest load and store instruction needs
inline constexpr int kMaxValueBytes = 32;         // the largest custom value, for which kernel arguments have room

// Null if a custom type may have this size and alignment, else why not.
constexpr const char* invalid_custom_reason(int bytes, int alignment) {
  if (bytes < 1 || bytes > kMaxValueBytes) return "a custom type has 1 to 32 bytes";
  if (alignment < 1 || alignment > kVectorAlignmentBytes || (alignment & (alignment - 1)) != 0 ||
      bytes % alignment != 0)
    return "a custom type is aligned to 1, 2, 4, 8 or 16 bytes, and its size is a multiple of that";
  return nullptr;
}

// The types in which values are combined. Narrower ones are widened on load: combining them unwidened gains nothing.
constexpr bool is_accumulator(ValueType type) { return type == ValueType::custom || size_of(type) >= 4; }

// The default accumulator: the output's type, or the input's if that is wider and of the same class (integer,
// floating-point), at least 4 bytes wide. Sums of i8 into i64 add in 64 bits, f16 into f16 in f32.
constexpr ValueType default_accumulator(ValueType input, ValueType output) {
  if (input == ValueType::custom || output == ValueType::custom) return ValueType::custom;
  const bool by_input = is_floating(input) == is_floating(output) && size_of(input) > size_of(output);
  const ValueType wider = by_input ? input : output;
  if (is_floating(wider)) return size_of(wider) < 4 ? ValueType::f32 : wider;
  if (size_of(wider) >= 4) return wider;
  return is_signed(wider) ? ValueType::i32 : ValueType::u32;
}

#ifndef __CUDACC_RTC__
template <>
inline constexpr Spelling kSpelling<ValueType> = Spelling::value_type;
template <>
inline constexpr Spelling kSpelling<Operator> = Spelling::value_operator;
#endif

}  // namespace scantune
