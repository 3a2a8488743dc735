// The problem: what is to be scanned. Said once, for the host library, the kernels and the database.
#pragma once

#include "config/types.h"

#ifndef __CUDACC_RTC__
#include "config/member.h"
#endif

namespace scantune {

// custom: a struct of the caller's, known by its size and alignment. Everything outside the kernels spells it with its
// size, as custom12.
enum class ValueType { i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, custom };
template <>
struct Tokens<ValueType> {
  static constexpr const char* kNames[] = {"i8",  "i16", "i32",  "i64", "u8",  "u16",   "u32",
                                           "u64", "f16", "bf16", "f32", "f64", "custom"};
};

// The custom ones are the caller's own source, told apart by what one combination costs: about one instruction for each
// 4 bytes of a value (cheap), a few multiplications and additions (moderate), or tens of instructions (expensive).
enum class Operator {
  sum,      // integers wrap
  product,  // integers wrap
  min,      // NaN propagates, -0 orders below +0
  max,      // likewise
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

enum class Kind { inclusive, exclusive };
template <>
struct Tokens<Kind> {
  static constexpr const char* kNames[] = {"inclusive", "exclusive"};
};

// Where the value that a scan starts from comes from.
enum class Init {
  none,   // an inclusive scan that starts with its first item
  value,  // the kernel's arguments
  memory  // the device's memory, read when the scan runs
};
template <>
struct Tokens<Init> {
  static constexpr const char* kNames[] = {"none", "value", "memory"};
};

// run_to_run: equal inputs give equal bits on every run of one device and config.
enum class Determinism { unconstrained, run_to_run };
template <>
struct Tokens<Determinism> {
  static constexpr const char* kNames[] = {"unconstrained", "run_to_run"};
};

// documented: only orders of CTAs that the programming model guarantees may be relied on (tickets);
// in_order also leans on CTAs starting in blockIdx order, as every library scan does.
enum class ForwardProgress { in_order, documented };
template <>
struct Tokens<ForwardProgress> {
  static constexpr const char* kNames[] = {"in_order", "documented"};
};

// In which surroundings the scan is to be fast: between other scans that overlap with it, or between kernels that do
// not. It decides between configs and changes no kernel.
enum class Latency { back_to_back, isolated };
template <>
struct Tokens<Latency> {
  static constexpr const char* kNames[] = {"back_to_back", "isolated"};
};

// Not for ValueType::custom, whose size is the request's to say.
constexpr int size_of(ValueType type) {
  constexpr int kBytes[] = {1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 0};
  return kBytes[static_cast<int>(type)];
}

constexpr bool is_floating(ValueType type) { return type >= ValueType::f16 && type <= ValueType::f64; }
constexpr bool is_integer(ValueType type) { return type < ValueType::f16; }
constexpr bool is_signed(ValueType type) { return type < ValueType::u8 || is_floating(type); }

inline constexpr int kVectorAlignmentBytes = 16;  // what the widest load and store instruction needs
inline constexpr int kMaxValueBytes = 32;  // of a custom value; room for an initial value in the kernel arguments

struct ScanRequest {
  ValueType input_type = ValueType::i32;
  ValueType accumulator_type = ValueType::i32;
  ValueType output_type = ValueType::i32;
  Operator op = Operator::sum;
  Kind kind = Kind::inclusive;
  Init init = Init::none;  // exclusive scans have one
  Determinism determinism = Determinism::unconstrained;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  int alignment_bytes =
      kVectorAlignmentBytes;  // both pointers are multiples of this, and of their own type's alignment
  int custom_bytes = 0;       // size of ValueType::custom; 0 where no type is custom
  int custom_alignment = 0;   // likewise
  u64 n = 0;                  // items

  constexpr int bytes_of(ValueType type) const { return type == ValueType::custom ? custom_bytes : size_of(type); }
  constexpr int alignment_of(ValueType type) const {
    return type == ValueType::custom ? custom_alignment : size_of(type);
  }
  constexpr int input_bytes() const { return bytes_of(input_type); }
  constexpr int accumulator_bytes() const { return bytes_of(accumulator_type); }
  constexpr int output_bytes() const { return bytes_of(output_type); }
  constexpr bool has_init() const { return init != Init::none; }

