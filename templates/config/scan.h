// The scan: its request, and what it reads and writes.
#pragma once

#include "config/algorithm.h"
#include "config/value.h"
#include "config/variant.h"

namespace scantune {

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
  int custom_bytes = 0;      // size of ValueType::custom; 0 where no type is custom
  int custom_alignment = 0;  // and its alignment
  u64 n = 0;                 // items

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

// A request and which pointers its kernels serve.
struct ScanVariant : ScanRequest {
  Variant variant = Variant::aligned;

  // What both pointers are multiples of.
  constexpr int alignment_bytes() const {
    if (variant == Variant::aligned) return kVectorAlignmentBytes;
    const int in = alignment_of(input_type), out = alignment_of(output_type);
    return in < out ? in : out;
  }

  constexpr bool operator==(const ScanVariant&) const = default;
};

// Whether results would depend on the order in which values happen to be combined, and must not.
constexpr bool needs_fixed_association(const ScanRequest& request) {
  if (request.determinism != Determinism::run_to_run) return false;
  if (is_custom(request.op)) return true;  // who knows
  return is_floating(request.accumulator_type) && (request.op == Operator::sum || request.op == Operator::product);
}

// What no family can do. Values convert on load and on store as in C++, where that has one meaning: integers to
// integers, modulo their width, floating-point numbers to such, and integers to floating-point accumulators.
constexpr const char* unsupported_reason(const ScanRequest& request) {
  const ValueType in = request.input_type, acc = request.accumulator_type, out = request.output_type;
  if (in == ValueType::custom || acc == ValueType::custom || out == ValueType::custom) {
    if (in != acc || out != acc) return "a custom type is input, accumulator and output type at once";
    if (!is_custom(request.op)) return "a custom type needs a custom operator";
    if (const char* reason = invalid_custom_reason(request.custom_bytes, request.custom_alignment)) return reason;
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
struct Algorithm<ScanRequest> {
  static constexpr const char* kName = "scan";
  static constexpr const char* kRequestName = "ScanRequest";
  static constexpr const char* kProblemName = "Problem";

  static constexpr int accumulator_by_default(const ScanRequest& request) {
    return static_cast<int>(default_accumulator(request.input_type, request.output_type));
  }
  static constexpr int init_by_default(const ScanRequest& request) {
    return static_cast<int>(request.kind == Kind::exclusive ? Init::value : Init::none);
  }

  static constexpr Member<ScanRequest> kMembers[] = {
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

  static constexpr OperandList operands(const ScanRequest& request) {
    OperandList list;
    list.add({"input", OperandRole::input, "input_type", Operand::kItems});
    list.add({"output", OperandRole::output, "output_type", Operand::kItems});
    if (request.init == Init::memory) list.add({"device_init", OperandRole::init, "accumulator_type", Operand::kOne});
    return list;
  }

  // Kernels differ by a guarantee only where results depend on it.
  static constexpr ScanRequest compiled(ScanRequest request) {
    if (!needs_fixed_association(request)) request.determinism = Determinism::unconstrained;
    return request;
  }

  static constexpr const char* remark(const ScanRequest& request) {
    if (request.init == Init::memory) return "with init from memory";
    return request.has_init() && request.kind == Kind::inclusive ? "with init" : "";
  }
};
#endif

}  // namespace scantune
