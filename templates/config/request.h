// The problem: what is to be scanned. Said once, for the host library, the kernels and the database.
#pragma once

#include "config/types.h"

namespace scantune {

enum class ValueType { i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64 };
template <>
struct Tokens<ValueType> {
  static constexpr const char* kNames[] = {"i8",  "i16", "i32", "i64",  "u8",  "u16",
                                           "u32", "u64", "f16", "bf16", "f32", "f64"};
};

enum class Operator { sum, max };
template <>
struct Tokens<Operator> {
  static constexpr const char* kNames[] = {"sum", "max"};
};

enum class Kind { inclusive, exclusive };
template <>
struct Tokens<Kind> {
  static constexpr const char* kNames[] = {"inclusive", "exclusive"};
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

constexpr int size_of(ValueType type) {
  constexpr int kBytes[] = {1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
  return kBytes[static_cast<int>(type)];
}

constexpr bool is_floating(ValueType type) { return type >= ValueType::f16; }

inline constexpr int kVectorAlignmentBytes = 16;  // what the widest load and store instruction needs
inline constexpr int kMaxValueBytes = 32;         // room for an initial value in the kernel arguments

struct ScanRequest {
  ValueType input_type = ValueType::i32;
  ValueType accumulator_type = ValueType::i32;
  ValueType output_type = ValueType::i32;
  Operator op = Operator::sum;
  Kind kind = Kind::inclusive;
  bool has_init = false;  // the scan starts from a value of the caller's; always true for exclusive scans
  Determinism determinism = Determinism::unconstrained;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  int alignment_bytes = kVectorAlignmentBytes;  // both pointers are multiples of this, and of their own type
  u64 n = 0;                                    // items

  constexpr bool operator==(const ScanRequest&) const = default;
};

// Whether results must not depend on the order in which values happen to be combined.
constexpr bool needs_fixed_association(const ScanRequest& request) {
  return request.determinism == Determinism::run_to_run && is_floating(request.accumulator_type);
}

// Every family of today has kernels for just these problems.
constexpr const char* unsupported_reason(const ScanRequest& request) {
  const ValueType type = request.accumulator_type;
  if (request.input_type != type || request.output_type != type)
    return "input, accumulator and output types must be the same";
  if (type != ValueType::i32 && type != ValueType::i64 && type != ValueType::f32 && type != ValueType::f64)
    return "the value type must be i32, i64, f32 or f64";
  if (request.kind == Kind::exclusive && !request.has_init) return "an exclusive scan needs an initial value";
  return nullptr;
}

}  // namespace scantune