  constexpr bool operator==(const ScanRequest&) const = default;
};

// Whether results would depend on the order in which values happen to be combined, and must not.
constexpr bool needs_fixed_association(const ScanRequest& request) {
  if (request.determinism != Determinism::run_to_run) return false;
  if (is_custom(request.op)) return true;  // who knows
  return is_floating(request.accumulator_type) && (request.op == Operator::sum || request.op == Operator::product);
}

// The types that values are combined in. Narrower ones widen on load: nothing is gained by combining them as they are.
constexpr bool is_accumulator(ValueType type) { return type == ValueType::custom || size_of(type) >= 4; }

// Where the caller names none: the output's type, or the input's if that is wider and of the same class (integer,
// floating-point), at least 4 bytes wide. Sums of i8 into i64 add in 64 bits, f16 into f16 in f32.
constexpr ValueType default_accumulator(ValueType input, ValueType output) {
  if (input == ValueType::custom || output == ValueType::custom) return ValueType::custom;
  const bool by_input = is_floating(input) == is_floating(output) && size_of(input) > size_of(output);
  const ValueType wider = by_input ? input : output;
  if (is_floating(wider)) return size_of(wider) < 4 ? ValueType::f32 : wider;
  if (size_of(wider) >= 4) return wider;
  return wider >= ValueType::u8 ? ValueType::u32 : ValueType::i32;
}

// What no family can do. Values convert on load and on store as in C++, where that has one meaning: integers to
// integers, modulo their width, floating-point numbers to such, and integers to floating-point accumulators.
constexpr const char* unsupported_reason(const ScanRequest& request) {
  const ValueType in = request.input_type, acc = request.accumulator_type, out = request.output_type;
  if (in == ValueType::custom || acc == ValueType::custom || out == ValueType::custom) {
    if (in != acc || out != acc) return "a custom type is input, accumulator and output type at once";
    if (!is_custom(request.op)) return "a custom type needs a custom operator";
    const int bytes = request.custom_bytes, alignment = request.custom_alignment;
    if (bytes < 1 || bytes > kMaxValueBytes) return "a custom type has 1 to 32 bytes";
    if (alignment < 1 || alignment > kVectorAlignmentBytes || (alignment & (alignment - 1)) != 0 ||
        bytes % alignment != 0)
      return "a custom type is aligned to 1, 2, 4, 8 or 16 bytes, and its size is a multiple of that";
  } else {
    if (!is_accumulator(acc)) return "the accumulator type must be i32, i64, u32, u64, f32 or f64";
    if (is_floating(in) && !is_floating(acc)) return "floating-point items need a floating-point accumulator";
    if (is_floating(acc) != is_floating(out))
      return "the output type must be a floating-point type if the accumulator is one, else an integer";
    if (is_floating(acc) && request.op >= Operator::bit_and && request.op <= Operator::bit_xor)
      return "bit_and, bit_or and bit_xor are for integers";
  }
  if (request.kind == Kind::exclusive && !request.has_init()) return "an exclusive scan needs an initial value";
  return nullptr;
}

#ifndef __CUDACC_RTC__
template <>
inline constexpr Spelling kSpelling<ValueType> = Spelling::value_type;
template <>
inline constexpr Spelling kSpelling<Operator> = Spelling::value_operator;

template <>
struct Members<ScanRequest> {
  static constexpr const char* kAlgorithm = "scan";  // in JSON, SQL and the worker's list

  static constexpr int accumulator_by_default(const ScanRequest& request) {
    return static_cast<int>(default_accumulator(request.input_type, request.output_type));
  }
  static constexpr int init_by_default(const ScanRequest& request) {
    return static_cast<int>(request.kind == Kind::exclusive ? Init::value : Init::none);
  }

  static constexpr Member<ScanRequest> kAll[] = {
      SCANTUNE_MEMBER(ScanRequest, input_type, width).defaults_to(nullptr),
      SCANTUNE_MEMBER(ScanRequest, accumulator_type, width).defaults_to(accumulator_by_default),
      SCANTUNE_MEMBER(ScanRequest, output_type, width).defaults_to([](const ScanRequest& request) {
        return static_cast<int>(request.input_type);
      }),
      SCANTUNE_MEMBER(ScanRequest, op, nearest),
      SCANTUNE_MEMBER(ScanRequest, kind, served),
      SCANTUNE_MEMBER(ScanRequest, init, per_call).defaults_to(init_by_default),
      SCANTUNE_MEMBER(ScanRequest, determinism, at_most).means("run_to_run: equal inputs give equal bits."),
      SCANTUNE_MEMBER(ScanRequest, forward_progress, at_most)
          .not_compiled()
          .means("documented: only orders of CTAs that the programming model guarantees."),
      SCANTUNE_MEMBER(ScanRequest, latency, nearest)
          .not_compiled()
          .means("back_to_back: fast between other scans, which overlap; isolated: between ordinary kernels.")};
};
#endif

}  // namespace scantune
